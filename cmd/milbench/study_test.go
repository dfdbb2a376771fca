package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"synpool/milbench/results"
	"synpool/paper"
)

func TestStudyList(t *testing.T) {
	text, _ := succeed(t, "study", "list")
	listed, _ := succeed(t, "study", "list", "--json")
	var list []struct {
		Name, Question string
		Full, Quick    struct {
			Sets    []string
			Seconds float64 `json:"about_seconds"`
		}
	}
	if err := json.Unmarshal([]byte(listed), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != len(paper.Experiments) {
		t.Errorf("%d of %d experiments", len(list), len(paper.Experiments))
	}
	for _, e := range list {
		if !strings.Contains(text, e.Name+": "+e.Question) || len(e.Full.Sets) < len(e.Quick.Sets) || !(e.Quick.Seconds > 0 && e.Quick.Seconds < e.Full.Seconds) {
			t.Errorf("%+v", e)
		}
	}
}

func TestStudyErrors(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("MILBENCH_DATA", empty)
	refuse(t, exitUse, `no study "noize"; did you mean noise?`, "study", "noize", "--out", empty)
	refuse(t, exitUse, "--out is missing", "study", "noise")
	refuse(t, exitUse, "an argument is missing", "study")
	refuse(t, exitUse, "--cores 0", "study", "noise", "--out", empty, "--cores", "0")
	refuse(t, exitUse, "no results yet", "study", "archive", empty, "--out", empty)
	refuse(t, exitUse, "--out is missing", "study", "archive", empty)
	refuse(t, exitUse, `--sets: "musk3" is no set of this study; its sets are musk1`, "study", "noise", "--quick", "--sets", "musk1,musk3", "--out", empty)
	refuse(t, exitUse, "no results yet", "study", "report", empty)
	refuse(t, exitUse, "no results yet", "plot", empty, "--out", filepath.Join(empty, "a.png"))
	refuse(t, exitUse, "--out is missing", "plot", empty)
}

// TestStudyStopped interrupts a study: what it has done is kept, can be tabulated, drawn, archived and reported on, and is
// not run again.
func TestStudyStopped(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "poolings-quick")
	count := func() int {
		rs, err := results.Read(folder)
		if err != nil {
			return 0
		}
		seen := make(map[string]bool)
		for _, r := range rs {
			if seen[r.Fit] {
				t.Errorf("fit %s occurs twice", r.Fit)
			}
			seen[r.Fit] = true
		}
		return len(rs)
	}
	stop := func(more int) {
		before := count()
		c := process(t, "study", "poolings", "--quick", "--out", dir)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); count() < before+more; time.Sleep(10 * time.Millisecond) {
			if time.Since(start) > 3*time.Minute {
				c.Process.Kill()
				t.Fatalf("%d results after three minutes:\n%s", count(), stderr.String())
			}
		}
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		c.Wait() // the exit code tells
		if code := c.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "run the same command again to resume") {
			t.Errorf("exit code %d:\n%s", code, stderr.String())
		}
	}
	stop(4) // the instance classifier's, which come first
	stop(1)
	if count() < 5 {
		t.Errorf("%d results are kept", count())
	}

	succeed(t, "table", folder)
	figure := filepath.Join(dir, "auc.svg")
	succeed(t, "plot", folder, "--out", figure)
	if text, err := os.ReadFile(figure); err != nil || !bytes.Contains(text, []byte("<svg")) {
		t.Errorf("%d bytes of a figure, %v", len(text), err)
	}
	refuse(t, exitUse, `has no figure "sweep"; use one of auc, ranks`, "plot", folder, "--figure", "sweep", "--out", figure)
	archives := filepath.Join(t.TempDir(), "archives")
	succeed(t, "study", "archive", folder, "--out", archives)
	times, err := results.ReadTimes(filepath.Join(archives, "times", "poolings.jsonl"))
	if err != nil || len(times) < 2 || times[0].Seconds <= 0 {
		t.Errorf("times %+v, %v", times, err)
	}
	before, err := os.ReadFile(filepath.Join(archives, "poolings.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, "study", "archive", folder, "--add", "--out", archives) // the same set
	if after, err := os.ReadFile(filepath.Join(archives, "poolings.json.gz")); err != nil || !bytes.Equal(after, before) {
		t.Errorf("added to itself an archive is another (%v)", err)
	}
	if after, err := results.ReadTimes(filepath.Join(archives, "times", "poolings.jsonl")); err != nil || !slices.Equal(after, times) {
		t.Errorf("added to itself an archive has times %+v, had %+v (%v)", after, times, err)
	}
	succeed(t, "plot", filepath.Join(archives, "poolings.json.gz"), "--figure", "auc", "--out", filepath.Join(dir, "archived.svg"))
	if drawn, err := os.ReadFile(filepath.Join(dir, "archived.svg")); err != nil || !bytes.Contains(drawn, []byte("<svg")) {
		t.Errorf("%d bytes of a figure of an archive, %v", len(drawn), err)
	}
	for _, other := range []string{"plan.json", "poolings-old.json"} { // what else lies there is not looked at
		if err := os.WriteFile(filepath.Join(archives, other), []byte(`{"kind":"another"}`), 0o666); err != nil {
			t.Fatal(err)
		}
		succeed(t, "study", "archive", folder, "--out", archives)
		if err := os.Remove(filepath.Join(archives, other)); err != nil {
			t.Fatal(err)
		}
	}
	full := t.TempDir() // an archive of the full form
	text, err := os.ReadFile("../../paper/results/poolings.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, "poolings.json.gz"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	refuse(t, exitUse, "has 10030 fits that would be lost; use --add to keep those on other sets", "study", "archive", folder, "--out", full)
	refuse(t, exitUse, "--add: an archive cannot hold both the full and the quick form of poolings", "study", "archive", folder, "--add", "--out", full)
	refuse(t, exitUse, "has no archive of poolings; leave the flag out", "study", "archive", folder, "--add", "--out", t.TempDir())
	if after, err := os.ReadFile(filepath.Join(full, "poolings.json.gz")); err != nil || !bytes.Equal(after, text) {
		t.Errorf("the archive of the full form was replaced (%v)", err)
	}
	report, _ := succeed(t, "study", "report", archives, "--tables")
	if !strings.Contains(report, "| musk1 |") || !strings.Contains(report, "Not run yet: `milbench study noise") {
		t.Errorf("a report of one study:\n%s", report)
	}
	if !strings.Contains(report, "`milbench study poolings --quick --out results`: Musk 1, 5 folds") {
		t.Errorf("a report of a quick form:\n%s", report)
	}

	written := t.TempDir()
	succeed(t, "study", "report", archives, "--out", written)
	page, _ := succeed(t, "study", "report", archives)
	for name, want := range map[string]string{"RESULTS.md": page, "docs/tables.md": report} {
		if got, err := os.ReadFile(filepath.Join(written, filepath.FromSlash(name))); err != nil || string(got) != want || want == "" {
			t.Errorf("%s is not what is printed (%v)", name, err)
		}
	}
	refuse(t, exitUse, "none of the others can be", "study", "report", archives, "--out", written, "--tables")
	if times, _ := succeed(t, "study", "report", archives, "--times"); !strings.Contains(times, "| poolings |") {
		t.Errorf("times:\n%s", times)
	}
	file := filepath.Join(folder, results.FileName)
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`"version":"[^"]*"`).ReplaceAll(text, []byte(`"version":"v0.0.1"`))
	if err := os.WriteFile(file, other, 0o666); err != nil {
		t.Fatal(err)
	}
	refuse(t, exitUse, "holds results of version v0.0.1 on backend ", "study", "poolings", "--quick", "--out", dir)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}

	plain := filepath.Join(dir, "plain")
	if err := os.Rename(folder, plain); err != nil {
		t.Fatal(err)
	}
	refuse(t, exitUse, "is not a folder of milbench study", "study", "archive", plain, "--out", archives)
	refuse(t, exitUse, "leave the flag out", "plot", plain, "--figure", "auc", "--out", figure)
	succeed(t, "plot", plain, "--out", figure)
}
