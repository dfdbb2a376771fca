package predict

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"synpool/milbench/learners"
	"synpool/milbench/mil"
)

// scoring is a model that gives all bags one score.
type scoring struct {
	learners.Model
	score float64
}

func (scoring) About() learners.About { return learners.About{} }

func (s scoring) Predict(_ context.Context, bags []mil.Instances, _ bool) (all []mil.Prediction, _ error) {
	for range bags {
		all = append(all, mil.Scored(s.score))
	}
	return all, nil
}

// TestScoresFinite: a score that is no float32 is an error of one line, which names the bag; others make a table.
func TestScoresFinite(t *testing.T) {
	set := &mil.Set{Name: "toy", Bags: []mil.Bag{{ID: "b7", Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{1}}}}}
	for score, fails := range map[float64]bool{0: false, 3e38: false, -1e308: true, 4e38: true} {
		_, err := Bags(t.Context(), scoring{score: score}, set, nil, false)
		if (err != nil) != fails || err != nil && !strings.HasPrefix(err.Error(), "bag b7: the model's score is ") {
			t.Errorf("score %v: %v", score, err)
		}
	}
	rows, err := Bags(t.Context(), scoring{score: 0.5}, set, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := Write(&table, learners.About{}, rows); err != nil || table.String() != "bag,score,probability,winners,calibration\nb7,0.5,,,none\n" {
		t.Errorf("%v\n%s", err, table.String())
	}
}

// TestString: a prediction is one line for each kind of target, without pointers.
func TestString(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	for want, b := range map[string]Bag{
		"a: score 1.5, probability 0.8176, class ill, instances with the largest weights [3]": {Bag: "a", Score: number(1.5), Probability: number(0.81757), Class: "ill", Winners: []int{3}},
		"b: high with probability 0.7, low with probability 0.3":                              {Bag: "b", Scores: map[string]float64{"low": 1, "high": 2}, Probabilities: map[string]float64{"low": 0.3, "high": 0.7}},
		"c: low with score -1":  {Bag: "c", Scores: map[string]float64{"low": -1}},
		"d: value 2.25":         {Bag: "d", Value: number(2.25)},
		"e: risk 0.1, median 8": {Bag: "e", Risk: number(0.1), Median: number(8)},
		"f":                     {Bag: "f"},
	} {
		if got := fmt.Sprintf("%v", b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
