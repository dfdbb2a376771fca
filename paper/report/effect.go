package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/stats"
	"synpool/plotting"
)

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
	switch {
	case low >= -margin && high <= margin:
		return same
	case low > 0:
		return higher
	case high < 0:
		return lower
	}
	return unclear
}

// effect is a mean difference in AUC with its 95 % interval, over n sets or repeats.
type effect struct {
	mean, low, high float64
	n               int
	over            string
}

func (e effect) direction() direction { return directionOf(e.low, e.high) }

// interval writes the interval and what it is over.
func (e effect) interval() string {
	return fmt.Sprintf("%s to %s, %d %s", signed(e.low), signed(e.high), e.n, e.over)
}

// effects are one difference over all sets and, where there are Web sets to average into one, with these as one set.
type effects []effect

// acrossSets returns the mean of differences, one of each set, with its interval over sets. It needs two sets
// ([stats.ErrTooFew]), with Web as one.
func acrossSets(sets []string, differences []float64) (effects, error) {
	rows := make([][]float64, len(sets))
	for i, d := range differences {
		rows[i] = []float64{d}
	}
	return effectsOf(sets, rows, "sets", func(rows [][]float64) []float64 { return column(rows, 0) })
}

// acrossRepeats returns the mean of differences over sets, with its interval over repeats: rows have a difference of each
// repeat, a row for each set. It needs two repeats ([stats.ErrTooFew]).
func acrossRepeats(sets []string, rows [][]float64) (effects, error) {
	return effectsOf(sets, rows, "repeats", func(rows [][]float64) (values []float64) {
		for k := range rows[0] {
			values = append(values, stat.Mean(column(rows, k), nil))
		}
		return values
	})
}

// column returns the values of rows at k.
func column(rows [][]float64, k int) (values []float64) {
	for _, row := range rows {
		values = append(values, row[k])
	}
	return values
}

// effectsOf computes effects from the values of rows, one a set.
func effectsOf(sets []string, rows [][]float64, over string, values func([][]float64) []float64) (list effects, err error) {
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	versions := [][][]float64{rows}
	if _, merged := mergeWeb(sets, rows); len(merged) < len(rows) {
		versions = append(versions, merged)
	}
	for _, version := range versions {
		e := effect{over: over}
		of := values(version)
		e.n = len(of)
		if e.mean, e.low, e.high, err = stats.MeanInterval(of, 1-alpha); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// direction is that of all versions, unclear where they differ.
func (list effects) direction() direction {
	if len(list) == 0 {
		return unclear
	}
	for _, e := range list[1:] {
		if e.direction() != list[0].direction() {
			return unclear
		}
	}
	return list[0].direction()
}

// answered passes on the answer of effects, or why there are none: answered(acrossSets(sets, differences)).
func answered(list effects, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return list.answer(), nil
}

// answer says whether the difference is above 0. Where Web as one set says something else, the verdict is open and more gives the
// number.
func (list effects) answer() answer {
	first := list[0]
	said := answer{estimate: signed(first.mean), interval: first.interval(), effects: list}
	switch list.direction() {
	case same:
		said.verdict = noDifference
	case higher:
		said.verdict = "Yes, by " + number(math.Abs(first.mean))
	case lower:
		said.verdict = "No, lower by " + number(math.Abs(first.mean))
	default:
		said.verdict = cannotTell
		if first.direction() != unclear {
			said.verdict += " (does not hold with Web as one set)"
		}
	}
	for _, e := range list[1:] {
		if e.direction() != first.direction() {
			said.more = fmt.Sprintf("With Web as one set it is %s (%s).", signed(e.mean), e.interval())
		}
	}
	return said
}

// rows are those of a figure, with Web as one set only where that says something else.
func (list effects) rows(name string) (rows []plotting.ComparedRow) {
	verdict := map[direction]int{higher: 1, lower: -1}[list.direction()]
	for i, e := range list {
		if i > 0 && e.direction() == list[0].direction() {
			continue
		}
		if i > 0 {
			name = "… with Web as one set"
		}
		rows = append(rows, plotting.ComparedRow{Name: name, Difference: e.mean, Low: e.low, High: e.high, Verdict: verdict, Same: list.direction() == same})
	}
	return rows
}

// The words of a verdict that is neither yes nor no.
const cannotTell = "We cannot tell"

var noDifference = fmt.Sprintf("No difference (the interval lies within ±%v)", margin)

// alone says how many of the things that were tested one by one show a gain and a loss.
func alone(better, worse, of int, what string) string {
	if better+worse == 0 {
		return fmt.Sprintf("Of %d %s, none alone shows a gain or a loss.", of, what)
	}
	return fmt.Sprintf("Of %d %s, %d alone show a gain and %d a loss.", of, what, better, worse)
}

// join joins sentences, some may be empty.
func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
