package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"synpool/internal/fetched"
	"synpool/milbench/dataset/audit"
)

func TestVersion(t *testing.T) {
	text, _ := succeed(t, "version")
	b := decoded[build](t, "version", "--json")
	if b != readBuild() || b.Go != runtime.Version() || !strings.Contains(text, b.Go) || !strings.Contains(text, b.Revision) {
		t.Errorf("%+v, %s", b, text)
	}
	has(t, text, "backends go", ", "+runtime.GOOS+"/"+runtime.GOARCH+"\n")
}

// TestVersionOfRelease builds the command as a release is built, with its tag, and without XLA.
func TestVersionOfRelease(t *testing.T) {
	program := filepath.Join(t.TempDir(), "milbench")
	command := exec.Command("go", "build", "-buildvcs=false", "-tags", "noxla", "-ldflags", "-X main.tag=v9.8.7", "-o", program, ".")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "version", "--json").Output()
	must(t, err)
	var got build
	want := build{Version: "v9.8.7", Revision: "unknown", Go: runtime.Version(), GoMLX: readBuild().GoMLX, Backends: "go", Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if err := json.Unmarshal(out, &got); err != nil || got != want {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
}

func TestBackend(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go")
	text, stderr := succeed(t, "backend")
	b := decoded[struct{ Backend, Reason string }](t, "backend", "--json")
	if b.Backend != "go" || b.Reason == "" || !strings.Contains(text, b.Reason) || stderr != "" {
		t.Errorf("%+v\n%s%s", b, text, stderr)
	}
}

// Without network, or room, the plugin must be tried again, and no folder is left.
func TestBackendInstallFails(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("there is no plugin to install on this machine")
	}
	for _, say := range []string{
		"WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'",
		"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
	} {
		home := t.TempDir()
		python := filepath.Join(t.TempDir(), "python3")
		must(t, os.WriteFile(python, []byte("#!/bin/sh\necho \""+say+"\" >&2\nexit 1\n"), 0o777))
		t.Setenv("PATH", filepath.Dir(python)+":/bin:/usr/bin")
		t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", filepath.Join(home, "lib", "go-xla"))
		refuse(t, exitTryAgain, "downloading the XLA plugin: pip: ", "backend", "install")
		if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

func TestAudit(t *testing.T) {
	text, _ := succeed(t, "audit", "musk1")
	has(t, text, "92, of them 47 positive and 45 negative", "476; 2 to 40 per bag, median 4", "166 as stored", "no column leaks the bag labels")
	file := write(t, "leaky.csv", toy(true))
	o := milbenchOf(t.Context(), "audit", file, "--json")
	var report audit.Report
	must(t, json.Unmarshal([]byte(o.out), &report))
	if o.code != exitFinding || len(report.Leaks) != 1 || report.Leaks[0].Column != 4 || report.Bags != 24 {
		t.Errorf("exit code %d, %+v", o.code, report)
	}
	var strong strings.Builder
	strong.WriteString("bag,label,p,q\n")
	for i := range 40 {
		fmt.Fprintf(&strong, "b%d,%d,%d,%d\n", i, i%2, 100*(i%2)+i*7%41, i*11%37)
		fmt.Fprintf(&strong, "b%d,%d,%d,%d\n", i, i%2, 100*(i%2)+i*5%43, i*13%31)
	}
	const found = "column 1 (p): its max over the bag agrees with the label of 40 of 40 bags"
	measured := write(t, "strong.csv", strong.String())
	if out, _ := succeed(t, "audit", measured); !strings.Contains(out, "strong     "+found) || !strings.Contains(out, "no column leaks the bag labels; check whether") {
		t.Error(out)
	}
	prints(t, found+"; see whether it is measured", "run", measured, "--learner", "statistics-svm", "--repeats", "1", "--out", newFolder(t))
}

// The label column of a named set is known: it is found, and never used as a feature.
func TestAuditNamed(t *testing.T) {
	elephant := fetched.File(t, "elephant.mat", "elephant")
	refuse(t, exitFinding, "never used as a feature", "audit", "elephant")
	refuse(t, exitFinding, "column 231", "audit", elephant)
	out := newFolder(t)
	refuse(t, exitFinding, "--instance-label-column last", "run", elephant, "--out", out)
}

// TestPrintable: a terminal acts upon nothing that comes from outside, and a spreadsheet's formula is named.
func TestPrintable(t *testing.T) {
	dir := t.TempDir()
	bags, results, model := filepath.Join(dir, "mine.csv"), filepath.Join(dir, "results"), filepath.Join(dir, "model")
	table := "bag,label,x\n"
	for i := range 12 {
		table += fmt.Sprintf("=B%d,%d,%d.5\n", i, i%2, i*i%7)
	}
	put(t, bags, table)
	succeed(t, "run", bags, "--learner", "statistics-svm", "--folds", "2", "--repeats", "1", "--out", results)
	path := filepath.Join(results, "results.jsonl")
	lines := contents(t, path)
	put(t, path, strings.ReplaceAll(string(lines), `"mine"`, `"\u001b]0;<b>\u0007"`))
	if out, stderr := succeed(t, "table", results); strings.ContainsAny(out+stderr, "\x1b\a") || !strings.Contains(out, `␛]0;\<b>␇`) {
		t.Errorf("%q, %q", out, stderr)
	}
	refuse(t, exitUse, "␛[31m", "show", "\x1b[31m")
	succeed(t, "train", bags, "--learner", "statistics-svm", "--out", model)
	for _, args := range [][]string{{"predict", model, bags}, {"folds", bags, "--folds", "3", "--out", filepath.Join(t.TempDir(), "folds.csv")}} {
		prints(t, "=B0 are formulas to a spreadsheet", args...)
	}
}
