package results

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"synpool/milbench"
	"synpool/milbench/judge"
)

// foldKey names a fold of a repeat.
type foldKey struct {
	repeatKey
	fold int
}

func (k foldKey) compare(l foldKey) int {
	return cmp.Or(k.repeatKey.compare(l.repeatKey), cmp.Compare(k.fold, l.fold))
}

// alpha bounds the chance that any two rows of a set that are equally good are called different.
const alpha = 1 - Level

// tied is the difference of AUCs up to which they are the same but for rounding.
const tied = 1e-9

// verdicts says of each set and protocol with several rows, in a sentence or two, which row has the largest AUC, which are worse
// beyond chance, and which cannot be told apart from it.
//
// Two rows are compared on their folds by the corrected resampled t-test ([judge.CorrectedT]). Where a single fold has been run,
// the normal test of the difference with DeLong's standard errors takes its place; it treats the two as independent and so finds
// less. The p-values of all pairs of rows are adjusted together ([judge.Holm]): the best row is chosen by the same figures.
// There is no verdict while some rows have more finished repeats than others.
func (t Table) verdicts() (list []string, err error) {
	for rows := range t.comparisons() {
		unequal := slices.ContainsFunc(rows, func(r Row) bool {
			return !maps.EqualFunc(r.folds, rows[0].folds, func(a, b float64) bool { return true })
		})
		if len(rows) < 2 || rows[0].Leaked || unequal {
			continue
		}
		text, err := verdict(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rows[0].Set, err)
		}
		list = append(list, text)
	}
	return list, nil
}

// verdict compares rows of one set with the best of them.
func verdict(rows []Row) (string, error) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.AUCMean, a.AUCMean) })
	var p []float64
	for i, a := range rows {
		for _, b := range rows[:i] { // the first pairs of row i are those with the best rows
			v, err := b.differs(a)
			if err != nil {
				return "", err
			}
			p = append(p, v)
		}
	}
	p, err := judge.Holm(p)
	if err != nil {
		return "", err
	}
	best := []string{rows[0].Setting}
	var worse, same []string
	most, at := 0.0, 0
	for i, r := range rows {
		if i == 0 {
			continue
		}
		withBest := p[at]
		at += i
		switch by := rows[0].AUCMean - r.AUCMean; {
		case by <= tied:
			best = append(best, r.Setting)
		case withBest < alpha:
			worse = append(worse, fmt.Sprintf("%s (by %.3f)", r.Setting, by))
		default:
			same, most = append(same, r.Setting), by
		}
	}
	name := rows[0].Set
	if rows[0].Protocol != milbench.HonestProtocol {
		name += ", " + rows[0].Protocol
	}
	verb := "has"
	if len(best) > 1 {
		verb = "have"
	}
	text := fmt.Sprintf("%s: %s %s the largest AUC, %.3f.", name, strings.Join(best, ", "), verb, rows[0].AUCMean)
	if len(same) > 0 {
		text += fmt.Sprintf(" Not told apart from it, with AUCs smaller by up to %.3f: %s.", most, strings.Join(same, ", "))
	}
	if len(worse) > 0 {
		text += fmt.Sprintf(" Worse beyond chance: %s.", strings.Join(worse, ", "))
	}
	return text, nil
}

// differs returns the p-value of a difference between the AUCs of two rows that have the same folds.
func (r Row) differs(s Row) (float64, error) {
	if r.FoldsRun > 1 && len(r.folds) >= 2 {
		var a, b []float64
		for _, key := range slices.SortedFunc(maps.Keys(r.folds), foldKey.compare) {
			a, b = append(a, r.folds[key]), append(b, s.folds[key])
		}
		test, err := judge.CorrectedT(a, b, 1/float64(r.Folds-1))
		if errors.Is(err, judge.ErrSameDifference) {
			return 1, nil
		}
		return test.P, err
	}
	if r.AUCSE == nil || s.AUCSE == nil {
		return 1, nil
	}
	se := math.Hypot(*r.AUCSE, *s.AUCSE)
	if se == 0 {
		return 1, nil
	}
	return math.Erfc(math.Abs(r.AUCMean-s.AUCMean) / se / math.Sqrt2), nil
}
