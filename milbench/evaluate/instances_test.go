package evaluate_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"synpool/milbench"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/evaluate"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/localise"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// TestInstances: figures of instances are those of the scores of Explain by package stats, with the intervals of a bootstrap over
// patients that joins the drawn bags, for a network and for a classical learner. Bag figures stay.
func TestInstances(t *testing.T) {
	c := generate.DefaultSlides()
	c.LeastTiles, c.MostTiles, c.Features, c.Shift, c.LeastTumour, c.MostTumour = 12, 16, 6, 2, 0.2, 0.4
	set, err := generate.DrawSlides(c)
	must(t, err)
	for name, judged := range map[string]string{"softmax": "weight", "statistics-trees": "score"} {
		m := trainedOn(t, name, set)
		said, err := m.Explain(t.Context(), set)
		must(t, err)
		var pools [][]int // labels of each bag
		var scores [][]float64
		for i, b := range said.Bags {
			labels, values := make([]int, len(b.Instances)), make([]float64, len(b.Instances))
			for k, one := range b.Instances {
				labels[k], values[k] = int(set.InstanceLabels[i][k]), one.Weight
				if one.Score != nil {
					values[k] = *one.Score
				}
			}
			pools, scores = append(pools, labels), append(scores, values)
		}
		inBags := func(of func([]int, []float64) (float64, error)) func([]int) (float64, error) {
			return func(items []int) (float64, error) {
				sum, n := 0.0, 0.0
				for _, i := range items {
					if v, err := of(pools[i], scores[i]); err == nil {
						sum, n = sum+v, n+1
					}
				}
				return sum / n, nil
			}
		}
		pooled := func(of func([]int, []float64) (float64, error)) func([]int) (float64, error) {
			return func(items []int) (float64, error) {
				var labels []int
				var all []float64
				for _, i := range items {
					labels, all = append(labels, pools[i]...), append(all, scores[i]...)
				}
				return of(labels, all)
			}
		}
		e := evaluated(t, m, set)
		if s := e.Localised; s.Judged != judged || s.Bags != 10 || s.Lesions != 10 || s.All != set.NumInstances() || len(s.Figures) != 7+len(localise.Rates) {
			t.Errorf("%s: %+v", name, s)
		}
		all := make([]int, len(set.Bags))
		for i := range all {
			all[i] = i
		}
		for k, of := range map[int]func([]int) (float64, error){0: inBags(stats.AUC), 1: inBags(stats.AveragePrecision), 3: pooled(stats.AUC), 4: pooled(stats.AveragePrecision)} {
			f := e.Localised.Figures[k]
			value, err := of(all)
			must(t, err)
			low, high, _, err := stats.Bootstrap(mil.Units(set.Bags), 2000, 0.95, 1, of)
			must(t, err)
			if *f.Value < value-1e-12 || *f.Value > value+1e-12 {
				t.Errorf("%s, %s: %v, want %v", name, f.Name, *f.Value, value)
			}
			if low != high && (math.Abs(*f.Low-low) > 1e-9 || math.Abs(*f.High-high) > 1e-9 || !strings.HasPrefix(f.Method, "bootstrap of 10 groups")) {
				t.Errorf("%s, %s: %v to %v (%s), want %v to %v", name, f.Name, *f.Low, *f.High, f.Method, low, high)
			}
		}
		if mean := e.Localised.Figures[6]; mean.Name != "FROC sensitivity" || *e.Localised.Figures[7].Value > *mean.Value || *e.Localised.Figures[12].Value < *mean.Value {
			t.Errorf("%s: %+v", name, e.Localised.Figures[6:])
		}
		unlabelled := *set
		unlabelled.InstanceLabels = nil
		without := evaluated(t, m, &unlabelled)
		if without.Localised != nil || *without.Figures[0].Value != *e.Figures[0].Value || *without.Figures[5].Value != *e.Figures[5].Value {
			t.Errorf("%s: %+v, without labels of instances %+v", name, e.Figures, without.Figures)
		}
		var text bytes.Buffer
		must(t, e.Write(&text))
		for _, want := range []string{"; bags with both kinds: 10; lesions: 10; judged: the " + judged + " that", "pooled instance Dice  0.", "sensitivity at 0.25 ", "Otsu"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %q in %s", name, want, &text)
			}
		}
	}
}

// TestInstancesUnknown: without positions there is no FROC, a bag without them is named, and a learner without scores of instances
// still judges bags.
func TestInstancesUnknown(t *testing.T) {
	c := generate.DefaultSlides()
	c.LeastTiles, c.MostTiles, c.Features = 20, 30, 3
	set, err := generate.DrawSlides(c)
	must(t, err)
	trees := trainedOn(t, "statistics-trees", set)
	partly := *set
	partly.Bags = slices.Clone(set.Bags)
	partly.Bags[1].Coordinates = nil
	figures := evaluated(t, trees, &partly).Localised.Figures
	if last := figures[len(figures)-1]; len(figures) != 7 || last.Value != nil || !strings.Contains(last.Why, "bag slide02 has positive instances without positions") {
		t.Errorf("%+v", figures)
	}
	nowhere := partly
	nowhere.Bags = slices.Clone(set.Bags)
	for i := range nowhere.Bags {
		nowhere.Bags[i].Coordinates = nil
	}
	if figures := evaluated(t, trees, &nowhere).Localised.Figures; len(figures) != 6 {
		t.Errorf("%+v", figures)
	}
	e := evaluated(t, &milbench.Model{Learned: mute{trees.Learned}, Name: "mute"}, set)
	var text bytes.Buffer
	must(t, e.Write(&text))
	if e.Localised.Figures != nil || e.Figures[0].Value == nil || !strings.Contains(text.String(), "no figures of instances: bag slide02: mute has no scores of instances\n") {
		t.Error(text.String())
	}
	alike := *set
	alike.InstanceLabels = nil
	for _, b := range set.Bags {
		alike.InstanceLabels = append(alike.InstanceLabels, slices.Repeat([]float64{float64(b.Label)}, b.Instances.Len()))
	}
	if e := evaluated(t, trees, &alike); e.Localised != nil {
		t.Errorf("labels of instances that repeat those of bags: %+v", e.Localised)
	}
}

// mute is a model without scores of instances.
type mute struct{ learners.Model }

func (m mute) Predict(ctx context.Context, bags []mil.Instances, instances bool) ([]mil.Prediction, error) {
	if instances {
		return nil, &modeldir.BagError{Bag: 1, Err: fmt.Errorf("mute has %w", learners.ErrNoInstances)}
	}
	return m.Model.Predict(ctx, bags, false)
}

func trainedOn(t *testing.T, name string, set *mil.Set) *milbench.Model {
	t.Helper()
	setting, err := milbench.Setting(name, nil)
	must(t, err)
	m, err := milbench.Train(t.Context(), set, milbench.Training{Setting: setting, Seed: 1}, nil)
	must(t, err)
	return m
}

func evaluated(t *testing.T, m *milbench.Model, set *mil.Set) *evaluate.Evaluation {
	t.Helper()
	e, err := m.Evaluate(t.Context(), &milbench.Labelled{Set: set, All: len(set.Bags)}, 1)
	must(t, err)
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
