package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"text/tabwriter"
)

// records returns the field names of T and the fields of every row as text. Numbers have the given number of digits, -1 for
// all.
func records[T any](rows []T, digits int) [][]string {
	t := reflect.TypeFor[T]()
	all := [][]string{nil}
	for i := range t.NumField() {
		all[0] = append(all[0], t.Field(i).Name)
	}
	for _, row := range rows {
		var record []string
		v := reflect.ValueOf(row)
		for i := range v.NumField() {
			record = append(record, text(v.Field(i), digits))
		}
		all = append(all, record)
	}
	return all
}

func text(v reflect.Value, digits int) string {
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', digits, 64)
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = text(v.Index(i), digits)
		}
		return strings.Join(parts, " ")
	}
	return fmt.Sprint(v.Interface())
}

// writeCSV writes rows (structs of simple fields) as CSV, with the field names as header.
func writeCSV[T any](w io.Writer, rows []T) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(records(rows, -1)); err != nil {
		return err
	}
	return out.Error()
}

// writeTable writes rows as text columns, with four digits per number.
func writeTable[T any](w io.Writer, rows []T) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, record := range records(rows, 4) {
		fmt.Fprintln(out, strings.Join(record, "\t"))
	}
	return out.Flush()
}
