package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/stats"
	"synpool/plotting"
)

// alpha is the level of all tests.
const alpha = 0.05

// margin is the difference in AUC up to which it does not matter.
const margin = 0.01

// direction is what an interval says of a difference.
type direction int

const (
	unclear direction = iota // it holds 0 and reaches beyond the margin
	same                     // it lies within the margin, on whatever side of 0
	higher                   // it lies above 0
	lower                    // it lies under 0
)

// directionOf reads an interval.
func directionOf(low, high float64) direction {
	if low >= -margin && high <= margin {
		return same
	}
	return map[int]direction{-1: lower, 0: unclear, 1: higher}[beside(low, high, 0)]
}

// beside returns where an interval lies beside a value: -1 under it, 1 over it, 0 where it holds it.
func beside(low, high, value float64) int {
	switch {
	case high < value:
		return -1
	case low > value:
		return 1
	}
	return 0
}

// effect is a mean difference in AUC with its 95 % interval, over n sets or repeats.
type effect struct {
	Value, Low, High float64
	P                float64 // of the t-test of 0
	N                int
	over             string
}

// newEffect computes an effect; it needs two values ([stats.ErrTooFew]).
func newEffect(values []float64, over string) effect {
	e := effect{N: len(values), over: over}
	var err error
	e.Value, e.Low, e.High, err = stats.MeanInterval(values, 1-alpha)
	if err == nil {
		var test stats.CorrectedTTest
		test, err = stats.CorrectedT(values, make([]float64, len(values)), 0)
		if e.P = test.P; errors.Is(err, stats.ErrSameDifference) { // which shows nothing
			e.P, err = 1, nil
		}
	}
	return must(e, err)
}

func (e effect) direction() direction { return directionOf(e.Low, e.High) }

// Beside is [beside] of the interval.
func (e effect) Beside(value float64) int { return beside(e.Low, e.High, value) }

// Mean writes the mean.
func (e effect) Mean() string { return signed(e.Value) }

// Range writes the interval.
func (e effect) Range() string { return signed(e.Low) + " to " + signed(e.High) }

// Interval writes the interval and what it is over.
func (e effect) Interval() string { return fmt.Sprintf("%s, %d %s", e.Range(), e.N, e.over) }

// String writes the effect with its interval.
func (e effect) String() string { return e.Mean() + " (95 % interval " + e.Interval() + ")" }

// acrossFamilies returns the mean of differences, one a set, over families of sets, with its interval. It needs two families.
func acrossFamilies(sets []string, differences []float64) effect {
	need(len(sets) > 0)
	_, merged := merge(sets, rowsOf(differences), familyOf)
	return newEffect(column(merged, 0), "families of sets")
}

// rowsOf makes a row of each value.
func rowsOf(values []float64) [][]float64 {
	rows := make([][]float64, len(values))
	for i, v := range values {
		rows[i] = []float64{v}
	}
	return rows
}

// acrossRepeats returns the mean of differences over sets, with its interval over repeats: rows have a difference of each
// repeat, a row for each set. It needs two repeats. It is about these sets only.
func acrossRepeats(rows [][]float64) effect {
	need(len(rows) > 0)
	var means []float64
	for k := range rows[0] {
		means = append(means, mean(column(rows, k)))
	}
	return newEffect(means, "repeats")
}

// The words of a verdict that is neither yes nor no.
const cannotTell = "We cannot tell"

var noDifference = fmt.Sprintf("No difference (the interval lies within ±%v)", margin)

// answer says whether the difference is above 0.
func (e effect) answer() answer {
	said := answer{Estimate: e.Mean(), Interval: e.Interval(), effect: &e, test: &e}
	switch e.direction() {
	case same:
		said.Verdict = noDifference
	case higher:
		said.Verdict = "Yes, by " + number(math.Abs(e.Value))
	case lower:
		said.Verdict = "No, lower by " + number(math.Abs(e.Value))
	default:
		said.Verdict = cannotTell
	}
	return said
}

// row is that of a figure.
func (e effect) row(name string) plotting.ComparedRow {
	side := e.direction()
	verdict := map[direction]int{higher: 1, lower: -1}[side]
	return plotting.ComparedRow{Name: name, Difference: e.Value, Low: e.Low, High: e.High, Verdict: verdict, Same: side == same}
}

// join joins sentences, some may be empty.
func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
