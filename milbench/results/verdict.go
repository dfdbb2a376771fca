package results

import (
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

// alpha is the chance of any error among the verdicts on one set.
const alpha = 1 - Level

// verdicts says of each set and protocol with several rows, in a sentence or two, which row has the largest AUC, which are worse beyond chance
// and which cannot be told apart from it.
//
// Folds of two rows are compared by the corrected resampled t-test ([judge.CorrectedT]), of one fold alone by the normal test of the
// difference with DeLong's standard errors, as if the two were independent, which finds less. The p-values of a set are adjusted by
// [judge.Holm].
func (t Table) verdicts() (list []string, err error) {
	for rest := t.Rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Checksum == rest[0].Checksum && rest[n].Protocol == rest[0].Protocol && rest[n].Folds == rest[0].Folds &&
			rest[n].FoldsRun == rest[0].FoldsRun && rest[n].Inner == rest[0].Inner {
			n++
		}
		if n > 1 && !rest[0].Leaked {
			text, err := verdict(rest[:n])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rest[0].Set, err)
			}
			list = append(list, text)
		}
		rest = rest[n:]
	}
	return list, nil
}

// verdict compares rows of one set with the best of them.
func verdict(rows []Row) (string, error) {
	best := 0
	for i, r := range rows {
		if r.AUCMean > rows[best].AUCMean {
			best = i
		}
	}
	var others []Row
	var p []float64
	for i, r := range rows {
		if i == best {
			continue
		}
		v, err := rows[best].differs(r)
		if err != nil {
			return "", err
		}
		others, p = append(others, r), append(p, v)
	}
	p, err := judge.Holm(p)
	if err != nil {
		return "", err
	}
	var worse, same []string
	most := 0.0
	for i, r := range others {
		by := rows[best].AUCMean - r.AUCMean
		if p[i] < alpha {
			worse = append(worse, fmt.Sprintf("%s (by %.3f)", r.Setting, by))
			continue
		}
		same = append(same, r.Setting)
		most = max(most, by)
	}
	name := rows[best].Set
	if rows[best].Protocol != milbench.HonestProtocol {
		name += ", " + rows[best].Protocol
	}
	text := fmt.Sprintf("%s: %s has the largest AUC, %.3f.", name, rows[best].Setting, rows[best].AUCMean)
	if len(same) > 0 {
		text += fmt.Sprintf(" Not told apart from it (chance explains differences of up to %.3f): %s.", most, strings.Join(same, ", "))
	}
	if len(worse) > 0 {
		text += fmt.Sprintf(" Worse beyond chance: %s.", strings.Join(worse, ", "))
	}
	return text, nil
}

// differs returns the p-value of a difference between the AUCs of two rows.
func (r Row) differs(s Row) (float64, error) {
	var a, b []float64
	for _, key := range slices.SortedFunc(maps.Keys(r.folds), func(x, y foldKey) int {
		if c := x.repeatKey.compare(y.repeatKey); c != 0 {
			return c
		}
		return x.fold - y.fold
	}) {
		if other, both := s.folds[key]; both {
			a, b = append(a, r.folds[key]), append(b, other)
		}
	}
	if r.FoldsRun > 1 && len(a) >= 2 {
		test, err := judge.CorrectedT(a, b, 1/float64(r.Folds-1))
		switch {
		case errors.Is(err, judge.ErrSameDifference):
			return 1, nil
		case err != nil:
			return 0, err
		}
		return test.P, nil
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
