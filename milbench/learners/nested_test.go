package learners_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/classic"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
	"synpool/milbench/stats"
)

// nested returns a run under the nested protocol with five inner folds.
func nested(dir string, of learner.Learner) run.Run {
	r := runtest.Run(dir, learners.Inner{Of: of})
	r.Sets = []*mil.Set{runtest.Set("first", 60)}
	r.Protocol = cv.Protocol{Name: cv.NestedProtocol, Folds: 10, Repeats: 2, Inner: 5}
	r.Settings = runtest.Settings(`{"pooling":"mean"}`, `{"pooling":"max"}`)
	return r
}

// must returns a value. An error ends the tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func do(t *testing.T, r run.Run) []results.Result {
	t.Helper()
	if _, err := r.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	return must(results.Read(r.Dir))
}

// insideAUC returns the mean AUC over those inner folds that hold both classes.
func insideAUC(t *testing.T, held []results.ScoredBag) float64 {
	t.Helper()
	parts := map[int][]results.ScoredBag{}
	for _, b := range held {
		parts[b.Part] = append(parts[b.Part], b)
	}
	sum, n := 0.0, 0
	for _, bags := range parts {
		labels, scores := results.LabelsScores(bags)
		if slices.Contains(labels, 0) && slices.Contains(labels, 1) {
			auc := must(stats.AUC(labels, scores))
			sum += auc
			n++
		}
	}
	return sum / float64(n)
}

// TestNestedRun checks that the chosen epoch has the largest mean AUC over inner folds, the first of equals, and that
// the table says how it was chosen.
func TestNestedRun(t *testing.T) {
	r := nested(t.TempDir(), &runtest.Learner{})
	found := do(t, r)
	if len(found) != 40 {
		t.Fatalf("%d results", len(found))
	}
	fits := must(r.Protocol.Fits(r.Sets[0], r.Settings, r.Seed))
	of := map[string]cv.Fit{}
	for _, f := range fits {
		of[fmt.Sprint(f.Repeat, f.Fold, string(f.Setting))] = f
	}
	epochs := map[int]int{}
	for _, res := range found {
		fit := of[fmt.Sprint(res.Repeat, res.Fold, string(res.Config))]
		if res.Inner != 5 || res.Optimistic || len(res.Validation) != len(fit.HeldOut()) {
			t.Fatalf("%+v", res)
		}
		at := 0
		for k, part := range fit.Inner {
			for _, b := range part {
				if got := res.Validation[at]; got.Part != k+1 || got.ID != r.Sets[0].Bags[b].ID || got.Winners != nil {
					t.Fatalf("held-out bag %d: %+v, want bag %d of fold %d", at, got, b, k+1)
				}
				at++
			}
		}
		// The learner of the task, asked for each epoch.
		var outcome learner.Outcome
		if err := r.Learner.Learn(t.Context(), cv.NewTask(r.Sets[0], []cv.Fit{fit}), func(o learner.Outcome) error { outcome = o; return nil }); err != nil {
			t.Fatal(err)
		}
		best, want := -1.0, 0
		for _, e := range outcome.Epochs {
			held := slices.Clone(res.Validation)
			for k := range held {
				held[k].Scores = e.Validation[k].Scores
			}
			if auc := insideAUC(t, held); auc > best {
				best, want = auc, e.Number
			}
		}
		if res.Epoch != want {
			t.Errorf("repeat %d, fold %d, %s: epoch %d, want %d", res.Repeat, res.Fold, res.Config, res.Epoch, want)
		}
		epochs[res.Epoch]++
		figures, err := res.ValidationFigures()
		if err != nil || math.Abs(figures.Figure-best) > 1e-12 {
			t.Errorf("inside AUC %v, want %v (%v)", figures.Figure, best, err)
		}
	}
	if len(epochs) < 2 {
		t.Errorf("epochs chosen: %v", epochs)
	}

	table := must(results.Tabulate(found))
	var text bytes.Buffer
	if err := table.Write(&text, "md"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "nested, 10 folds, 5 inside") {
		t.Errorf("%s", text.String())
	}
}

// TestInnerApart checks that fits with inner folds, fits with another number of them, and fits that hold back a fifth
// have different ids and rows in one folder.
func TestInnerApart(t *testing.T) {
	dir := t.TempDir()
	ids := map[string]bool{}
	for _, inner := range []int{0, 3, 5} {
		r := nested(dir, &runtest.Learner{})
		r.Protocol.Inner = inner
		r.Protocol.Repeats = 1
		sum, err := r.Do(t.Context())
		if err != nil || sum.Done != 20 || sum.Skipped != 0 {
			t.Fatalf("%+v, %v", sum, err)
		}
		if again, err := r.Do(t.Context()); err != nil || again.Skipped != 20 {
			t.Errorf("again: %+v, %v", again, err)
		}
	}
	found := must(results.Read(dir))
	for _, res := range found {
		ids[res.Fit] = true
	}
	if len(ids) != 60 {
		t.Errorf("%d ids of 60 fits", len(ids))
	}
	table := must(results.Tabulate(found))
	inner := map[int]int{}
	for _, row := range table.Rows {
		inner[row.Inner]++
	}
	if len(inner) != 3 || inner[0] != inner[5] || inner[0] != inner[3] {
		t.Errorf("rows by inner folds: %v", inner)
	}
	var text bytes.Buffer
	if err := table.Write(&text, "md"); err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"nested, 10 folds, a fifth inside", "nested, 10 folds, 3 inside", "nested, 10 folds, 5 inside"} {
		if !strings.Contains(text.String(), cell) {
			t.Errorf("no %q in\n%s", cell, text.String())
		}
	}
}

// TestInnerTogether checks that runs that differ only in inner folds are passed to the learner together, and that each
// gets its own outcomes.
func TestInnerTogether(t *testing.T) {
	set := runtest.Set("first", 60)
	start := func(dir string) (runs []run.Run) {
		for _, p := range []cv.Protocol{
			{Name: cv.HonestProtocol, Folds: 4, Repeats: 1}, {Name: cv.NestedProtocol, Folds: 4, Repeats: 1, Inner: 3},
			{Name: cv.NestedProtocol, Folds: 4, Repeats: 1, Inner: 4}, {Name: cv.NestedProtocol, Folds: 4, Repeats: 1},
		} {
			r := nested(dir, &runtest.Learner{})
			r.Sets, r.Protocol, r.Base = []*mil.Set{set}, p, "first"
			runs = append(runs, r)
		}
		return runs
	}
	together, alone := t.TempDir(), t.TempDir()
	if sum, err := run.DoAll(t.Context(), start(together)); err != nil || sum.Done != 32 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, r := range start(alone) {
		if _, err := r.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	read := func(dir string) map[string]results.Result {
		found := must(results.Read(dir))
		by := map[string]results.Result{}
		for _, r := range found {
			r.WallS = 0
			by[r.Fit] = r
		}
		return by
	}
	if a, b := read(together), read(alone); len(a) != 32 || !reflect.DeepEqual(a, b) {
		t.Errorf("%d results, and they differ from those of the runs one by one", len(a))
	}
}

// TestNestedChoosesSetting runs real learners under the nested protocol. The inner folds choose the setting that
// separates the classes.
func TestNestedChoosesSetting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &mil.Set{Name: "wide", Checksum: strings.Repeat("a", 64)}
	for i := range 50 { // classes differ in spread alone
		d := &mil.Dense{Rows: 8, Cols: 1}
		for range d.Rows {
			d.Values = append(d.Values, float32(rng.NormFloat64()*(1+2*float64(i%2))))
		}
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: d})
	}
	var settings []json.RawMessage
	for _, statistics := range []classic.Statistics{"mean", "sd"} {
		setting := must(classic.StatisticsSVMEntry().Setting(&classic.StatisticsSVM{Statistics: statistics, Gamma: 1, SVM: classic.SVM{C: 3, Balanced: true}}))
		settings = append(settings, setting)
	}
	found := do(t, run.Run{
		Sets: []*mil.Set{s}, Protocol: cv.Protocol{Name: cv.NestedProtocol, Folds: 5, Repeats: 1, Inner: 4}, Settings: settings,
		Seed: 1, Learner: learners.All(&runtest.Learner{}, learners.Resources{Workers: 2}), Dir: t.TempDir(), Backend: "go", Version: "v0", Revision: "0",
	})
	table, err := results.Tabulate(found)
	if err != nil || len(table.Rows) != 1 {
		t.Fatalf("%+v, %v", table, err)
	}
	row := table.Rows[0]
	if len(row.Values) != 1 || row.Values[0] < 0.85 || len(row.Chosen) != 1 || !strings.Contains(string(row.Chosen[0].Config), `"statistics":"sd"`) {
		t.Errorf("AUCs %v, chosen %+v", row.Values, row.Chosen)
	}
}
