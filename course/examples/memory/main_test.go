package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/course/examples/fit/fittest"
	"synpool/milbench/dataset"
)

// TestQuick runs the quick form and looks for its tables.
func TestQuick(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "csv")
	var out bytes.Buffer
	err := run(t.Context(), []string{"-quick", "-csv", folder}, &out)
	if errors.Is(err, dataset.ErrNotFetched) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, title := range map[string]string{
		"figure1": "cases of figure 1", "steps": "Syn steps", "digits": "the synergetic network where 300 or fewer are stored", "beta": "inverse temperature", "capacity": "capacities",
	} {
		if !strings.Contains(out.String(), title) {
			t.Errorf("no table %q", title)
		}
		table, err := os.ReadFile(filepath.Join(folder, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(table), "\n"); lines < 9 {
			t.Errorf("%s.csv has %d lines", name, lines)
		}
	}
}

func TestArguments(t *testing.T) {
	fittest.RequireArguments(t, run, map[string]string{
		"slow": `unknown argument "slow"; see -help`,
	})
}
