package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	if cells, err := Cells[int](path); cells != nil || err != nil {
		t.Errorf("no file: %v, %v", cells, err)
	}
	for text, want := range map[string][]int{"": nil, "1\n2\n": {1, 2}} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if cells, err := Cells[int](path); !slices.Equal(cells, want) || err != nil {
			t.Errorf("%q: %v, %v", text, cells, err)
		}
	}
	if err := os.WriteFile(path, []byte("1\n{\"set"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Cells[int](path); err == nil || !strings.Contains(err.Error(), "cells.jsonl, cell 2: ") {
		t.Errorf("a line that was cut off: %v", err)
	}
}

func TestSet(t *testing.T) {
	set, err := Set("musk1")
	if err != nil || len(set.Bags) != 92 {
		t.Errorf("%v, %v", set, err)
	}
	if _, err := Set("musk"); err == nil {
		t.Error("an unknown name is no error")
	}
}
