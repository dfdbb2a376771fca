package learner

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench"
	"synpool/milbench/judge"
)

// held are the targets of bags that models had not seen when they scored them, inner fold by inner fold.
type held struct {
	kind    milbench.TargetKind
	classes int       // of a target of classes
	labels  []int     // of every kind one for each bag
	values  []float64 // of real targets, and times
	events  []bool    // of survival
	bags    int       // different ones
	starts  []int     // fold k is starts[k]:starts[k+1]
}

// heldOf returns what the inner folds of a fit of a task hold out.
func heldOf(task milbench.Task, fit milbench.Fit) held {
	target := make(map[int]milbench.Target, len(fit.Train))
	for _, e := range fit.Train {
		target[e.Bag] = e.Target
	}
	h := held{kind: task.Kind, starts: []int{0}}
	if h.kind == milbench.ClassTarget {
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

// width returns how many scores a bag has.
func (h held) width() int { return max(h.classes, 1) }

// check reports scores that are not one row for each bag, or rows that are too short or long.
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

// undefined reports whether a figure is one that these bags do not have.
func undefined(err error) bool {
	all := []error{judge.ErrOneClass, judge.ErrAllEqual, judge.ErrNoEvents, judge.ErrNoPairs}
	return slices.ContainsFunc(all, func(of error) bool { return errors.Is(err, of) })
}

// of is the main figure of the kind of target of some bags: AUC, macro AUC, R² or concordance; the larger the better.
func (h held) of(scores [][]float64, from, to int) (float64, error) {
	scores = scores[from:to]
	switch h.kind {
	case milbench.ClassTarget:
		return judge.MulticlassAUC(h.labels[from:to], scores)
	case milbench.RealTarget:
		return judge.R2(h.values[from:to], first(scores))
	case milbench.SurvivalTarget:
		return judge.Concordance(h.values[from:to], h.events[from:to], first(scores))
	}
	return judge.AUC(h.labels[from:to], first(scores))
}

// folds returns the figure of each fold that has it.
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

// figure is the mean over the folds that have it; where none does, that of all bags together.
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

// error returns the standard error of the figure of scores. Of an AUC it is DeLong's, of bags that are held out several times as if once.
// Of the other figures it is that of the mean over J folds, which share most of their training bags ([judge.CorrectedT]):
//
//	SE = sqrt((1/J + held/rest) s²)
//
// with s² the sample variance of the figures of the folds, and held/rest the bags of a fold over the others. It is at least 1 over
// the number of scores, and sqrt(1/12) where it is undefined: an AUC with a single bag of a class, one fold.
func (h held) error(scores [][]float64) float64 {
	n := float64(len(h.labels))
	if h.kind == milbench.BinaryTarget {
		again := math.Sqrt(n / float64(max(h.bags, 1)))
		if _, se, err := judge.DeLong(h.labels, first(scores)); err == nil {
			return max(se*again, 1/n)
		}
		return math.Sqrt(1 / 12.0)
	}
	figures, err := h.folds(scores)
	if err == nil {
		fold := n / float64(len(h.starts)-1)
		var t judge.CorrectedTTest
		if t, err = judge.CorrectedT(figures, make([]float64, len(figures)), fold/max(float64(h.bags)-fold, 1)); err == nil {
			return max(t.SE, 1/n)
		}
	}
	if errors.Is(err, judge.ErrSameDifference) {
		return 1 / n
	}
	return math.Sqrt(1 / 12.0)
}

// unit returns the a, at least 0, and b of the smallest sum of squares of target - a value - b; a is 0 of values that say nothing.
func (h held) unit(values []float64) (a, b float64, err error) {
	if b, a = stat.LinearRegression(values, h.values, nil, false); !(a > 0) {
		a, b = 0, stat.Mean(h.values, nil)
	}
	if math.IsNaN(a-a) || math.IsNaN(b-b) {
		return 0, 0, errors.New("the targets are too large; give them in another unit")
	}
	return a, b, nil
}
