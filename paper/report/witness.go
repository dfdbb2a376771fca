package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// witness is the section on the witness rate.
func witness(a results.Archive) (string, error) {
	g, err := witnessGrid(a.Results)
	if err != nil {
		return "", err
	}
	f, err := newFigures(a.Results, named(config.withScale))
	if err != nil {
		return "", err
	}
	list, err := scalesOf(a.Results)
	if err != nil {
		return "", err
	}
	steps, err := stepsByRate(f, list)
	if err != nil {
		return "", err
	}
	scales, err := scaleByRate(f, list)
	if err != nil {
		return "", err
	}
	const head = "setting, by witness rate"
	return g.markdown(head) + "After ± stands the standard deviation over drawings of the set where there are several. S is the scale of the scores before the softmax.\n\n" +
		g.reached() + steps + scales + g.instances(head) + f.noted(), nil
}

// found is the AUC from which on a setting is said to find what tells.
const found = 0.9

// witnessGrid has a line for each setting and a column for each witness rate.
func witnessGrid(fits []results.Result) (grid, error) {
	rows, err := witnessRows(fits)
	return newGrid(rows, func(r results.Row) (string, string) {
		return rowNamed(config.withScale)(r), strings.TrimPrefix(r.Set, needlePrefix)
	}), err
}

// from returns the least witness rate from which on all rows of a line are as said, "" if there is none.
func (g grid) from(line string, is func(results.Row) bool) (rate string) {
	for _, column := range slices.Backward(g.columns) {
		r, there := g.cells[line][column]
		if there && !is(r) {
			break
		}
		if there {
			rate = column
		}
	}
	return rate
}

// finds reports whether the mean AUC of a row is [found].
func finds(r results.Row) bool { return round(r.Mean) >= found }

// reached says from which witness rate on each setting's mean AUC is [found], the lines of one rate together.
func (g grid) reached() string {
	from := make(map[string][]string)
	for _, line := range g.lines {
		least := g.from(line, finds)
		from[least] = append(from[least], line)
	}
	text := fmt.Sprintf("A mean AUC of %.1f is reached, and held at all higher rates:\n\n", found)
	for _, rate := range append(slices.Clone(g.columns), "") {
		where := "from a rate of " + rate + " on"
		if rate == "" {
			where = "nowhere"
		}
		if len(from[rate]) > 0 {
			text += "- " + where + ": " + strings.Join(from[rate], "; ") + ".\n"
		}
	}
	return text + "\n"
}

// comparison is a paired t-test of two settings over the drawings of a set, which share no bags.
type comparison struct {
	set  string
	of   []string // the cells that say what is compared
	n    int
	test stats.CorrectedTTest
}

// compare adds the test of a setting less another one on a set, if the set has both and has drawings enough.
func (f figures[K]) compare(list []comparison, set string, a, b K, of ...string) ([]comparison, error) {
	if !f.has(set, []K{a, b}) {
		return list, nil
	}
	test, err := pairedT(f.folds[set][a], f.folds[set][b], f.ratio[set])
	if errors.Is(err, stats.ErrTooFew) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s, %v against %v: %w", set, a, b, err)
	}
	return append(list, comparison{set, of, len(f.keys[set]), test}), nil
}

// compared returns the table of comparisons, whose first columns are the rate and what is compared, and their p after Holm.
func compared(list []comparison, columns []string, difference string) (text string, holm []float64, err error) {
	var p []float64
	for _, c := range list {
		p = append(p, c.test.P)
	}
	if holm, err = stats.Holm(p); err != nil {
		return "", nil, err
	}
	rows := make([][]string, 0, len(list))
	for k, c := range list {
		interval := ""
		if c.test.SE > 0 {
			low, high, err := c.test.Interval(results.Level)
			if err != nil {
				return "", nil, err
			}
			interval = signed(low) + " to " + signed(high)
		}
		row := append([]string{strings.TrimPrefix(c.set, needlePrefix)}, c.of...)
		rows = append(rows, append(row, signed(c.test.Difference), interval, strconv.Itoa(c.n), pValue(p[k]), pValue(holm[k])))
	}
	head := append(append([]string{"witness rate"}, columns...), difference, "95 % interval", "n", "paired t-test", "after Holm")
	return table(head, rows), holm, nil
}

// scalesOf returns the scales of Syn among results, in order.
func scalesOf(fits []results.Result) ([]float64, error) {
	var list []float64
	for _, r := range fits {
		c, err := configOf(r.Config)
		if err != nil {
			return nil, err
		}
		if c.Pooling == "syn" && !slices.Contains(list, c.Scale) {
			list = append(list, c.Scale)
		}
	}
	slices.Sort(list)
	return list, nil
}

// stepsByRate compares I = ±3 and ±5 with 0 at every rate and scale.
func stepsByRate(f figures[string], scales []float64) (string, error) {
	var list []comparison
	var steps []int
	var at []float64
	for _, set := range f.sets {
		for _, scale := range scales {
			for _, i := range []int{-5, -3, 3, 5} {
				n := len(list)
				var err error
				setting, plain := config{Pooling: "syn", Iterations: i, Scale: scale}, config{Pooling: "syn", Scale: scale}
				if list, err = f.compare(list, set, setting.withScale(), plain.withScale(), short(scale), integer(i)); err != nil {
					return "", err
				}
				if len(list) > n {
					steps, at = append(steps, i), append(at, scale)
				}
			}
		}
	}
	if len(list) == 0 {
		return "Whether concentration or distraction helps needs two drawings of a rate at least.\n\n", nil
	}
	text, holm, err := compared(list, []string{"S", "I"}, "AUC less that of I = 0")
	if err != nil {
		return "", err
	}
	where := make(map[string][]string) // what was found: the rates and scales
	for k, c := range list {
		if holm[k] < alpha {
			what := []string{"distraction", "concentration"}[(1+sign(float64(steps[k])))/2] + []string{" hurts", " helps"}[(1+sign(c.test.Difference))/2]
			place := strings.TrimPrefix(c.set, needlePrefix) + " (S = " + short(at[k]) + ")"
			if !slices.Contains(where[what], place) {
				where[what] = append(where[what], place)
			}
		}
	}
	var verdicts []string
	for _, what := range []string{"concentration helps", "concentration hurts", "distraction helps", "distraction hurts"} {
		if len(where[what]) > 0 {
			verdicts = append(verdicts, what+" at a witness rate of "+listed(where[what]))
		}
	}
	conclusion := "These drawings show at no rate that concentration or distraction helps or hurts."
	if len(verdicts) > 0 {
		conclusion = sentence(listed(verdicts)) + " At other rates we cannot tell."
	}
	return text + fmt.Sprintf("Holm's correction is for the %d tests. %s\n\n", len(list), conclusion), nil
}

// scaleByRate compares the least scale with the largest, without steps, at every rate.
func scaleByRate(f figures[string], scales []float64) (string, error) {
	if len(scales) < 2 {
		return "", nil
	}
	low, high := scales[0], scales[len(scales)-1]
	var list []comparison
	for _, set := range f.sets {
		var err error
		if list, err = f.compare(list, set, config{Pooling: "syn", Scale: low}.withScale(), config{Pooling: "syn", Scale: high}.withScale()); err != nil {
			return "", err
		}
	}
	if len(list) == 0 {
		return "", nil
	}
	text, holm, err := compared(list, nil, fmt.Sprintf("AUC of S = %s less that of S = %s, I = 0", short(low), short(high)))
	if err != nil {
		return "", err
	}
	var better, worse []string
	for k, c := range list {
		rate := strings.TrimPrefix(c.set, needlePrefix)
		switch {
		case holm[k] < alpha && c.test.Difference > 0:
			better = append(better, rate)
		case holm[k] < alpha:
			worse = append(worse, rate)
		}
	}
	conclusion := "These drawings show at no rate that the scale matters."
	switch {
	case len(better) > 0 && len(worse) > 0:
		conclusion = "The smaller scale is better at a witness rate of " + listed(better) + " and worse at " + listed(worse) + "."
	case len(better) > 0:
		conclusion = "The smaller scale is better at a witness rate of " + listed(better) + "."
	case len(worse) > 0:
		conclusion = "The smaller scale is worse at a witness rate of " + listed(worse) + "."
	}
	return text + fmt.Sprintf("Holm's correction is for the %d tests. %s\n\n", len(list), conclusion), nil
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
func witnessRows(fits []results.Result) ([]results.Row, error) {
	rows, err := pooledTable(fits)
	if err != nil {
		return nil, err
	}
	rates := make(map[string]float64)
	for _, r := range rows {
		if rates[r.Set], err = witnessRate(r.Set); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(rows, func(x, y results.Row) int { return cmp.Compare(rates[x.Set], rates[y.Set]) })
	return rows, nil
}
