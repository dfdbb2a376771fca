package results

import (
	"math"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// heldOut returns held-out bags: for each inner fold, the scores of its negative and its positive bags.
func heldOut(folds ...[2][]float64) (bags []ScoredBag) {
	for k, fold := range folds {
		for label, scores := range fold {
			for _, score := range scores {
				bags = append(bags, ScoredBag{ID: "bag", Target: mil.Labelled(label), Scores: []float64{score}, Part: k + 1})
			}
		}
	}
	return bags
}

// The AUC inside is averaged over the inner folds with both classes, however different their scores are. The loss is
// over all bags.
func TestInsideOf(t *testing.T) {
	for name, c := range map[string]struct {
		held []ScoredBag
		auc  float64
	}{
		"apart":                {heldOut([2][]float64{{-1, 0}, {1}}, [2][]float64{{100, 101}, {102}}, [2][]float64{{-51}, {-50, -49}}), 1},
		"folds weigh the same": {heldOut([2][]float64{{-1}, {1}}, [2][]float64{{1, 1, 1, 2}, {0, 0, -1}}), 0.5},
		"one class is no AUC":  {heldOut([2][]float64{{-1, 3}, {1}}, [2][]float64{{5}, nil}, [2][]float64{nil, {-5, -6}}), 0.5},
		"ties":                 {heldOut([2][]float64{{2, 2}, {2}}), 0.5},
		// No fold has both, so scores of different folds are compared.
		"no fold with both": {heldOut([2][]float64{{-1, 3}, nil}, [2][]float64{nil, {2, 4}}), 0.75},
	} {
		got, err := InsideOf(mil.BinaryTarget, 2, c.held)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		loss, err := stats.LogLoss(LabelsScores(c.held))
		if err != nil || got.Figure != c.auc || got.Loss != loss {
			t.Errorf("%s: %+v, want AUC %v and loss %v (%v)", name, got, c.auc, loss, err)
		}
	}
	// Without inner folds all bags form one part.
	held := heldOut([2][]float64{{-1}, {1}}, [2][]float64{{1}, {0}})
	for i := range held {
		held[i].Part = 0
	}
	if got, err := InsideOf(mil.BinaryTarget, 2, held); err != nil || got.Figure != 0.625 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, held := range [][]ScoredBag{nil, heldOut([2][]float64{{1, 2}, nil})} {
		if got, err := InsideOf(mil.BinaryTarget, 2, held); err == nil {
			t.Errorf("%d bags: %+v", len(held), got)
		}
	}
}

// The number of inner folds is part of the id of a fit. Without inner folds the id is the same as in older versions.
func TestInnerID(t *testing.T) {
	r := sample("set", `{"pooling":"syn"}`, 0, 0, []int{0, 1}, []float64{1, 2})
	r.Protocol, r.Optimistic = cv.NestedProtocol, false
	ids := map[string]int{}
	for _, inner := range []int{0, 2, 5} {
		r.Inner = inner
		r = withID(r)
		if other, twice := ids[r.Fit]; twice {
			t.Errorf("%d and %d inner folds have one id", inner, other)
		}
		ids[r.Fit] = inner
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		r.Inner++
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "is not the id of its content") {
			t.Errorf("error %v", err)
		}
		r.Inner = inner
	}
	before, err := cv.FitID(r.Checksum, cv.NestedProtocol, r.Folds, r.Repeat, r.Fold, r.Seed, r.Config)
	if _, known := ids[before]; err != nil || !known || ids[before] != 0 {
		t.Errorf("the id of a fit without inner folds is new (%v)", err)
	}
	for want, in := range map[string]Inside{"AUC of the validation part is 1.5": {1.5, 0}, "AUC of the validation part is NaN": {math.NaN(), 0}, "loss of the validation part of -1": {0.5, -1}, "loss of the validation part of +Inf": {0.5, math.Inf(1)}} {
		r.Inside = &in
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
