package study

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"synpool/milbench"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// contentLearner scores bags by what trains the model and by their content, wherever they stand in the task.
type contentLearner struct{ trained, calls int }

func (*contentLearner) Takes() milbench.Takes {
	return milbench.Takes{Kinds: []milbench.TargetKind{milbench.BinaryTarget}, Dense: true, Sparse: true}
}

func (*contentLearner) Plan(milbench.Task) (milbench.Plan, error) { return milbench.Plan{}, nil }

func (l *contentLearner) Learn(_ context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	l.calls++
	content := make([]uint64, len(task.Bags))
	for i, b := range task.Bags {
		h := fnv.New64a()
		if err := milbench.EachRow(b, func(_ int, row []float32) { binary.Write(h, binary.LittleEndian, row) }); err != nil {
			return err
		}
		content[i] = h.Sum64()
	}
	for i, fit := range task.Fits {
		l.trained++
		model := fnv.New64a()
		fmt.Fprint(model, fit.Seed, string(fit.Setting))
		for _, e := range fit.Train {
			fmt.Fprint(model, content[e.Bag], e.Label)
		}
		o := milbench.Outcome{Fit: i, Wall: 6 * time.Millisecond}
		for epoch := 1; epoch <= 3; epoch++ {
			if !fit.EveryEpoch && epoch < 3 {
				continue
			}
			score := func(bags []int) (scores []milbench.Prediction) {
				for _, b := range bags {
					h := fnv.New64a()
					fmt.Fprint(h, model.Sum64(), epoch, content[b])
					scores = append(scores, milbench.Prediction{Scores: []float64{float64(h.Sum64() % 1000)}, Winners: []int{int(h.Sum64() % 7)}})
				}
				return scores
			}
			o.Epochs = append(o.Epochs, milbench.Epoch{Number: epoch, Loss: 1 / float64(epoch), Validation: score(fit.Validation), Test: score(fit.Test)})
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return nil
}

// TestRunsTogether does the runs of a form together and one by one: the results are the same, and fits that several of them ask for are trained
// once. The set with the leaked column has a feature more and is learnt by itself.
func TestRunsTogether(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	list := configs(`{"pooling":"mean"}`, `{"pooling":"max"}`)
	noise := func(part string) Change { return Change{Kind: "gaussian", Level: 10, Part: part} }
	four := func(name string) milbench.Protocol { return protocol(name, 4, 2) }
	form := Form{Arms: []Arm{
		{Sets: []string{"musk1"}, Protocol: four("honest"), Settings: list},                               // 16 fits
		{Sets: []string{"musk1"}, Protocol: four("best-epoch"), Settings: list},                           // the same
		{Sets: []string{"musk1"}, Protocol: four("published"), Settings: list},                            // the same, of the first fold
		{Sets: []string{"musk1"}, Protocol: four("nested"), Settings: list, Curves: true},                 // 16 others
		{Sets: []string{"musk1"}, Change: Change{Kind: Leaked}, Protocol: four("honest"), Settings: list}, // 16 others
		{Sets: []string{"musk1"}, Change: noise(OnTest), Protocol: four("honest"), Settings: list},        // trained without noise
		{Sets: []string{"musk1"}, Change: noise(OnTrain), Protocol: four("honest"), Settings: list},       // 16 others
		{Sets: []string{"musk1"}, Change: noise(OnBoth), Protocol: four("honest"), Settings: list},        // trained with noise
	}}
	const asked, different = 7*16 + 4, 4 * 16

	do := func(together bool) ([]results.Result, []results.Curve, *contentLearner) {
		t.Helper()
		l := &contentLearner{}
		runs, _, err := form.Runs(filepath.Join(t.TempDir(), "out"), l, 3)
		if err != nil {
			t.Fatal(err)
		}
		var sum run.Summary
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
		if want := (run.Summary{Total: asked, Done: asked}); sum != want {
			t.Errorf("together %v: %+v, want %+v", together, sum, want)
		}
		found, err := results.Read(runs[0].Dir)
		if err != nil {
			t.Fatal(err)
		}
		curves, err := results.ReadCurves(runs[0].Dir)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(found, func(a, b results.Result) int { return cmp.Compare(a.Fit, b.Fit) })
		slices.SortFunc(curves, func(a, b results.Curve) int { return cmp.Compare(a.Fit, b.Fit) })
		again, err := run.DoAll(context.Background(), runs)
		if want := (run.Summary{Total: asked, Skipped: asked}); err != nil || again != want {
			t.Errorf("again: %+v, %v", again, err)
		}
		return found, curves, l
	}
	together, curves, joint := do(true)
	alone, others, single := do(false)
	if joint.trained != different || joint.calls != 2 || single.trained != asked || single.calls != len(form.Arms) {
		t.Errorf("%d fits in %d calls together, %d in %d alone", joint.trained, joint.calls, single.trained, single.calls)
	}
	wall := 0.0
	for i := range together {
		wall += together[i].WallS
		together[i].WallS, alone[i].WallS = 0, 0
	}
	if want := different * 0.006; math.Abs(wall-want) > 1e-6 {
		t.Errorf("the fits took %g s together, want %g", wall, want)
	}
	if !reflect.DeepEqual(together, alone) {
		t.Error("results differ")
	}
	if len(curves) != 16 || !reflect.DeepEqual(curves, others) {
		t.Errorf("%d curves, %d alone, or they differ", len(curves), len(others))
	}
}
