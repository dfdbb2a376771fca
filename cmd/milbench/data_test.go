package main

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"synpool/milbench/dataset"
)

func TestData(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	type row struct {
		Name, State string
		Bags        int
		Citations   []string
	}
	for _, command := range []string{"list", "verify"} {
		text, _ := succeed(t, "data", command)
		rows := decoded[[]row](t, "data", command, "--json")
		for i, e := range dataset.Catalog() {
			state := "missing"
			switch {
			case e.Generated:
				state = "generated"
			case len(e.Files) == 0:
				state = "embedded"
			}
			if !strings.Contains(text, "\n"+e.Name+" ") && !strings.HasPrefix(text, e.Name+" ") {
				t.Errorf("data %s does not have %s", command, e.Name)
			}
			if rows[i].Name != e.Name || rows[i].State != state || command == "list" && (rows[i].Bags != e.Bags || len(rows[i].Citations) == 0) {
				t.Errorf("data %s: %+v of %s", command, rows[i], e.Name)
			}
		}
	}
	if out, _ := succeed(t, "data", "fetch", "musk1", "musk1"); out != "musk1: embedded, nothing to fetch\n" {
		t.Errorf("%q", out)
	}
	if out, _ := succeed(t, "data", "fetch", "raffholt1"); out != "raffholt1: generated, nothing to fetch\n" {
		t.Errorf("%q", out)
	}
}

// Bags of the same instances with different labels are shown and kept together. The set is not
// everywhere.
func TestAmbiguousSet(t *testing.T) {
	e, err := dataset.Find("mutagenesis2")
	must(t, err)
	if state, _ := e.Verify(); state == dataset.Missing {
		return
	}
	if out, _ := succeed(t, "audit", e.Name); !strings.Contains(out, "with different labels") || !strings.Contains(out, "no column leaks the bag labels") {
		t.Errorf("%s", out)
	}
	_, said := succeed(t, "run", e.Name, "--dry-run", "--out", t.TempDir())
	has(t, said, "never split between training and test")
}

// A fetch that is stopped says so, also where the sets before were there already.
func TestFetchStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&stopped{syscall.SIGTERM})
	if o := milbenchOf(ctx, "data", "fetch", "musk1", "raffholt1"); o.code != 143 || o.out != "" || !strings.Contains(o.err, "2 of 2 sets are left: stopped (terminated)") {
		t.Errorf("exit code %d\n%s%s", o.code, o.out, o.err)
	}
}

func TestFetchWithoutFolder(t *testing.T) {
	t.Setenv("MILBENCH_DATA", filepath.Join(write(t, "file", "x"), "folder"))
	refuse(t, exitUse, "set MILBENCH_DATA to a folder that can be written", "data", "fetch", "elephant")
}

// Without network the command says so and to try again, and leaves no file.
func TestFetchWithoutNetwork(t *testing.T) {
	t.Parallel() // it waits
	folder := t.TempDir()
	c := process(t, "data", "fetch", "elephant", "musk1")
	c.Env = append(c.Env, "MILBENCH_DATA="+folder, "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=")
	out, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != exitTryAgain || !strings.Contains(string(out), "milbench: elephant: ") {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "musk1: embedded") {
		t.Errorf("one set that fails keeps the others away:\n%s", out)
	}
	absent(t, filepath.Join(folder, "elephant.mat"))
}
