package runtest

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"synpool/milbench/learner"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// Sharing counts what runs share.
type Sharing struct {
	Requested int // fits requested by all runs
	Different int // different fits among them
	Curves    int // in all runs
	Calls     int // calls of the learner in a combined run
}

// RequireTogether checks that combined runs give the same results and curves as separate ones, and that fits requested
// by several runs are trained once. start returns the runs for a folder and a learner.
func RequireTogether(t *testing.T, start func(dir string, l learner.Learner) []run.Run, want Sharing) {
	t.Helper()
	do := func(together bool) (found []results.Result, curves []results.Curve, l *ByContent, calls int) {
		t.Helper()
		l = &ByContent{}
		dir := filepath.Join(t.TempDir(), "out")
		runs := start(dir, l)
		var sum run.Summary
		var err error
		if together {
			if sum, err = run.DoAll(context.Background(), runs); err != nil {
				t.Fatal(err)
			}
		} else {
			for _, r := range runs {
				one, err := r.Do(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				sum.Total, sum.Done = sum.Total+one.Total, sum.Done+one.Done
			}
		}
		if want := (run.Summary{Total: want.Requested, Done: want.Requested}); sum != want {
			t.Errorf("together %v: %+v, want %+v", together, sum, want)
		}
		if found, err = results.Read(dir); err != nil {
			t.Fatal(err)
		}
		if curves, err = results.ReadCurves(dir); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(found, func(a, b results.Result) int { return cmp.Compare(a.Fit, b.Fit) })
		slices.SortFunc(curves, func(a, b results.Curve) int { return cmp.Compare(a.Fit, b.Fit) })
		again, err := run.DoAll(context.Background(), runs)
		if want := (run.Summary{Total: want.Requested, Skipped: want.Requested}); err != nil || again != want {
			t.Errorf("again: %+v, %v", again, err)
		}
		return found, curves, l, len(runs)
	}
	together, curves, joint, _ := do(true)
	alone, others, single, runs := do(false)
	if joint.Trained != want.Different || joint.Calls != want.Calls || single.Trained != want.Requested || single.Calls != runs {
		t.Errorf("%d fits in %d calls together, %d in %d alone", joint.Trained, joint.Calls, single.Trained, single.Calls)
	}
	wall := 0.0
	for i := range together {
		wall += together[i].WallS
		together[i].WallS, alone[i].WallS = 0, 0
	}
	if want := float64(want.Different) * fitTime.Seconds(); math.Abs(wall-want) > 1e-6 {
		t.Errorf("the fits took %g s together, want %g", wall, want)
	}
	if !reflect.DeepEqual(together, alone) {
		t.Error("results differ")
	}
	if len(curves) != want.Curves || !reflect.DeepEqual(curves, others) {
		t.Errorf("%d curves, %d alone, or they differ", len(curves), len(others))
	}
}
