package learner_test

import (
	"context"
	"encoding/json"
	"errors"
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

// sums is an estimator of models whose score of a bag is the sum of its values, and of an instance its value.
type sums struct{}

func (sums) Fit(_ context.Context, t learner.Training) (learner.Model, error) {
	m := &sumModel{}
	if t.Shared != nil {
		m.Shared = len(t.Shared.Bags)
	}
	for _, b := range t.Bags {
		if t.Shared != nil {
			if _, found := t.Shared.Row(b); !found {
				return nil, errors.New("a bag that is not shared")
			}
		}
		m.Learnt = append(m.Learnt, b.Len())
	}
	return m, nil
}

func (sums) Shares() string { return "sums" }

func (sums) Cost(bags []mil.Instances) (c learner.Cost) {
	for _, b := range bags {
		c.Seconds += float64(b.Len())
	}
	return c
}

type sumModel struct {
	Learnt []int `json:"learnt"`
	Shared int   `json:"shared"`
}

func (*sumModel) Predict(bag mil.Instances) (p mil.Prediction, err error) {
	p.Scores = []float64{0}
	p.Winners = []int{bag.Len() - 1}
	err = mil.EachValue(bag, func(_, _ int, v float32) { p.Scores[0] += float64(v) })
	return p, err
}

func (*sumModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	values := make([]float64, bag.Len())
	return [][]float64{values}, mil.EachValue(bag, func(i, _ int, v float32) { values[i] += float64(v) })
}

// TestInstances: an estimator whose setting has a number of instances learns from so many of larger bags, evenly spaced, and so
// do the scores of its model, also of a decoded one. Each instance has a score.
func TestInstances(t *testing.T) {
	e := learner.Entry{Name: "sums", Default: func() learner.Estimator { return &sums{} }, Model: func() learner.Model { return new(sumModel) }}
	part := learner.Training{Kind: mil.BinaryTarget, Classes: 2}
	for _, n := range []int{1, 4, 5, 9, 100} {
		b := &mil.Dense{Rows: n, Cols: 1}
		s := &mil.Sparse{Cols: 1}
		for i := range n {
			b.Values = append(b.Values, float32(i))
			s.Append([]float32{float32(i)})
		}
		part.Bags = append(part.Bags, b, s)
		part.Targets = append(part.Targets, mil.Labelled(0), mil.Labelled(1))
	}
	part.Shared = learner.NewShared(part.Bags)
	part.Bags, part.Targets = part.Bags[2:], part.Targets[2:]
	setting := json.RawMessage(`{"learner":"sums","instances":4}`)
	estimator, err := e.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := e.Setting(estimator); err != nil || string(again) != string(setting) {
		t.Errorf("setting %s, %v", again, err)
	}
	if c, err := e.CostOf(setting, part.Bags); err != nil || c.Seconds != 32 {
		t.Errorf("cost %+v, %v", c, err)
	}
	m, err := estimator.Fit(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(m)
	if err != nil || string(text) != `{"learnt":[4,4,4,4,4,4,4,4],"shared":10}` {
		t.Errorf("model %s, %v", text, err)
	}
	decoded, err := e.ReadFitted(setting, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []learner.Model{m, decoded} {
		for i, b := range part.Bags {
			want := []float64{0 + 1 + 2 + 3, 0 + 1 + 2 + 3, 0 + 2 + 4 + 6, 0 + 25 + 50 + 75}[i/2]
			p, err := learner.Predict(m, b, true)
			last := []int{3, 3, 6, 75}[i/2] // of the evenly spaced ones
			if err != nil || p.Scores[0] != want || len(p.Instances) != b.Len() || p.Winners[0] != last {
				t.Errorf("bag %d: %+v, %v, want %v", i, p, err, want)
				continue
			}
			for k, v := range p.Instances {
				if v != float64(k) {
					t.Errorf("bag %d: instance %d has the score %v", i, k, v)
				}
			}
		}
	}
	for _, n := range []string{"0", "1.5", "[]"} {
		if _, err := e.Parse(json.RawMessage(`{"learner":"sums","instances":` + n + `}`)); err == nil || !strings.Contains(err.Error(), "instances is "+n+"; give a number of instances") {
			t.Errorf("instances %s: %v", n, err)
		}
	}
	task := cv.Task{Bags: part.Bags, Kind: mil.BinaryTarget, Classes: 2, Fits: []cv.Fit{{Setting: setting}}}
	if n := e.Instances(setting); n != 4 || (learner.Classical{Entries: []learner.Entry{e}}).Check(task) != nil {
		t.Errorf("%d instances", n)
	}
}
