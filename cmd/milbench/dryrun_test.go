package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"synpool/milbench/results"
)

// A dry run says what is missing before, between and after runs, and writes nothing.
func TestDryRun(t *testing.T) {
	one, two := write(t, "one.csv", toy(false)), write(t, "two.csv", strings.ReplaceAll(toy(false), ".", ".1"))
	dir := newFolder(t)
	args := func(more ...string) []string {
		return with(append([]string{"run", "--pooling", "mean", "--lr", "0.001,0.01", "--folds", "2", "--out", dir}, more...)...)
	}
	estimated := func(args []string) estimate {
		t.Helper()
		before, _ := os.ReadFile(filepath.Join(dir, results.FileName))
		e := decoded[estimate](t, append(slices.Clone(args), "--dry-run", "--json")...)
		if after, _ := os.ReadFile(filepath.Join(dir, results.FileName)); !bytes.Equal(before, after) {
			t.Error("a dry run changed the results")
		}
		return e
	}

	e := estimated(args(one, two, "--repeats", "3"))
	absent(t, dir)
	if len(e.Sets) != 2 || e.Sets[0].Set != "one" || e.Sets[0].Fits != 12 || e.Sets[0].Missing != 12 || e.Total.Fits != 24 || e.Total.Missing != 24 {
		t.Errorf("%+v", e)
	}
	sum := e.Sets[0].Seconds + e.Sets[1].Seconds
	if e.Cores < 1 || e.Total.Blocks != e.Sets[0].Blocks+e.Sets[1].Blocks || e.Total.Seconds != sum || sum <= 0 || e.Sets[0].Members < 1 ||
		e.Total.Memory != max(e.Sets[0].Memory, e.Sets[1].Memory) || e.Total.Memory == 0 {
		t.Errorf("%+v", e)
	}

	succeed(t, args(one, "--repeats", "1")...)
	e = estimated(args(one, two, "--repeats", "3"))
	if e.Sets[0].Fits != 12 || e.Sets[0].Missing != 8 || e.Sets[1].Missing != 12 || e.Total.Missing != 20 {
		t.Errorf("after some fits of one set: %+v", e)
	}
	out, _ := succeed(t, args(one, two, "--repeats", "3", "--dry-run", "--memory", "8GB")...)
	has(t, out, "SET ", "MISSING", "one    12    8 ", "total  24    20 ", " MB  about ", "within 8000 MB of memory", "nothing was trained or written")

	succeed(t, args(one, two, "--repeats", "3")...)
	e = estimated(args(one, two, "--repeats", "3"))
	if e.Total != (setPlan{Fits: 24}) {
		t.Errorf("after all fits: %+v", e)
	}
	prints(t, "total  24    0\n", args(one, two, "--repeats", "3", "--dry-run")...)
}

// A budget that is too small is refused for every set before anything is trained; that which the refusal names is enough.
func TestTooLittleMemory(t *testing.T) {
	one, two := write(t, "one.csv", toy(false)), write(t, "two.csv", strings.ReplaceAll(toy(false), ".", ".1"))
	dir := newFolder(t)
	args := func(memory string, more ...string) []string {
		return with(append([]string{"run", one, two, "--pooling", "mean", "--folds", "2", "--repeats", "1", "--out", dir, "--memory", memory}, more...)...)
	}
	for _, more := range [][]string{nil, {"--dry-run"}} {
		o := milbenchOf(t.Context(), args("1MB", more...)...)
		o.err = columnNotes.ReplaceAllString(o.err, "")
		if o.code != exitUse || o.out != "" || strings.Count(o.err, "milbench: ") != 2 || strings.Count(o.err, "raise --memory") != 2 ||
			!strings.Contains(o.err, "milbench: one: training needs ") || !strings.Contains(o.err, "milbench: two: training needs ") {
			t.Errorf("exit code %d\n%s%s", o.code, o.out, o.err)
		}
		absent(t, dir)
	}
	o := milbenchOf(t.Context(), args("1MB")...)
	_, rest, _ := strings.Cut(o.err, "one: training needs ")
	needed, _, _ := strings.Cut(rest, " of memory")
	succeed(t, args(needed)...)
}

// TestShorterCommand: a long run names the learners that take most, and a complete command that takes less and runs.
func TestShorterCommand(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), t.TempDir()
	for _, flags := range [][]string{
		{"--learner", "statistics-svm,mind,miles", "--folds", "3", "--repeats", "9", "--bag", "bag"},
		{"--pooling", "mean,syn", "--iterations", "3", "--epochs", "1", "--learner", "miles", "--folds", "3"},
		{"--preset", "released", "--folds", "3"},
		nil,
	} {
		var said strings.Builder
		p, g := &program{err: &said}, &gridFlags{}
		f := pflag.NewFlagSet("run", pflag.ContinueOnError)
		g.addTo(f)
		must(t, f.Parse(flags))
		studies, err := p.studies(g, []string{file})
		must(t, err)
		machine := p.fleet(1, 0)
		defer machine.Close()
		if _, err := p.equip(studies, machine, dir); err != nil {
			t.Fatal(err)
		}
		must(t, p.noteTime(g, []string{file}, dir, studies, 601))
		_, command, found := strings.Cut(said.String(), ": milbench run ")
		command, _, _ = strings.Cut(command, ";")
		if !found || !strings.Contains(said.String(), "about 10 min by the plan, most of it for ") {
			t.Fatal(said.String())
		}
		succeed(t, append(append([]string{"run"}, strings.Fields(command)...), "--dry-run")...)
	}
}
