package learner_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// TestSample: samples have the asked size, distinct bags in order, the shares of the classes to within a bag, ten bags of rare
// classes, and another seed draws others.
func TestSample(t *testing.T) {
	var targets []mil.Target
	for i := range 1000 {
		targets = append(targets, mil.Labelled(min(i%10, 2))) // 10, 10 and 80 %
	}
	for _, n := range []int{1, 30, 137, 1000, 2000} {
		chosen := learner.Sample(targets, 3, n, 5)
		if len(chosen) != min(n, 1000) || !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != len(chosen) {
			t.Fatalf("%d bags for %d, or not in order", len(chosen), n)
		}
		count := [3]int{}
		for _, i := range chosen {
			count[targets[i].Label]++
		}
		for c, share := range []float64{0.1, 0.1, 0.8} {
			if n == 1 {
				continue
			}
			if n == 30 {
				share = 1. / 3
			}
			if d := float64(count[c]) - share*float64(len(chosen)); d < -1 || d > 1 {
				t.Errorf("%d of %d bags are of class %d", count[c], len(chosen), c)
			}
		}
		if same := slices.Equal(chosen, learner.Sample(targets, 3, n, 6)); same != (n >= 1000) {
			t.Errorf("%d bags: that another seed draws the same is %v", n, same)
		}
		if real := learner.Sample(targets, 0, n, 5); len(real) != len(chosen) {
			t.Errorf("%d bags without classes", len(real))
		}
	}
}

// TestSampleRare: inner folds can be cut from a sample of a set with few bags of a class.
func TestSampleRare(t *testing.T) {
	var targets []mil.Target
	for i := range 5000 {
		label := 0
		if i%200 == 7 {
			label = 1
		}
		targets = append(targets, mil.Labelled(label))
	}
	task := cv.Task{Kind: mil.BinaryTarget, Classes: 2, Bags: make([]mil.Instances, len(targets))}
	var train []cv.Example
	for _, i := range learner.Sample(targets, 2, 100, 1) {
		train = append(train, cv.Example{Bag: i, Target: targets[i]})
	}
	if inner, err := cv.CutInner(task, train, 5, 1); err != nil || len(inner) != 10 {
		t.Errorf("%d inner folds, %v", len(inner), err)
	}
}

// counting is an estimator that says how many bags it learns from.
type counting struct {
	Power float64 `json:"power"`
	learn func(learner.Training)
}

func (c counting) Fit(_ context.Context, t learner.Training) (learner.Model, error) {
	c.learn(t)
	return nil, nil
}

func (c counting) Cost(bags []mil.Instances) learner.Cost {
	return learner.Cost{Seconds: float64(len(bags))}
}

// TestSampled: an estimator whose setting has a sample learns from it, and from all bags of a smaller part. Its setting is
// what was parsed, its cost that of the sample. Wrong samples are refused.
func TestSampled(t *testing.T) {
	var learnt learner.Training
	e := learner.Entry{Name: "counting", Default: func() learner.Estimator {
		return &counting{2, func(t learner.Training) { learnt = t }}
	}}
	setting := json.RawMessage(`{"learner":"counting","power":3,"sample":4}`)
	estimator, err := e.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := e.Setting(estimator); err != nil || string(again) != string(setting) {
		t.Errorf("setting %s, %v", again, err)
	}
	for _, n := range []int{3, 10} {
		part := learner.Training{Kind: mil.BinaryTarget, Classes: 2, Seed: 1}
		for i := range n {
			part.Bags = append(part.Bags, &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}})
			part.Targets = append(part.Targets, mil.Labelled(i%2))
		}
		part.Shared = learner.NewShared(part.Bags)
		if _, err := estimator.Fit(t.Context(), part); err != nil {
			t.Fatal(err)
		}
		if len(learnt.Bags) != min(n, 4) || len(learnt.Targets) != len(learnt.Bags) || learnt.Classes != 2 || learnt.Seed != 1 || (learnt.Shared == nil) != (n > 4) {
			t.Errorf("of %d bags: learnt from %+v", n, learnt)
		}
		for i, b := range learnt.Bags {
			if target := learnt.Targets[i].Label; int(b.(*mil.Dense).Values[0])%2 != target {
				t.Errorf("bag %d with target %d", i, target)
			}
		}
		if c, err := e.CostOf(setting, part.Bags); err != nil || c.Seconds != float64(min(n, 4)) {
			t.Errorf("cost %+v of %d bags, %v", c, n, err)
		}
	}
	for _, sample := range []string{"0", "-3", "2.5", `"many"`, "null"} {
		_, err := e.Parse(json.RawMessage(`{"learner":"counting","power":3,"sample":` + sample + `}`))
		if err == nil || !strings.Contains(err.Error(), "setting of counting: sample is "+sample+"; give a number of bags, 1 or more") {
			t.Errorf("sample %s: %v", sample, err)
		}
	}
}
