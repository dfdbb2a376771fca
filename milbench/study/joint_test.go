package study

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"synpool/milbench"
)

// contentLearner scores bags by what trains the model and by their content, wherever they stand in the task.
type contentLearner struct{ trained, calls int }

func (l *contentLearner) Learn(_ context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	l.calls++
	for i, fit := range task.Fits {
		l.trained++
		model := fnv.New64a()
		fmt.Fprint(model, fit.Seed, string(fit.Setting))
		for _, e := range fit.Train {
			fmt.Fprint(model, task.Bags[e.Bag].Values, e.Label)
		}
		o := milbench.Outcome{Fit: i, Wall: 6 * time.Millisecond}
		for epoch := 1; epoch <= 3; epoch++ {
			if !fit.EveryEpoch && epoch < 3 {
				continue
			}
			score := func(bags []int) (scores []milbench.BagScore) {
				for _, b := range bags {
					h := fnv.New64a()
					fmt.Fprint(h, model.Sum64(), epoch, task.Bags[b].Values)
					scores = append(scores, milbench.BagScore{Score: float64(h.Sum64() % 1000), Winners: []int{int(h.Sum64() % 7)}})
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

// TestDoAll does runs together and one by one: the results are the same, and fits that several of them ask for are trained
// once. The set with the leaked column has a feature more and is learnt by itself.
func TestDoAll(t *testing.T) {
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

	do := func(together bool) ([]Result, []Curve, *contentLearner) {
		t.Helper()
		l := &contentLearner{}
		runs, _, err := form.Runs(filepath.Join(t.TempDir(), "out"), l, 3)
		if err != nil {
			t.Fatal(err)
		}
		var sum Summary
		if together {
			if sum, err = DoAll(context.Background(), runs); err != nil {
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
		if want := (Summary{Total: asked, Done: asked}); sum != want {
			t.Errorf("together %v: %+v, want %+v", together, sum, want)
		}
		results, err := Read(runs[0].Dir)
		if err != nil {
			t.Fatal(err)
		}
		curves, err := ReadCurves(runs[0].Dir)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(results, func(a, b Result) int { return cmp.Compare(a.Fit, b.Fit) })
		slices.SortFunc(curves, func(a, b Curve) int { return cmp.Compare(a.Fit, b.Fit) })
		again, err := DoAll(context.Background(), runs)
		if want := (Summary{Total: asked, Skipped: asked}); err != nil || again != want {
			t.Errorf("again: %+v, %v", again, err)
		}
		return results, curves, l
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
	if fmt.Sprint(together) != fmt.Sprint(alone) {
		t.Error("results differ")
	}
	if len(curves) != 16 || fmt.Sprint(len(curves), curves[0].Loss, curves[0].ValidationAUC) != fmt.Sprint(len(others), others[0].Loss, others[0].ValidationAUC) {
		t.Errorf("%d curves, %d alone", len(curves), len(others))
	}
}

// TestDoAllErrors: no runs, two folders, and a task that cannot be changed.
func TestDoAllErrors(t *testing.T) {
	a, b := fakeRun(t.TempDir(), &fakeLearner{}), fakeRun(t.TempDir(), &fakeLearner{})
	broken := fakeRun(t.TempDir(), &fakeLearner{})
	broken.Task = func(milbench.Task) (milbench.Task, error) { return milbench.Task{}, fmt.Errorf("a bag is missing") }
	for want, runs := range map[string][]Run{"no runs": nil, "one folder": {a, b}, "first: a bag is missing": {broken}} {
		if _, err := DoAll(context.Background(), runs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// weighing is a learner whose instances weigh what they hold.
type weighing struct{ asked bool }

func (l *weighing) Learn(_ context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	for i, fit := range task.Fits {
		l.asked = l.asked || fit.Weights
		var test []milbench.BagScore
		for _, b := range fit.Test {
			test = append(test, milbench.BagScore{Score: float64(b), Weights: task.Bags[b].Values})
		}
		if err := done(milbench.Outcome{Fit: i, Epochs: []milbench.Epoch{{Number: 1, Test: test}}}); err != nil {
			return err
		}
	}
	return nil
}

// TestInstanceAUC follows the AUC of instances from the labels of a set to the table and the archive, and asks for no weights
// where instance labels are those of the bags.
func TestInstanceAUC(t *testing.T) {
	set := fakeSet("witnesses", 30)
	for i := range set.Bags {
		// 3 of the 4 pairs of a witness and another instance are in order.
		set.Bags[i].Instances = milbench.Matrix{Rows: 4, Cols: 1, Values: []float64{1, 2, 3, 4}}
		labels := []float64{0, 1, 0, 1}
		if set.Bags[i].Label == 0 {
			labels = make([]float64, 4)
		}
		set.InstanceLabels = append(set.InstanceLabels, labels)
	}
	run := func(l milbench.Learner) Run {
		r := fakeRun(t.TempDir(), l)
		r.Sets, r.Settings = []*milbench.Set{set}, configs(`{"pooling":"mean"}`)
		return r
	}
	r := run(&weighing{})
	if _, err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	results, err := Read(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (Archive{Experiment: "witness", Results: results}).Write(&b); err != nil {
		t.Fatal(err)
	}
	archive, err := ReadArchive(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]Result{results, archive.Results} {
		for _, r := range list {
			if r.InstanceAUC == nil || *r.InstanceAUC != 0.75 {
				t.Fatalf("AUC of instances %v, want 0.75", r.InstanceAUC)
			}
		}
	}
	table, err := Tabulate(results)
	if err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"md": " 0.750 | honest", "tex": "& 0.750 &", "csv": ",0.750000,", "json": `"instance_auc": 0.75`} {
		b.Reset()
		if err := table.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, want %s in\n%s", format, err, want, b.String())
		}
	}
	for i := range set.InstanceLabels {
		for k := range set.InstanceLabels[i] {
			set.InstanceLabels[i][k] = float64(set.Bags[i].Label)
		}
	}
	l := &weighing{}
	if _, err := run(l).Do(context.Background()); err != nil || l.asked {
		t.Errorf("weights asked for: %v, %v", l.asked, err)
	}
}
