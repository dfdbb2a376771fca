package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// witness is the section on the witness rate.
func witness(a study.Archive) (string, error) {
	rows, err := witnessRows(a.Results)
	if err != nil {
		return "", err
	}
	g := newGrid(rows, func(r study.Row) (string, string) { return strings.TrimPrefix(r.Set, needlePrefix), label(r) })
	f, err := newFigures(a.Results, named(config.label))
	if err != nil {
		return "", err
	}
	text, err := concentrationHelps(f)
	if err != nil {
		return "", err
	}
	return g.markdown("witness rate") + "After ± stands the standard deviation over drawings of the set where there are several.\n\n" + text + g.instances("witness rate") + f.noted(), nil
}

// concentrationHelps compares I = ±3 and ±5 with 0 at every rate, by a paired t-test over drawings, which share no bags.
func concentrationHelps(f figures[string]) (string, error) {
	type comparison struct {
		set  string
		i    int
		test stats.CorrectedTTest
	}
	var list []comparison
	var p []float64
	const plain = "syn I = 0"
	for _, set := range f.sets {
		for _, i := range []int{-5, -3, 3, 5} {
			setting := config{Pooling: "syn", Iterations: i}.label()
			if !f.has(set, []string{plain, setting}) {
				continue
			}
			test, err := pairedT(f.folds[set][setting], f.folds[set][plain], f.ratio[set])
			if errors.Is(err, stats.ErrTooFew) {
				continue
			}
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", set, setting, err)
			}
			list, p = append(list, comparison{set, i, test}), append(p, test.P)
		}
	}
	if len(list) == 0 {
		return "Whether concentration or distraction helps needs two drawings of a rate at least.\n\n", nil
	}
	holm, err := stats.Holm(p)
	if err != nil {
		return "", err
	}
	rows := make([][]string, 0, len(list))
	rates := make(map[string][]string) // what was found: the rates
	for k, c := range list {
		rate := strings.TrimPrefix(c.set, needlePrefix)
		interval := ""
		if c.test.SE > 0 {
			low, high, err := c.test.Interval(study.Level)
			if err != nil {
				return "", err
			}
			interval = signed(low) + " to " + signed(high)
		}
		rows = append(rows, []string{rate, integer(c.i), signed(c.test.Difference), interval, strconv.Itoa(len(f.keys[c.set])), pValue(p[k]), pValue(holm[k])})
		if holm[k] < alpha {
			what := []string{"distraction", "concentration"}[(1+sign(float64(c.i)))/2] + []string{" hurts", " helps"}[(1+sign(c.test.Difference))/2]
			if !slices.Contains(rates[what], rate) {
				rates[what] = append(rates[what], rate)
			}
		}
	}
	var found []string
	for _, what := range []string{"concentration helps", "concentration hurts", "distraction helps", "distraction hurts"} {
		if len(rates[what]) > 0 {
			found = append(found, what+" at a witness rate of "+listed(rates[what]))
		}
	}
	conclusion := "At no rate do these drawings show that concentration or distraction helps."
	if len(found) > 0 {
		conclusion = sentence(listed(found)) + " Elsewhere these drawings show neither."
	}
	return table([]string{"witness rate", "I", "AUC less that of I = 0", "95 % interval", "n", "paired t-test", "after Holm"}, rows) +
		fmt.Sprintf("Holm's correction is for the %d tests. %s\n\n", len(list), conclusion), nil
}

// pairedT is the corrected resampled t-test. It is undefined where all differences are the same, which shows nothing: p is 1.
func pairedT(a, b []float64, ratio float64) (stats.CorrectedTTest, error) {
	test, err := stats.CorrectedT(a, b, ratio)
	if errors.Is(err, stats.ErrSameDifference) {
		return stats.CorrectedTTest{Difference: round(a[0] - b[0]), P: 1}, nil
	}
	return test, err
}

const needlePrefix = "needle-"

// witnessRate returns the rate in the name of a set.
func witnessRate(set string) (float64, error) {
	name, _ := drawingOf(set)
	text, found := strings.CutPrefix(name, needlePrefix)
	rate, err := strconv.ParseFloat(text, 64)
	if !found || err != nil || !(rate > 0) {
		return 0, fmt.Errorf("%s: no witness rate in the name of the set; names are needle-RATE", set)
	}
	return rate, nil
}

// witnessRows are the rows of a table, drawings put together, by rate.
func witnessRows(results []study.Result) ([]study.Row, error) {
	rows, err := pooledTable(results)
	if err != nil {
		return nil, err
	}
	rates := make(map[string]float64)
	for _, r := range rows {
		if rates[r.Set], err = witnessRate(r.Set); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(rows, func(x, y study.Row) int { return cmp.Compare(rates[x.Set], rates[y.Set]) })
	return rows, nil
}
