package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	type row struct {
		Name   string
		Number float64
		Count  int
		Orders []float64
	}
	rows := []row{{"a, b", 1. / 3, 7, []float64{1, 0.5}}, {"c", 1e-9, 0, nil}}
	var table, text bytes.Buffer
	if err := writeCSV(&table, rows); err != nil {
		t.Fatal(err)
	}
	back, err := csv.NewReader(&table).ReadAll()
	if want := "[[Name Number Count Orders] [a, b 0.3333333333333333 7 1 0.5] [c 1e-09 0 ]]"; err != nil || fmt.Sprint(back) != want {
		t.Errorf("%v (%v), want %v", back, err, want)
	}
	if err := writeTable(&text, rows); err != nil || !strings.HasPrefix(text.String(), "Name  Number  Count  Orders\na, b  0.3333  7      1 0.5\n") {
		t.Errorf("%q (%v)", text.String(), err)
	}
}
