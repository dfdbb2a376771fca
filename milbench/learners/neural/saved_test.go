package neural_test

import (
	"context"
	"math"
	"testing"

	"synpool/backend/backendtest"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// TestLoadSaved checks that a model saved by the first version of the format can still be loaded and gives the same
// scores.
func TestLoadSaved(t *testing.T) {
	m := must(neural.Load(backendtest.Chosen(t), "testdata/saved"))
	bags := []mil.Instances{
		&mil.Dense{Rows: 2, Cols: 2, Values: []float32{0.5, -1, 0.25, 1}},
		&mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 1}},
	}
	got := must(m.Predict(context.Background(), bags, false))
	for i, want := range []float64{0.4167667627334595, 0.6690137982368469} {
		if math.Abs(got[i].Scores[0]-want) > 1e-5 {
			t.Errorf("bag %d: score %v, want %v", i, got[i].Scores[0], want)
		}
	}
	if m.Card().Set != "small" || len(m.Card().Classes) != 2 || m.Card().Classes[1] != "yes" || m.Config().Embed != 4 {
		t.Errorf("%q, %q, %+v", m.Card().Set, m.Card().Classes, m.Config())
	}
}
