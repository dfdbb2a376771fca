package results

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// foldKey identifies a fold of a repeat.
type foldKey struct {
	repeatKey
	fold int
}

func (k foldKey) compare(l foldKey) int {
	return cmp.Or(k.repeatKey.compare(l.repeatKey), cmp.Compare(k.fold, l.fold))
}

// alpha is the largest probability that any two equally good rows of a set are called different.
const alpha = 1 - level

// tied is the largest difference between figures that counts as a rounding error.
const tied = 1e-9

// verdicts summarises, for each set and protocol with several rows, which row has the largest main figure, which are
// worse beyond chance, which are perhaps worse, and which cannot be told apart from it.
//
// Two rows are compared on their folds by the corrected resampled t-test ([stats.CorrectedT]), which allows for
// training on other bags. An official split or a single fold has only one training part; there they are compared on
// its bags by [stats.DeLongDifference].
//
// The best row is chosen by the same figures, so the p-values of all pairs of rows are adjusted together
// ([stats.Holm]). A row is worse beyond chance if the adjusted p < 0.05, and perhaps worse if only the unadjusted p <
// 0.05. There is no verdict while some rows have more finished repeats than others, and none for an official split or
// a single fold unless the target is binary. A row is marked apart if all others are worse beyond chance.
func (t Table) verdicts() (list []string, err error) {
	for rows := range t.comparisons() {
		unequal := slices.ContainsFunc(rows, func(r Row) bool {
			return !maps.EqualFunc(r.folds, rows[0].folds, func(a, b float64) bool { return true })
		})
		noTest := rows[0].Target != mil.BinaryTarget && !rows[0].overFolds()
		if len(rows) < 2 || rows[0].Leaked || unequal || noTest || len(rows[0].folds) == 0 {
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

// verdict compares rows of one set with the best of them, and marks the best if it is apart.
func verdict(unordered []Row) (string, error) {
	var rows []*Row
	for i := range unordered {
		rows = append(rows, &unordered[i])
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Compare(b.Mean, a.Mean) })
	var p []float64
	for i, a := range rows {
		for _, b := range rows[:i] { // the first pairs of row i are with the better rows
			v, err := b.differs(*a)
			if err != nil {
				return "", err
			}
			p = append(p, v)
		}
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		return "", err
	}
	best := []string{rows[0].Setting}
	var worse, perhaps, same []string
	most, at := 0.0, 0
	for i, r := range rows {
		if i == 0 {
			continue
		}
		withBest := at
		at += i
		by := rows[0].Mean - r.Mean
		lower := fmt.Sprintf("%s (by %.3f)", r.Setting, by)
		switch {
		case by <= tied:
			best = append(best, r.Setting)
		case adjusted[withBest] < alpha:
			worse = append(worse, lower)
		case p[withBest] < alpha:
			perhaps = append(perhaps, lower)
		default:
			same, most = append(same, r.Setting), by
		}
	}
	rows[0].apart = len(worse) == len(rows)-1
	name, of := rows[0].Set, mainFigure(rows[0].Target)
	if rows[0].Protocol != cv.HonestProtocol {
		name += ", " + rows[0].Protocol
	}
	if rows[0].Splits != "" {
		name += fmt.Sprintf(", folds %.8s", rows[0].Splits)
	}
	if rows[0].Shots > 0 {
		name += fmt.Sprintf(", shots %d", rows[0].Shots)
	}
	verb := "has"
	if len(best) > 1 {
		verb = "have"
	}
	text := fmt.Sprintf("%s: %s %s the largest %s, %.3f.", name, strings.Join(best, ", "), verb, of.heading, rows[0].Mean)
	if len(same) > 0 {
		text += fmt.Sprintf(" Cannot be told apart from it (%s smaller by up to %.3f): %s.", of.plural, most, strings.Join(same, ", "))
	}
	if len(perhaps) > 0 {
		text += fmt.Sprintf(" Perhaps worse (p < %.2g each, not adjusted for the %d comparisons): %s.", alpha, len(p), strings.Join(perhaps, ", "))
	}
	if len(worse) > 0 {
		text += fmt.Sprintf(" Worse beyond chance: %s.", strings.Join(worse, ", "))
	}
	return text, nil
}

// overFolds reports whether rows are compared over their folds.
func (r Row) overFolds() bool { return r.Folds > 1 && len(r.folds) >= 2 }

// differs returns only the p-value for the difference between the main figures of two rows with the same folds.
func (r Row) differs(s Row) (float64, error) {
	d, err := r.less(s, Rope)
	if errors.Is(err, errUncomparable) {
		return 1, nil
	}
	return d.P, err
}
