package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// iterationsOf names a setting by its I.
func iterationsOf(r study.Result) string {
	c, err := configOf(r.Config)
	if err != nil {
		return string(r.Config)
	}
	return strconv.Itoa(c.Iterations)
}

// steps returns the I of a name of iterationsOf.
func steps(name string) int {
	i, err := strconv.Atoi(name)
	if err != nil {
		return 0 // cannot be
	}
	return i
}

func bySteps(a, b string) int { return steps(a) - steps(b) }

// common returns the values of I that were run on all sets, in order.
func (f figures) common() []string {
	all := slices.DeleteFunc(slices.Clone(f.settings), func(s string) bool {
		return slices.ContainsFunc(f.sets, func(set string) bool { return len(f.folds[set][s]) == 0 })
	})
	slices.SortFunc(all, bySteps)
	return all
}

// iterations is the section of Tables 4 and 5 and Figure 6.
func iterations(a study.Archive) (string, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return "", err
	}
	var rows [][]string
	var bestDistracts, worstDistracts, farthest int
	for _, set := range f.sets {
		var tried []string
		for s := range f.folds[set] {
			tried = append(tried, s)
		}
		slices.SortFunc(tried, bySteps)
		best, worst := tried[0], tried[0]
		var ranks [2][]float64 // of concentration, of distraction
		var row []float64
		for _, s := range tried {
			if f.mean(set, s) > f.mean(set, best) {
				best = s
			}
			if f.mean(set, s) < f.mean(set, worst) {
				worst = s
			}
			row = append(row, f.mean(set, s))
		}
		all, err := stats.AverageRanks([][]float64{row})
		if err != nil {
			return "", fmt.Errorf("%s: %w", set, err)
		}
		for i, s := range tried {
			switch n := steps(s); {
			case n > 0:
				ranks[0] = append(ranks[0], all[i])
			case n < 0:
				ranks[1] = append(ranks[1], all[i])
			}
		}
		if steps(best) < 0 {
			bestDistracts++
		}
		if steps(worst) < 0 {
			worstDistracts++
			if worst == tried[0] {
				farthest++
			}
		}
		rows = append(rows, []string{set, strconv.Itoa(len(tried)), minus(best), number(f.mean(set, best)), minus(worst), number(f.mean(set, worst)),
			number(f.mean(set, "0")), fmt.Sprintf("%.1f", stat.Mean(ranks[0], nil)), fmt.Sprintf("%.1f", stat.Mean(ranks[1], nil))})
	}
	var b strings.Builder
	b.WriteString(table([]string{"set", "values of I", "best I", "AUC", "worst I", "AUC", "AUC at 0", "mean rank of I > 0", "mean rank of I < 0"}, rows))
	n := len(f.sets)
	fmt.Fprintf(&b, "The best mean is one of distraction on %s sets (the paper: on 80 %%), the worst one on %s (the paper: 53.3 %%), of these %d at the most negative I. The best of so many means is chosen by the test part and is too good.\n\n",
		count(bestDistracts, n), count(worstDistracts, n), farthest)

	common := f.common()
	names := make([]string, len(common))
	for i, s := range common {
		names[i] = "I = " + minus(s)
	}
	text, err := ranked(names, f.table(f.sets, common))
	if err != nil {
		return "", err
	}
	b.WriteString(text)

	var concentrating, distracting []float64 // mean over the values of I, by set
	for _, set := range f.sets {
		var sums, counts [2]float64
		for _, s := range common {
			k := 0
			if steps(s) < 0 {
				k = 1
			}
			if steps(s) != 0 {
				sums[k] += f.mean(set, s)
				counts[k]++
			}
		}
		concentrating, distracting = append(concentrating, sums[0]/counts[0]), append(distracting, sums[1]/counts[1])
	}
	test, err := stats.Wilcoxon(distracting, concentrating)
	if err != nil {
		return "", err
	}
	difference := stat.Mean(distracting, nil) - stat.Mean(concentrating, nil)
	verdict := side(test.P, difference, "is not confirmed: over these sets neither side is ahead", "is confirmed on average", "is refuted on average: concentration is ahead")
	fmt.Fprintf(&b, "Mean over the values of I on each side, distraction less concentration: %s (Wilcoxon's signed-rank test over %d sets: %s). That distraction is the better side %s.\n\n",
		signed(difference), test.N, pValue(test.P), verdict)
	winners, err := winners(a.Curves, f)
	return b.String() + winners, err
}

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// winners says how often the winner changes, and whether that goes with the AUC.
func winners(curves []study.MeanCurve, f figures) (string, error) {
	if len(curves) == 0 {
		return "The curves, which tell how often the winner changes, were not kept.\n", nil
	}
	type side struct{ least, n float64 }
	sides := make(map[string]*[3]side) // I < 0, 0, > 0
	transfers := make(map[string]map[string]float64)
	for _, c := range curves {
		s, err := configOf(c.Config)
		if err != nil {
			return "", err
		}
		if sides[c.Set] == nil {
			sides[c.Set], transfers[c.Set] = &[3]side{}, make(map[string]float64)
		}
		at := &sides[c.Set][1+sign(float64(s.Iterations))]
		at.least, at.n = at.least+c.Least, at.n+1
		transfers[c.Set][strconv.Itoa(s.Iterations)] = c.Least
	}
	var rows [][]string
	var more, together int
	var n int
	for _, set := range f.sets {
		s := sides[set]
		if s == nil {
			continue
		}
		n++
		var x, y []float64
		for _, name := range f.settings {
			if least, ok := transfers[set][name]; ok && len(f.folds[set][name]) > 0 {
				x, y = append(x, least), append(y, f.mean(set, name))
			}
		}
		correlation := stat.Kendall(x, y, nil)
		if s[0].least/s[0].n > s[2].least/s[2].n {
			more++
		}
		if correlation > 0 {
			together++
		}
		rows = append(rows, []string{set, number(s[0].least / s[0].n), number(s[1].least / s[1].n), number(s[2].least / s[2].n), signed(correlation)})
	}
	text := table([]string{"set", "I < 0", "I = 0", "I > 0", "Kendall's τ with the AUC"}, rows)
	return "Least share of held-out bags and heads whose winner changes from one epoch to the next, mean over fits and values of I:\n\n" + text +
		fmt.Sprintf("The winner changes more often under distraction on %s sets. Over the values of I more changes go with a higher AUC on %s.\n", count(more, n), count(together, n)), nil
}
