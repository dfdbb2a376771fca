package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// ablation is the section of Table 3: every change against the setting that it changes, fold by fold.
func ablation(a results.Archive) (string, error) {
	f, err := newFigures(a.Results, named(change))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, base := range bases {
		text, err := against(f, base, changesOf(f, base))
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String() + f.noted(), nil
}

// beatsSoftmax returns the answer of how a base differs from softmax, where its steps start.
func beatsSoftmax(base string) func(results.Archive) (answer, error) {
	return func(a results.Archive) (answer, error) {
		f, err := newFigures(a.Results, named(change))
		if err != nil {
			return answer{}, err
		}
		sets := f.complete([]string{base, "softmax"})
		values := f.table(sets, []string{base, "softmax"})
		said, err := answered(acrossSets(sets, less(column(values, 0), column(values, 1))))
		said.of = base + " less softmax"
		return said, err
	}
}

// bases are the settings that are changed.
var bases = []string{"I = 3", "I = −3"}

// changesOf returns the settings that change a base, and those that stand in its place.
func changesOf(f figures[string], base string) []string {
	return slices.DeleteFunc(slices.Clone(f.settings), func(s string) bool {
		return s == base || !strings.HasPrefix(s, base) && s != "softmax" && s != "mean"
	})
}

// change names a setting by what it changes.
func change(c config) string {
	if c.Pooling != "syn" {
		return c.Pooling
	}
	base := "I = " + integer(c.Iterations)
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

// changeVerdicts tests over sets what settings change, and says in words what follows of each.
func changeVerdicts(f figures[string], base string, others, sets []string) (verdicts []verdict, judged []string, err error) {
	var rows [][]float64
	for _, set := range sets {
		var row []float64
		for _, other := range others {
			row = append(row, f.mean(set, other)-f.mean(set, base))
		}
		rows = append(rows, row)
	}
	if verdicts, err = overSets(sets, rows, shifts); err != nil {
		return nil, nil, err
	}
	for i, v := range verdicts {
		list, err := acrossSets(sets, column(rows, i))
		if err != nil && !errors.Is(err, stats.ErrTooFew) {
			return nil, nil, err
		}
		says := []string{"worse than " + base, cannotTell, "better than " + base}[1+v.side]
		if list.direction() == same {
			says = "No difference"
		}
		judged = append(judged, says)
	}
	return verdicts, judged, nil
}

// changeCounts sums up what follows of all changes.
func changeCounts(a results.Archive) (string, error) {
	f, err := newFigures(a.Results, named(change))
	if err != nil {
		return "", err
	}
	all := 0
	counts := make(map[string]int)
	for _, base := range bases {
		others := changesOf(f, base)
		sets := f.complete(append([]string{base}, others...))
		if len(sets) < 2 || len(others) == 0 {
			continue
		}
		_, judged, err := changeVerdicts(f, base, others, sets)
		if err != nil {
			return "", err
		}
		for _, says := range judged {
			word, _, _ := strings.Cut(says, " than")
			counts[word]++
			all++
		}
	}
	if all == 0 {
		return "", nil
	}
	return fmt.Sprintf("The figure has %d changes of one part. After Holm's correction: %d better, %d worse, %d without a difference, %d on which we cannot tell.",
		all, counts["better"], counts["worse"], counts["No difference"], counts[cannotTell]), nil
}

// against compares settings with a base: on every set, Web apart, and over sets.
func against(f figures[string], base string, others []string) (string, error) {
	sets := f.complete(append([]string{base}, others...))
	if len(sets) == 0 || len(others) == 0 {
		return fmt.Sprintf("Against %s: no set has all of these settings.\n\n", base), nil
	}
	text := fmt.Sprintf("Against %s. The first row is its AUC; the others are differences from it:\n\n", base)
	for _, group := range []struct {
		outside func(string) bool
		test    string
	}{
		{isWeb, "the corrected resampled t-test over folds"},
		{isNotWeb, "the paired t-test over seeds of one split, which says nothing of other pages"},
	} {
		own := slices.DeleteFunc(slices.Clone(sets), group.outside)
		if len(own) == 0 {
			continue
		}
		cells, err := differences(f, base, others, own, group.test)
		if err != nil {
			return "", err
		}
		text += cells
	}
	if len(sets) < 2 {
		return text + fewSets + "\n\n", nil
	}
	verdicts, judged, err := changeVerdicts(f, base, others, sets)
	if err != nil {
		return "", err
	}
	cannot := undecidable(sets, len(others))
	if cannot == "" {
		text += "Over sets, by Wilcoxon's signed-rank test:\n\n"
	} else {
		text += fmt.Sprintf("Over sets. No result could have decided by Wilcoxon's signed-rank test: %s. So only an interval within ±%v decides; the others are estimates:\n\n", cannot, margin)
	}
	bySide := make(map[int][]string) // -1: worse than base, 1: better
	for i, v := range verdicts {
		bySide[v.side] = append(bySide[v.side], others[i])
	}
	text += verdictTable("change", sets, others, judged, verdicts)
	if cannot != "" {
		return text, nil
	}
	text += fmt.Sprintf("Of these %d changes of %s, ", len(others), base)
	switch better, worse := bySide[1], bySide[-1]; {
	case len(better) > 0 && len(worse) > 0:
		text += listed(better) + " made it better and " + listed(worse) + " worse."
	case len(better) > 0:
		text += listed(better) + " made it better; none made it worse."
	case len(worse) > 0:
		text += listed(worse) + " made it worse; none made it better."
	default:
		text += "none is shown to make it better or worse."
	}
	return text + "\n\n", nil
}

// differences are the differences of settings from a base on sets, with a star where a test by folds, corrected after Holm
// for all cells, finds them different from 0.
func differences(f figures[string], base string, others, sets []string, testName string) (string, error) {
	var p []float64
	for _, other := range others {
		for _, set := range sets {
			if len(f.keys[set]) < 2 {
				p = append(p, 1) // of one fold nothing follows
				continue
			}
			test, err := pairedT(f.folds[set][other], f.folds[set][base], f.ratio[set])
			if err != nil {
				return "", fmt.Errorf("%s, %s against %s: %w", set, other, base, err)
			}
			p = append(p, test.P)
		}
	}
	holm, err := stats.Holm(p)
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
			if holm[i*len(sets)+k] < alpha {
				cell += " *"
				found = append(found, fmt.Sprintf("%s on %s (%s)", other, set, signed(d)))
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, signed(sum/float64(len(sets)))))
	}
	text := table(slices.Concat([]string{"change"}, sets, []string{"mean"}), rows) +
		fmt.Sprintf("A star marks a difference by %s, with Holm's correction for the %d cells, at 5 %%. ", testName, len(p))
	if len(found) == 0 {
		return text + "No cell has one.\n\n", nil
	}
	return text + "Differences that hold: " + strings.Join(found, "; ") + ".\n\n", nil
}
