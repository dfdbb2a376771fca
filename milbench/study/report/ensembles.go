package report

import (
	"errors"
	"fmt"
	"strings"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// ensembles is the section on means of several networks' scores.
func ensembles(a study.Archive) (string, error) {
	f, err := newFigures(a.Results, func(r study.Result) string {
		c, err := configOf(r.Config)
		if err != nil {
			return string(r.Config)
		}
		name := c.label()
		if c.Members > 0 {
			name += fmt.Sprintf(", mean of %d", c.Members)
		}
		return name
	})
	if err != nil {
		return "", err
	}
	var rows [][]string
	var better, worse, cases int
	sum := 0.0
	for _, set := range f.sets {
		for _, joined := range f.settings {
			single, _, found := strings.Cut(joined, ", mean of ")
			if !found || len(f.folds[set][joined]) == 0 || len(f.folds[set][single]) == 0 {
				continue
			}
			test, err := stats.CorrectedT(f.folds[set][joined], f.folds[set][single], f.ratio[set])
			if errors.Is(err, stats.ErrSameDifference) {
				test.P, err = 1, nil
			}
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", set, joined, err)
			}
			d := f.mean(set, joined) - f.mean(set, single)
			rows = append(rows, []string{set + ", " + single, number(f.mean(set, single)), number(f.mean(set, joined)), signed(d), pValue(test.P)})
			cases++
			sum += d
			switch {
			case test.P < alpha && d > 0:
				better++
			case test.P < alpha && d < 0:
				worse++
			}
		}
	}
	return table([]string{"set, setting", "one network", "ensemble", "difference", "corrected resampled t-test"}, rows) +
		fmt.Sprintf("An ensemble gains %s on average; by the test, each alone, it is better in %s cases and worse in %d.\n", signed(sum/float64(max(cases, 1))), count(better, cases), worse), nil
}
