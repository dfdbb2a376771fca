package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// A dry run says what is missing before, between and after runs, and writes nothing.
func TestDryRun(t *testing.T) {
	one, two := write(t, "one.csv", toy(false)), write(t, "two.csv", strings.ReplaceAll(toy(false), ".", ".1"))
	dir := filepath.Join(t.TempDir(), "out")
	args := func(more ...string) []string {
		return with(append([]string{"run", "--pooling", "mean", "--lr", "0.001,0.01", "--folds", "2", "--out", dir}, more...)...)
	}
	estimated := func(args []string) estimate {
		t.Helper()
		before, _ := os.ReadFile(filepath.Join(dir, results.FileName))
		out, stderr := succeed(t, append(slices.Clone(args), "--dry-run", "--json")...)
		var e estimate
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if strings.Contains(stderr, "fits done") || strings.Count(stderr, "backend ") < 1 {
			t.Error(stderr)
		}
		if after, _ := os.ReadFile(filepath.Join(dir, results.FileName)); !bytes.Equal(before, after) {
			t.Error("a dry run changed the results")
		}
		return e
	}

	e := estimated(args(one, two, "--repeats", "3"))
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a dry run made the folder (%v)", err)
	}
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
	for _, want := range []string{"SET ", "MISSING", "one    12    8 ", "total  24    20 ", " MB  about ", "within 8000 MB of memory", "nothing was trained or written"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}

	succeed(t, args(one, two, "--repeats", "3")...)
	e = estimated(args(one, two, "--repeats", "3"))
	if e.Total != (setPlan{Fits: 24}) {
		t.Errorf("after all fits: %+v", e)
	}
	if out, _ := succeed(t, args(one, two, "--repeats", "3", "--dry-run")...); !strings.Contains(out, "total  24    0\n") {
		t.Errorf("after all fits:\n%s", out)
	}
}

// A budget that is too small is refused for every set before anything is trained; that which the refusal names is enough.
func TestTooLittleMemory(t *testing.T) {
	one, two := write(t, "one.csv", toy(false)), write(t, "two.csv", strings.ReplaceAll(toy(false), ".", ".1"))
	dir := filepath.Join(t.TempDir(), "out")
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
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("the folder was made (%v)", err)
		}
	}
	o := milbenchOf(t.Context(), args("1MB")...)
	_, rest, _ := strings.Cut(o.err, "one: training needs ")
	needed, _, _ := strings.Cut(rest, " of memory")
	succeed(t, args(needed)...)
}

// planned is a learner with a plan or an error for each set.
type planned map[string]any

func (planned) Takes() learner.Takes { return learner.Takes{} }

func (planned) Learn(context.Context, cv.Task, func(learner.Outcome) error) error {
	return errors.New("nothing is to be learnt")
}

func (p planned) Plan(task cv.Task) (learner.Plan, error) {
	if err, bad := p[task.Name].(error); bad {
		return learner.Plan{}, err
	}
	return p[task.Name].(learner.Plan), nil
}

func TestPlan(t *testing.T) {
	set := func(name string) *mil.Set {
		s := &mil.Set{Name: name, Checksum: name}
		for i := range 8 {
			s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}}})
		}
		return s
	}
	asked := planned{}
	one := func(names ...string) run.Run {
		r := run.Run{Learner: asked, Protocol: cv.Protocol{Name: "honest", Folds: 2, Repeats: 2}, Settings: []json.RawMessage{[]byte(`{"pooling":"mean"}`)}, Dir: t.TempDir()}
		for _, name := range names {
			r.Sets = append(r.Sets, set(name))
		}
		return r
	}
	studies := []run.Run{one("a", "b"), one("c")}
	fits := learner.Plan{Fits: 4, Blocks: 2, Members: 3, Workers: 1, Memory: 300e6, Time: time.Minute, Note: "b: 1 of 2 cores, to keep within 400 MB of memory"}
	small := fits
	small.Note, small.Memory = "", 100e6

	var stderr bytes.Buffer
	p := &program{out: &sink{w: &bytes.Buffer{}}, err: &stderr}
	maps.Copy(asked, planned{"a": small, "b": fits, "c": small})
	plans, err := p.plan(studies)
	if err != nil {
		t.Fatal(err)
	}
	want := []setPlan{{"a", 4, 4, 2, 3, 100e6, 60}, {"b", 4, 4, 2, 3, 300e6, 60}, {"c", 4, 4, 2, 3, 100e6, 60}}
	if !slices.Equal(plans, want) {
		t.Errorf("%+v, want %+v", plans, want)
	}
	if got := stderr.String(); got != "milbench: note: "+fits.Note+"\n" {
		t.Errorf("notes %q", got)
	}
	if total := newEstimate("go", neural.Trainer{}, plans).Total; total != (setPlan{"", 12, 12, 6, 3, 300e6, 180}) {
		t.Errorf("total %+v", total)
	}

	maps.Copy(asked, planned{"a": errors.New("a: too large"), "b": small, "c": errors.New("c: too large, too")})
	_, err = p.plan(studies)
	if err == nil || err.Error() != "a: too large\nc: too large, too" {
		t.Errorf("%v", err)
	}
	if exitCode(context.Background(), err) != exitUse {
		t.Errorf("exit code %d", exitCode(context.Background(), err))
	}
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
		if err := f.Parse(flags); err != nil {
			t.Fatal(err)
		}
		studies, err := p.studies(g, []string{file})
		if err != nil {
			t.Fatal(err)
		}
		machine := p.fleet(1, 0)
		defer machine.Close()
		if _, err := p.equip(studies, machine, dir); err != nil {
			t.Fatal(err)
		}
		if err := p.noteTime(g, []string{file}, dir, studies, 601); err != nil {
			t.Fatal(err)
		}
		_, command, found := strings.Cut(said.String(), ": milbench run ")
		command, _, _ = strings.Cut(command, ";")
		if !found || !strings.Contains(said.String(), "about 10 min by the plan, most of it for ") {
			t.Fatal(said.String())
		}
		succeed(t, append(append([]string{"run"}, strings.Fields(command)...), "--dry-run")...)
	}
}
