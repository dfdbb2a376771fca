package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Nonconformity has the nonconformity scores of held-out bags: how badly a target suits its bag. Larger is worse. It is
// the sample that a new score is compared with.
type Nonconformity struct {
	Scores  []float64 `json:"scores"`            // ascending
	Weights []float64 `json:"weights,omitempty"` // of each score, 1 over the scores of its unit; nil if all are 1
	Units   int       `json:"units"`             // groups (patients, say), and bags without a group
}

// newNonconformity returns the sample of the scores in units, see [mil.Units]; other scores and empty units are left out.
func newNonconformity(scores []float64, units [][]int) (n Nonconformity) {
	type weighted struct{ score, weight float64 }
	var all []weighted
	for _, unit := range units {
		for _, i := range unit {
			all = append(all, weighted{scores[i], 1 / float64(len(unit))})
		}
		if len(unit) > 0 {
			n.Units++
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(a.score, b.score) })
	for _, w := range all {
		n.Scores = append(n.Scores, w.score)
		if n.Units < len(all) {
			n.Weights = append(n.Weights, w.weight)
		}
	}
	return n
}

// above returns the weight of all scores from place k on.
func (n Nonconformity) above(k int) (sum float64) {
	if n.Weights == nil {
		return float64(len(n.Scores) - k)
	}
	for _, w := range n.Weights[k:] {
		sum += w
	}
	return sum
}

// PValue returns the conformal p-value of a new score s,
//
//	p = (1 + Σ_u share of the scores of unit u that are ≥ s) / (units + 1)
//
// If the units are exchangeable with that of the new bag, and the scores of a unit with each other, then p ≤ α has at
// most probability α, for every α and whatever the scores mean. Equal scores count against the target, so ties make p
// larger.
//
// Sources: V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World (2005), for units of one score;
// Y. Lee, R. F. Barber and R. Willett, "Distribution-free inference with hierarchical data", arXiv:2306.06342 (2023),
// for the weights of units.
func (n Nonconformity) PValue(s float64) float64 {
	return (1 + n.above(sort.SearchFloat64s(n.Scores, s))) / float64(n.Units+1)
}

// rounding is what sums of weights and 1 − level may be off by. A p-value that equals α but for rounding counts as α.
const rounding = 1e-9

// Largest returns the largest score whose p-value is above 1 − level, +Inf if all are.
func (n Nonconformity) Largest(level float64) float64 {
	if n.Units < least(level) {
		return math.Inf(1)
	}
	k := sort.Search(len(n.Scores), func(k int) bool { return !within(n.PValue(n.Scores[k]), level) })
	return n.Scores[k-1] // p-values fall with the score, and that of the smallest is 1
}

// within reports whether a target with a p-value belongs to a set of a level.
func within(p, level float64) bool { return p > (1-level)*(1+rounding) }

// least returns the number of units from which a target can be outside a set: 9 at a level of 0.9.
func least(level float64) int { return int(math.Ceil(1/(1-level)*(1-rounding))) - 1 }

// validate returns an error if n cannot be a sample.
func (n Nonconformity) validate() error {
	if n.Units < 1 || n.Units > len(n.Scores) || n.Weights != nil && len(n.Weights) != len(n.Scores) || n.Weights == nil && n.Units != len(n.Scores) {
		return fmt.Errorf("%d scores with %d weights of %d units", len(n.Scores), len(n.Weights), n.Units)
	}
	for _, s := range n.Scores {
		if !(math.Abs(s) <= 2*maxScore) {
			return fmt.Errorf("a held-out score is %v", s)
		}
	}
	if !slices.IsSorted(n.Scores) {
		return errors.New("held-out scores do not ascend")
	}
	for _, w := range n.Weights {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("a held-out score has weight %v", w)
		}
	}
	if n.Weights != nil && math.Abs(n.above(0)-float64(n.Units)) > rounding*float64(n.Units) {
		return fmt.Errorf("the weights of %d units sum to %v", n.Units, n.above(0))
	}
	return nil
}
