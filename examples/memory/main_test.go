package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuick runs the quick form and looks for its tables.
func TestQuick(t *testing.T) {
	data := os.Getenv("MILBENCH_DATA")
	if _, err := os.Stat(filepath.Join(data, "t10k-images-idx3-ubyte.gz")); err != nil || data == "" {
		t.Skip("no digits: run `milbench data fetch mnist` and set MILBENCH_DATA to the folder it fills")
	}
	folder := filepath.Join(t.TempDir(), "csv")
	var out bytes.Buffer
	if err := run(&out, true, folder, nil); err != nil {
		t.Fatal(err)
	}
	for name, title := range map[string]string{
		"figure1": "cases of figure 1", "steps": "Syn steps", "digits": "digits brought back", "beta": "inverse temperature", "capacity": "capacities",
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
	if err := run(new(bytes.Buffer), true, "", []string{"slow"}); err == nil || err.Error() != `unknown argument "slow"; see -help` {
		t.Error(err)
	}
}
