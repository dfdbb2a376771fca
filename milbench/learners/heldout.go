package learners

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// held holds the targets of held-out bags, inner fold by inner fold: bags that the models had not seen when they scored
// them.
type held struct {
	kind    mil.TargetKind
	classes int       // for a target of classes
	labels  []int     // one per bag, for every kind of target
	values  []float64 // real targets, and times
	events  []bool    // for survival
	bags    int       // number of different bags
	prior   float64   // see [Portfolio]
	starts  []int     // fold k is starts[k]:starts[k+1]
}

// heldOf returns the bags that the inner folds of a fit hold out.
func heldOf(task cv.Task, fit cv.Fit) held {
	target := make(map[int]mil.Target, len(fit.Train))
	for _, e := range fit.Train {
		target[e.Bag] = e.Target
	}
	h := held{kind: task.Kind, starts: []int{0}}
	if h.kind == mil.ClassTarget {
		h.classes = task.Classes
	}
	seen := make(map[int]bool)
	for _, part := range fit.Inner {
		for _, b := range part {
			t := target[b]
			h.labels, h.values, h.events = append(h.labels, t.Label), append(h.values, t.Value), append(h.events, t.Event)
			seen[b] = true
		}
		h.starts = append(h.starts, len(h.labels))
	}
	h.bags = len(seen)
	return h
}

// width returns the number of scores per bag.
func (h held) width() int { return max(h.classes, 1) }

// check reports a wrong number of scores: there must be one row per bag, and each row must have the right length.
func (h held) check(scores [][]float64) error {
	if len(scores) != len(h.labels) || len(scores) == 0 {
		return fmt.Errorf("%d scores of %d held-out bags", len(scores), len(h.labels))
	}
	for _, row := range scores {
		if len(row) != h.width() {
			return fmt.Errorf("%d scores of a held-out bag, not %d", len(row), h.width())
		}
	}
	return nil
}

// first returns the first score of each bag.
func first(scores [][]float64) []float64 {
	list := make([]float64, len(scores))
	for i, row := range scores {
		list[i] = row[0]
	}
	return list
}

// undefined reports whether an error says that a figure is undefined for these bags.
func undefined(err error) bool {
	all := []error{stats.ErrOneClass, stats.ErrAllEqual, stats.ErrNoEvents, stats.ErrNoPairs}
	return slices.ContainsFunc(all, func(of error) bool { return errors.Is(err, of) })
}

// of returns the main figure of the kind of target on some bags: AUC, macro AUC, R² or concordance. Larger is better.
func (h held) of(scores [][]float64, from, to int) (float64, error) {
	scores = scores[from:to]
	switch h.kind {
	case mil.ClassTarget:
		return stats.MulticlassAUC(h.labels[from:to], scores)
	case mil.RealTarget:
		return stats.R2(h.values[from:to], first(scores))
	case mil.SurvivalTarget:
		return stats.Concordance(h.values[from:to], h.events[from:to], first(scores))
	}
	return stats.AUC(h.labels[from:to], first(scores))
}

// folds returns the figures of the folds where it is defined.
func (h held) folds(scores [][]float64) (figures []float64, err error) {
	for k, from := range h.starts[:len(h.starts)-1] {
		switch figure, err := h.of(scores, from, h.starts[k+1]); {
		case err == nil:
			figures = append(figures, figure)
		case !undefined(err):
			return nil, err
		}
	}
	return figures, nil
}

// figure returns the mean over the folds where the figure is defined, or, if there is none, the figure of all bags
// together.
func (h held) figure(scores [][]float64) (float64, error) {
	figures, err := h.folds(scores)
	if err != nil {
		return 0, err
	}
	if len(figures) == 0 {
		return h.of(scores, 0, len(scores))
	}
	sum := 0.0
	for _, f := range figures {
		sum += f
	}
	return sum / float64(len(figures)), nil
}

// error returns the standard error of the figure of scores. For an AUC it is DeLong's; bags that are held out several
// times count once. For other figures it is the error of the mean over J folds that share most of their training bags
// ([stats.CorrectedT]):
//
//	SE = sqrt((1/J + held/rest) s²)
//
// s² is the sample variance of the folds' figures, and held/rest is the size of a fold over the number of the other
// bags. The error is at least 1 over the number of scores. It is sqrt(1/12) where it is undefined: for an AUC with a
// single bag of a class, or for one fold.
func (h held) error(scores [][]float64) float64 {
	n := float64(len(h.labels))
	if h.kind == mil.BinaryTarget {
		again := math.Sqrt(n / float64(max(h.bags, 1)))
		if _, se, err := stats.DeLong(h.labels, first(scores)); err == nil {
			return max(se*again, 1/n)
		}
		return math.Sqrt(1 / 12.0)
	}
	figures, err := h.folds(scores)
	if err == nil {
		fold := n / float64(len(h.starts)-1)
		var t stats.CorrectedTTest
		if t, err = stats.CorrectedT(figures, make([]float64, len(figures)), fold/max(float64(h.bags)-fold, 1)); err == nil {
			return max(t.SE, 1/n)
		}
	}
	if errors.Is(err, stats.ErrSameDifference) {
		return 1 / n
	}
	return math.Sqrt(1 / 12.0)
}

// unit returns a ≥ 0 and b that minimise the sum of squares of target - a value - b. If the values carry no
// information, a is 0.
func (h held) unit(values []float64) (a, b float64, err error) {
	if b, a = stat.LinearRegression(values, h.values, nil, false); !(a > 0) {
		a, b = 0, stat.Mean(h.values, nil)
	}
	if math.IsNaN(a-a) || math.IsNaN(b-b) {
		return 0, 0, errors.New("the targets are too large; give them in another unit")
	}
	return a, b, nil
}
