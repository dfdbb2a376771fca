package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// ablation is the section of Table 3: every change against the setting that it changes, fold by fold.
func ablation(a study.Archive) (string, error) {
	name := func(r study.Result) string {
		c, err := configOf(r.Config)
		if err != nil {
			return string(r.Config)
		}
		return change(c)
	}
	f, err := newFigures(a.Results, name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, base := range []string{"I = 3", "I = −3"} {
		text, err := against(f, base, slices.DeleteFunc(slices.Clone(f.settings), func(s string) bool {
			return s == base || !strings.HasPrefix(s, base) && s != "softmax" && s != "mean"
		}))
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// change names a setting by what it changes.
func change(c config) string {
	if c.Pooling != "syn" {
		return c.Pooling
	}
	base := strings.Replace(fmt.Sprintf("I = %d", c.Iterations), "-", "−", 1)
	for _, part := range []struct {
		is   bool
		name string
	}{
		{!c.Norm, "no layer norm"}, {c.Gamma == 1, "γ = 1"}, {c.Renormalise, "renormalised"}, {c.TrueGradient, "true gradient"},
		{c.Scale == 1, "S = 1"}, {c.Heads == 1, "one head"}, {c.Dropout == 0, "no dropout"}, {c.Dropout == 0.5, "dropout 0.5"},
	} {
		if part.is {
			base += ", " + part.name
		}
	}
	return base
}

// against compares settings with a base: differences of the mean AUC per set, with a star where the corrected resampled
// t-test, corrected after Holm for all cells, finds them different from 0.
func against(f figures, base string, others []string) (string, error) {
	sets := f.complete(append([]string{base}, others...))
	if len(sets) == 0 {
		return "No set has all of these settings.\n\n", nil
	}
	var p []float64
	for _, other := range others {
		for _, set := range sets {
			test, err := stats.CorrectedT(f.folds[set][other], f.folds[set][base], f.ratio[set])
			switch {
			case errors.Is(err, stats.ErrSameDifference):
				test.P = 1
			case err != nil:
				return "", fmt.Errorf("%s, %s against %s: %w", set, other, base, err)
			}
			p = append(p, test.P)
		}
	}
	corrected, err := stats.Holm(p)
	if err != nil {
		return "", err
	}
	rows := [][]string{{base}}
	for _, set := range sets {
		rows[0] = append(rows[0], number(f.mean(set, base)))
	}
	rows[0] = append(rows[0], "")
	var found []string
	for i, other := range others {
		row := []string{other}
		sum := 0.0
		for k, set := range sets {
			d := f.mean(set, other) - f.mean(set, base)
			sum += d
			cell := signed(d)
			if corrected[i*len(sets)+k] < alpha {
				cell += " *"
				found = append(found, fmt.Sprintf("%s on %s (%s)", other, set, signed(d)))
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, signed(sum/float64(len(sets)))))
	}
	text := table(append(append([]string{"change"}, sets...), "mean"), rows)
	text += fmt.Sprintf("The first row is the AUC of %s, the others are differences from it; * is a difference by the corrected resampled t-test over folds (on an official split over seeds, which says nothing of other bags), with Holm's correction for the %d cells, at 5 %%. ", base, len(p))
	if len(found) == 0 {
		return text + "No change makes a difference that these sets could show.\n\n", nil
	}
	return text + "Differences that hold: " + strings.Join(found, "; ") + ".\n\n", nil
}
