package report

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// noise is the section of Table 6.
func noise(a study.Archive) (string, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return "", err
	}
	settings := slices.SortedFunc(slices.Values(f.settings), bySteps)
	head := []string{"set and noise"}
	for _, s := range settings {
		head = append(head, "I = "+minus(s))
	}
	var rows [][]string
	var gains, clean []float64 // of concentration over distraction, with and without noise
	var concentrated, noisy int
	plain := make(map[string]float64)
	gain := func(set string) float64 {
		var sums, counts [2]float64
		for _, s := range settings {
			if s == "0" {
				continue
			}
			k := 0
			if strings.HasPrefix(s, "-") {
				k = 1
			}
			sums[k] += f.mean(set, s)
			counts[k]++
		}
		return sums[0]/counts[0] - sums[1]/counts[1]
	}
	for _, set := range f.complete(settings) {
		row := []string{set}
		best := settings[0]
		for _, s := range settings {
			row = append(row, number(f.mean(set, s)))
			if f.mean(set, s) > f.mean(set, best) {
				best = s
			}
		}
		rows = append(rows, append(row, minus(best)))
		name, _, disturbed := strings.Cut(set, "+")
		if !disturbed {
			plain[name] = gain(set)
			continue
		}
		noisy++
		if best != "0" && !strings.HasPrefix(best, "-") {
			concentrated++
		}
		if before, ok := plain[name]; ok {
			gains, clean = append(gains, gain(set)), append(clean, before)
		}
	}
	text := table(append(head, "best I"), rows)
	text += fmt.Sprintf("With noise the best mean is one of concentration in %s cases. ", count(concentrated, noisy))
	test, err := stats.Wilcoxon(gains, clean)
	if err != nil {
		return "", err
	}
	sum := 0.0
	for i := range gains {
		sum += (gains[i] - clean[i]) / float64(len(gains))
	}
	verdict := side(test.P, sum, "So noise does not favour concentration in a way that these sets show.", "So noise favours concentration.", "So noise favours distraction.")
	return text + fmt.Sprintf("The lead of concentration over distraction (means over I > 0 and over I < 0) changes by %s on average when noise is added (Wilcoxon's signed-rank test over %d cases, several of each set and so not independent: %s). %s\n",
		signed(sum), len(gains), pValue(test.P), verdict), nil
}
