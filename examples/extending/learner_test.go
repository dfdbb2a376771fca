package extending_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/milbench"
	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/plotting"
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

// nearestEntry gives it a name.
var nearestEntry = learner.Entry{Name: "nearest", Summary: "the label of the nearest training bag, by distance of means", Default: func() learner.Estimator { return &nearest{} }}

// Registered, a learner or pooling is found by its name, as ours are.
func init() {
	_, err := learners.Register(nearestEntry)
	if err == nil {
		_, err = learners.Register(aboveEntry)
	}
	if err == nil {
		_, err = neural.Register(linearEntry)
	}
	if err != nil {
		panic(err)
	}
}

// settings are those of the learner and of two poolings, two of each where there is something to choose.
func settings(t *testing.T) []json.RawMessage {
	t.Helper()
	all, err := learners.Settings(true, "nearest")
	if err != nil {
		t.Fatal(err)
	}
	for pooling, chosen := range map[string]string{"softmax": "scale", "linear": "sharpness"} {
		configs, err := neural.Grid{"pooling": {pooling}, chosen: {1, 3}, "width": {8}, "embed": {4}, "heads": {1}, "epochs": {3}, "lr": {0.01}}.Configs()
		if err != nil {
			t.Fatal(err)
		}
		own, err := neural.Settings(configs)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, own...)
	}
	return all
}

// TestLearner runs it under the nested protocol beside networks, one with a pooling of one's own, in one go and in shards that are
// merged: the results are the same, and a table and a figure have all three.
func TestLearner(t *testing.T) {
	musk, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	trainer := neural.Trainer{Backend: gobackend.GetBackend(), Workers: 2}
	all := run.Run{
		Sets: []*mil.Set{musk}, Protocol: cv.Protocol{Name: cv.NestedProtocol, Folds: 3, Repeats: 1}, Settings: settings(t), Seed: 1,
		Learner: learners.All(trainer, learners.Resources{Workers: 2}), Dir: filepath.Join(t.TempDir(), "whole"), Backend: "go", Version: "v0.0.0",
	}
	if sum, err := all.Do(t.Context()); err != nil || sum.Done != 15 {
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
	if err != nil || merged.Results != 15 {
		t.Fatalf("%+v, %v", merged, err)
	}

	scores := map[string]map[string][]results.ScoredBag{} // of the fits in each folder
	for _, folder := range []string{all.Dir, dir} {
		found, err := results.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		scores[folder] = map[string][]results.ScoredBag{}
		for _, r := range found {
			scores[folder][r.Fit] = r.Bags
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
		if !slices.Equal(names, []string{"linear (chosen inside)", "nearest", "softmax (chosen inside)"}) {
			t.Errorf("rows %q", names)
		}
		figure, err := charts.Table(found)
		if err != nil {
			t.Fatal(err)
		}
		var svg strings.Builder
		if err := figure.Write(&svg, plotting.SVG); err != nil || !strings.Contains(svg.String(), "linear") || !strings.Contains(svg.String(), "nearest") {
			t.Errorf("the figure lacks one of %q (%v)", names, err)
		}
	}
	if !reflect.DeepEqual(scores[all.Dir], scores[dir]) {
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

// aboveEntry gives it a name. Its scores are logits, so there are probabilities.
var aboveEntry = learner.Entry{Name: "above", Summary: "the mean of the first feature", Logits: true,
	Default: func() learner.Estimator { return &above{} }, Model: func() learner.Model { return new(above) }}

// TestModels trains, saves and loads a model of each, and predicts with it: there are probabilities if its scores are logits.
func TestModels(t *testing.T) {
	musk, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	ordering := aboveEntry
	ordering.Name, ordering.Logits = "ordering", false
	remove, err := learners.Register(ordering)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	start := func() (neural.Trainer, error) {
		return neural.Trainer{Backend: gobackend.GetBackend(), Workers: 1}, nil
	}
	trainer := learners.Trainer{Networks: &neural.Networks{Start: start}, Resources: learners.Resources{Workers: 1}}
	for _, c := range []struct {
		name   string
		fields map[string]any
		logits bool
	}{{"above", nil, true}, {"ordering", nil, false}, {"linear", map[string]any{"sharpness": 2, "epochs": 1}, true}} {
		setting, err := milbench.Setting(c.name, c.fields)
		if err != nil {
			t.Fatal(err)
		}
		trained, err := trainer.Train(t.Context(), setting, musk, 1, nil)
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
			if (b.Probability != nil) != c.logits || c.logits && math.Abs(*b.Probability-1/(1+math.Exp(-*b.Score))) > 1e-15 {
				t.Fatalf("%s: score %v, probability %v", c.name, *b.Score, b.Probability)
			}
		}
	}
}
