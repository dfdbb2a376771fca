package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"synpool/milbench/results"
	"synpool/paper"
)

func TestStudyList(t *testing.T) {
	text, _ := succeed(t, "study", "list")
	list := decoded[[]listedStudy](t, "study", "list", "--json")
	if len(list) != len(paper.Experiments) {
		t.Errorf("%d of %d experiments", len(list), len(paper.Experiments))
	}
	for _, e := range list {
		if !strings.Contains(text, e.Name+": "+e.Question) || len(e.Full.Sets) < len(e.Quick.Sets) || !(e.Quick.Seconds > 0 && e.Quick.Seconds < e.Full.Seconds) {
			t.Errorf("%+v", e)
		}
	}
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
	for _, more := range []int{4, 1} { // first the instance classifier's, which come first
		before := count()
		stopWhen(t, func() bool { return count() >= before+more }, syscall.SIGINT, 130, "study", "poolings", "--quick", "--out", dir)
	}
	if count() < 5 {
		t.Errorf("%d results are kept", count())
	}

	succeed(t, "table", folder)
	figure := filepath.Join(dir, "auc.svg")
	draws := func(args ...string) {
		t.Helper()
		succeed(t, append([]string{"plot", "--out", figure}, args...)...)
		has(t, contents(t, figure), "<svg")
	}
	draws(folder)
	refuse(t, exitUse, `has no figure "sweep"; use one of auc, ranks`, "plot", folder, "--figure", "sweep", "--out", figure)
	archives := newFolder(t)
	kept := func() (archive string, times []results.Time) {
		times, err := results.ReadTimes(filepath.Join(archives, "times", "poolings.jsonl"))
		if err != nil || len(times) < 2 || times[0].Seconds <= 0 {
			t.Errorf("times %+v, %v", times, err)
		}
		return contents(t, archives, "poolings.json.gz"), times
	}
	succeed(t, "study", "archive", folder, "--out", archives)
	archive, times := kept()
	succeed(t, "study", "archive", folder, "--add", "--out", archives) // the same set
	if again, after := kept(); again != archive || !slices.Equal(after, times) {
		t.Errorf("added to itself an archive has other results or times %+v, had %+v", after, times)
	}
	draws(filepath.Join(archives, "poolings.json.gz"), "--figure", "auc")
	for _, other := range []string{"plan.json", "poolings-old.json"} { // what else lies there is not looked at
		put(t, filepath.Join(archives, other), `{"kind":"another"}`)
		succeed(t, "study", "archive", folder, "--out", archives)
		must(t, os.Remove(filepath.Join(archives, other)))
	}
	full := t.TempDir() // an archive of the full form
	text := contents(t, "../../paper/results/poolings.json.gz")
	put(t, filepath.Join(full, "poolings.json.gz"), text)
	refuse(t, exitUse, "has 3402 fits that would be lost; use --add to keep those on other sets", "study", "archive", folder, "--out", full)
	refuse(t, exitUse, "--add: an archive cannot hold both the full and the quick form of poolings", "study", "archive", folder, "--add", "--out", full)
	refuse(t, exitUse, "has no archive of poolings; leave the flag out", "study", "archive", folder, "--add", "--out", t.TempDir())
	if contents(t, full, "poolings.json.gz") != text {
		t.Error("the archive of the full form was replaced")
	}
	report, _ := succeed(t, "study", "report", archives, "--tables")
	has(t, report, "| musk1 |", "Not run yet: `milbench study noise", "`milbench study poolings --quick --out results`: Musk 1, 5 folds")

	written := t.TempDir()
	succeed(t, "study", "report", archives, "--out", written)
	page, _ := succeed(t, "study", "report", archives)
	for name, want := range map[string]string{"RESULTS.md": page, "docs/tables.md": report} {
		if got := contents(t, written, name); got != want || want == "" {
			t.Errorf("%s is not what is printed", name)
		}
	}
	refuse(t, exitUse, "none of the others can be", "study", "report", archives, "--out", written, "--tables")
	prints(t, "| poolings |", "study", "report", archives, "--times")
	file := filepath.Join(folder, results.FileName)
	text = contents(t, file)
	put(t, file, regexp.MustCompile(`"version":"[^"]*"`).ReplaceAllString(text, `"version":"v0.0.1"`))
	refuse(t, exitUse, "holds results of version v0.0.1 on backend ", "study", "poolings", "--quick", "--out", dir)
	put(t, file, text)

	plain := filepath.Join(dir, "plain")
	must(t, os.Rename(folder, plain))
	refuse(t, exitUse, "is not a folder of milbench study", "study", "archive", plain, "--out", archives)
	refuse(t, exitUse, "leave the flag out", "plot", plain, "--figure", "auc", "--out", figure)
	draws(plain)
}
