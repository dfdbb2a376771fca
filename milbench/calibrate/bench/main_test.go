package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"synpool/internal/bench"
)

// TestMeasure: one split of generated numbers, one of Musk 1 and one list of instances have plausible counts.
func TestMeasure(t *testing.T) {
	for _, name := range []string{numbers, "musk1"} {
		set, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := measure(set, name, "statistics-svm", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := share(c.Covered, c.New); got < 0.6 || got > 1 || c.Steps < 0.9 || c.Steps > 0.95 || (c.Width > 0) != (name == numbers) || c.Bags*5 < 4*len(set.Bags)-10 {
			t.Errorf("%+v", c)
		}
	}
	if testing.Short() {
		return
	}
	l, err := list("needle 10 %", "instance", 1)
	if err != nil || l.Positive != 500 || l.New != 10_000 || l.HeldOut != 10_000 || l.Selected < 100 || l.Negatives > l.Selected/4 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestTables: README.md has the tables of the committed measurements.
func TestTables(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	cells, err := bench.Cells[cell]("coverage.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := table(&want, cells); err != nil {
		t.Fatal(err)
	}
	draws, err := bench.Cells[listed]("lists.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := listTable(&want, draws); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(want.String()) {
		if !strings.Contains(string(page), line) {
			t.Errorf("README.md lacks\n%s", line)
		}
	}
}
