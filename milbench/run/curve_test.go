package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
	"synpool/milbench/stats"
)

// readFile returns the bytes of a file of a results folder.
func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return b
}

// contents returns the lines of a results folder by fit, without their wall times.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found, err := results.Read(dir)
	must(t, err)
	lines := make(map[string]string)
	for _, r := range found {
		r.WallS = 0
		b, err := json.Marshal(r)
		must(t, err)
		lines[r.Fit] = string(b)
	}
	return lines
}

// put returns a new folder with the given file of results.
func put(t *testing.T, content []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, results.FileName), content, 0o666))
	return dir
}

// requireCurves requires one curve per result in the folder of a finished run.
func requireCurves(t *testing.T, dir string) {
	t.Helper()
	var with, without []string
	for line := range bytes.Lines(readFile(t, dir, results.CurvesName)) {
		var c results.Curve
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		with = append(with, c.Fit)
	}
	for fit := range contents(t, dir) {
		without = append(without, fit)
	}
	slices.Sort(with)
	slices.Sort(without)
	if !slices.Equal(with, without) {
		t.Errorf("%d curves, not one of each of %d results", len(with), len(without))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// withCurves runs r with curves and returns the curves by fit.
func withCurves(t *testing.T, r run.Run) map[string]results.Curve {
	t.Helper()
	r.Curves = true
	finish(t, r)
	requireCurves(t, r.Dir)
	list, err := results.ReadCurves(r.Dir)
	must(t, err)
	curves := make(map[string]results.Curve)
	for _, c := range list {
		curves[c.Fit] = c
	}
	return curves
}

// TestCurves compares the curves of each protocol with what the learner returned, and the results with those of a run
// without curves.
func TestCurves(t *testing.T) {
	for _, p := range []cv.Protocol{{Name: "honest", Folds: 3, Repeats: 2}, {Name: "nested", Folds: 3, Repeats: 2}, {Name: "published", Folds: 4, Repeats: 3}, {Name: "best-epoch", Folds: 3, Repeats: 2}} {
		t.Run(p.Name, func(t *testing.T) {
			r := runtest.Run(t.TempDir(), &runtest.Learner{})
			r.Sets, r.Protocol = r.Sets[:1], p
			finish(t, r)
			want := contents(t, r.Dir)
			if _, err := os.Stat(filepath.Join(r.Dir, results.CurvesName)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("curves without being asked for them (%v)", err)
			}

			fits, err := p.Fits(r.Sets[0], r.Settings, r.Seed)
			must(t, err)
			key := func(repeat, fold int, config json.RawMessage) string {
				c, err := cv.CanonicalSetting(config)
				must(t, err)
				return fmt.Sprint(repeat, fold, string(c))
			}
			outcomes := make(map[string]learner.Outcome)
			r.Dir = t.TempDir()
			r.Learner = &runtest.Learner{Spoil: func(o *learner.Outcome) bool {
				fit := fits[o.Fit]
				outcomes[key(fit.Repeat, fit.Fold, fit.Setting)] = *o
				return true
			}}
			curves := withCurves(t, r)
			if got := contents(t, r.Dir); !maps.Equal(got, want) {
				t.Errorf("the results differ from those without curves:\n%v\nwant\n%v", got, want)
			}
			for _, c := range curves {
				o := outcomes[key(c.Repeat, c.Fold, c.Config)]
				fit := fits[o.Fit]
				var loss, auc []float64
				for _, e := range o.Epochs {
					loss = append(loss, runtest.Loss(fit, e.Number))
					if p.Name != "nested" {
						continue
					}
					var labels []int
					var scores []float64
					for i, b := range fit.Validation {
						labels, scores = append(labels, r.Sets[0].Bags[b].Label), append(scores, e.Validation[i].Scores[0])
					}
					one, err := stats.AUC(labels, scores)
					must(t, err)
					auc = append(auc, one)
				}
				changed, err := json.Marshal(c.WinnersChanged)
				if c.Set != "first" || len(c.Loss) != runtest.Epochs || !slices.Equal(c.Loss, loss) || !slices.Equal(c.Validation, auc) ||
					string(changed) != "[null,0,0.5,0]" || err != nil {
					t.Errorf("%+v, winners %s; want loss %v, AUC %v", c, changed, loss, auc)
				}
			}

			keys := []string{"config", "fit", "fold", "loss", "repeat", "set", "winners_changed"}
			if p.Name == "nested" {
				keys = slices.Insert(keys, 6, "validation")
			}
			for line := range bytes.Lines(readFile(t, r.Dir, results.CurvesName)) {
				var c map[string]any
				if err := json.Unmarshal(line, &c); err != nil || !slices.Equal(slices.Sorted(maps.Keys(c)), keys) {
					t.Errorf("%v: the keys of %s, want %v", err, line, keys)
				}
			}
		})
	}
}

// TestCurvesBlind flips the label of every test bag: no curve changes.
func TestCurvesBlind(t *testing.T) {
	r := runtest.Run(t.TempDir(), &runtest.Learner{})
	r.Sets = r.Sets[:1]
	for i := range r.Sets[0].Bags {
		if i%4 == 0 {
			r.Sets[0].Bags[i].Split = mil.TestPart
		} else {
			r.Sets[0].Bags[i].Split = mil.TrainPart
		}
	}
	want := withCurves(t, r)
	r.Dir = t.TempDir()
	finish(t, r)
	before := readFile(t, r.Dir, results.FileName)
	for i := range r.Sets[0].Bags {
		if b := &r.Sets[0].Bags[i]; b.Split == mil.TestPart {
			b.Label = 1 - b.Label
		}
	}
	r.Dir = t.TempDir()
	if got := withCurves(t, r); !reflect.DeepEqual(got, want) {
		t.Error("the labels of the test part change the curves")
	}
	if bytes.Equal(readFile(t, r.Dir, results.FileName), before) {
		t.Error("the labels of the test part were not changed")
	}
}

// finish runs r to its end and returns the results in its folder.
func finish(t *testing.T, r run.Run) []results.Result {
	t.Helper()
	_, err := r.Do(context.Background())
	must(t, err)
	found, err := results.Read(r.Dir)
	must(t, err)
	return found
}

// undisturbed returns the contents of the folder of a run with nothing in its way.
func undisturbed(t *testing.T) map[string]string {
	t.Helper()
	r := runtest.Run(t.TempDir(), &runtest.Learner{})
	finish(t, r)
	return contents(t, r.Dir)
}

// TestCurvesNoWinners has no winners for all bags, and for some.
func TestCurvesNoWinners(t *testing.T) {
	for _, c := range []struct {
		keep func(i int) bool
		want string
	}{
		{func(int) bool { return false }, "[null,null,null,null]"},
		{func(i int) bool { return i == 0 }, "[null,0,0.5,0]"},
	} {
		r := runtest.Run(t.TempDir(), &runtest.Learner{Spoil: func(o *learner.Outcome) bool {
			for _, e := range o.Epochs {
				for i := range e.Test {
					if !c.keep(i) {
						e.Test[i].Winners = nil
					}
				}
			}
			return true
		}})
		for _, curve := range withCurves(t, r) {
			if changed, err := json.Marshal(curve.WinnersChanged); string(changed) != c.want || err != nil {
				t.Errorf("%s, want %s (%v)", changed, c.want, err)
			}
		}
	}
}

// TestCurveless asks for curves in the middle of a study.
func TestCurveless(t *testing.T) {
	r := runtest.Run(t.TempDir(), &exhausted{})
	if _, err := r.Do(context.Background()); !errors.Is(err, errExhausted) {
		t.Fatal(err)
	}
	r.Learner, r.Curves = &runtest.Learner{}, true
	done := 5 + runtest.Fits/2
	sum, err := r.Do(context.Background())
	if want := (run.Summary{Total: runtest.Fits, Skipped: done, Done: runtest.Fits - done, Curveless: done}); sum != want || err != nil {
		t.Errorf("%+v, %v; want %+v", sum, err, want)
	}
	sum, err = r.Do(context.Background())
	if want := (run.Summary{Total: runtest.Fits, Skipped: runtest.Fits, Curveless: done}); sum != want || err != nil {
		t.Errorf("%+v, %v; want %+v", sum, err, want)
	}
	if curves, err := results.ReadCurves(r.Dir); len(curves) != runtest.Fits-done || err != nil {
		t.Errorf("%d curves, %v", len(curves), err)
	}
}

// TestCurveFails: if the learner's output makes no valid curve, that fit fails and the others continue.
func TestCurveFails(t *testing.T) {
	r := runtest.Run(t.TempDir(), &runtest.Learner{Spoil: func(o *learner.Outcome) bool {
		switch o.Fit {
		case 0:
			o.Epochs[1].Loss = math.NaN()
		case 1:
			o.Epochs = o.Epochs[runtest.Epochs-1:]
		}
		return true
	}})
	r.Sets, r.Curves = r.Sets[:1], true
	sum, err := r.Do(context.Background())
	if sum.Failed != 2 || sum.Done != sum.Total-2 || err == nil || !strings.Contains(err.Error(), "epoch 2: a loss or figure of NaN") ||
		!strings.Contains(err.Error(), "epoch 4 where epoch 1 comes") {
		t.Errorf("%+v, %v", sum, err)
	}
	requireCurves(t, r.Dir)
}
