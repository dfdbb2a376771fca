package extending_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/learners/onebyone"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// nearest gives a bag the label of the training bag whose mean is nearest.
type nearest struct{ learnt learner.Training }

func (nearest) Fit(_ context.Context, t learner.Training) (learner.Model, error) {
	return nearest{t}, nil
}

func (n nearest) Predict(bag mil.Instances) (mil.Prediction, error) {
	own, err := mil.MomentsOf(bag)
	label, least := 0, math.Inf(1)
	for i, other := range n.learnt.Bags {
		m, failed := mil.MomentsOf(other)
		if away := floats.Distance(own.Mean, m.Mean, 2); away < least {
			label, least = n.learnt.Targets[i].Label, away
		}
		err = errors.Join(err, failed)
	}
	return mil.Scored(float64(label)), err
}

// entry puts it on the list of learners.
var entry = onebyone.Entry{Name: "nearest", Summary: "the label of the nearest training bag, by distance of means", Default: func() learner.Estimator { return &nearest{} }}

// settings are those of the learner and of softmax pooling, two of each where there is something to choose.
func settings(t *testing.T) []json.RawMessage {
	t.Helper()
	all, err := entry.Settings()
	if err != nil {
		t.Fatal(err)
	}
	configs, err := neural.Grid{Pooling: []string{"softmax"}, Width: []int{8, 16}, Embed: []int{4}, Heads: []int{1}, Epochs: []int{3}, LR: []float64{0.01}}.Configs()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range configs {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// TestLearner runs it under the nested protocol beside networks, in one go and in shards that are merged: the results are the
// same, and a table has both.
func TestLearner(t *testing.T) {
	musk, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	networks := neural.Trainer{Backend: gobackend.GetBackend(), Workers: 2}
	all := run.Run{
		Sets: []*mil.Set{musk}, Protocol: cv.Protocol{Name: cv.NestedProtocol, Folds: 3, Repeats: 1}, Settings: settings(t), Seed: 1,
		Learner: learners.All(networks, learners.Resources{Workers: 2}, entry), Dir: filepath.Join(t.TempDir(), "whole"), Backend: "go", Version: "v0.0.0",
	}
	if sum, err := all.Do(t.Context()); err != nil || sum.Done != 9 {
		t.Fatalf("%+v, %v", sum, err)
	}

	dir := t.TempDir()
	for shard := range 2 {
		part := all
		part.Dir, part.Shard = results.AttemptDir(dir, shard, 2), run.Shard{Index: shard, Count: 2}
		if sum, err := part.Do(t.Context()); err != nil || sum.Done == 0 {
			t.Fatalf("shard %d: %+v, %v", shard, sum, err)
		}
	}
	merged, err := results.Merge(t.Context(), []string{dir}, dir)
	if err != nil || merged.Results != 9 {
		t.Fatalf("%+v, %v", merged, err)
	}

	for _, folder := range []string{all.Dir, dir} {
		found, err := results.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		table, err := results.Tabulate(found)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range table.Rows {
			names = append(names, row.Setting)
			if row.Setting == "nearest" && row.Mean < 0.6 { // it tells most musks from others
				t.Errorf("AUC %v", row.Mean)
			}
		}
		if !slices.Equal(names, []string{"nearest", "softmax (chosen inside)"}) {
			t.Errorf("rows %q", names)
		}
	}
	same := func(folder string) map[string][]results.ScoredBag {
		found, err := results.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		scores := map[string][]results.ScoredBag{}
		for _, r := range found {
			scores[r.Fit] = r.Bags
		}
		return scores
	}
	if a, b := same(all.Dir), same(dir); !equal(a, b) {
		t.Error("shards have other scores than the whole run")
	}
}

// above scores a bag by the mean of its first feature, less that of the training bags. Its JSON is its model.
type above struct{ Mean float64 }

func (above) Fit(_ context.Context, t learner.Training) (learner.Model, error) {
	a := &above{}
	for _, bag := range t.Bags {
		m, err := mil.MomentsOf(bag)
		if err != nil {
			return nil, err
		}
		a.Mean += m.Mean[0] / float64(len(t.Bags))
	}
	return a, nil
}

func (a above) Predict(bag mil.Instances) (mil.Prediction, error) {
	m, err := mil.MomentsOf(bag)
	if err != nil || len(m.Mean) == 0 { // an empty sparse bag
		return mil.Scored(0), err
	}
	return mil.Scored(m.Mean[0] - a.Mean), nil
}

// TestProbability predicts with a model of a learner that is on no list: there are probabilities if its scores are logits.
func TestProbability(t *testing.T) {
	musk, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	for _, logits := range []bool{false, true} {
		own := onebyone.Entry{Name: "above", Summary: "the mean of the first feature", Logits: logits,
			Default: func() learner.Estimator { return &above{} }, Model: func() learner.Model { return new(above) }}
		setting, err := own.Settings()
		if err != nil {
			t.Fatal(err)
		}
		trainer := learners.Trainer{Resources: learners.Resources{Workers: 1}, More: []onebyone.Entry{own}}
		trained, err := trainer.Train(t.Context(), setting[0], musk, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "model")
		if err := trained.Save(dir); err != nil {
			t.Fatal(err)
		}
		model, err := trainer.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		bags, err := predict.Bags(t.Context(), model, musk, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bags {
			if (b.Probability != nil) != logits || logits && math.Abs(*b.Probability-1/(1+math.Exp(-*b.Score))) > 1e-15 {
				t.Fatalf("logits %v: score %v, probability %v", logits, *b.Score, b.Probability)
			}
		}
	}
}

func equal(a, b map[string][]results.ScoredBag) bool {
	if len(a) != len(b) {
		return false
	}
	for fit, bags := range a {
		for i, bag := range bags {
			if other := b[fit]; len(other) != len(bags) || other[i].ID != bag.ID || !slices.Equal(other[i].Scores, bag.Scores) {
				return false
			}
		}
	}
	return true
}
