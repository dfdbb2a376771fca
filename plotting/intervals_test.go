package plotting

import (
	"math"
	"strings"
	"testing"
)

// rows are made-up figures of settings on sets.
func rows(sets, settings []string, n int) []IntervalRow {
	var rows []IntervalRow
	for i, set := range sets {
		for j, setting := range settings {
			mean := 0.94 - 0.05*float64(i%7) - 0.02*float64(j%7)
			r := IntervalRow{Set: set, Setting: setting, Mean: mean, Low: mean - 0.02, High: mean + 0.03, N: n}
			for k := range n {
				r.Points = append(r.Points, mean+0.05*math.Sin(float64(i+3*j+7*k)))
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestAUCIntervals(t *testing.T) {
	golden(t, "aucintervals.svg")(AUCIntervals("Musk 1 & 2", rows([]string{"musk1", "musk2"}, []string{"syn, I = −3", "softmax", "syn, I = 3"}, 10)))
	for name, c := range map[string]struct {
		title string
		rows  []IntervalRow
	}{
		"one":          {"", rows([]string{"fox"}, []string{"mean"}, 1)},
		"long names":   {long, rows([]string{long, solid}, []string{long, "short"}, 5)},
		"many":         {"Many", rows([]string{"a", "b", "c"}, many(45), 3)},
		"one point":    {"Equal", []IntervalRow{{Set: "a", Setting: "b", Mean: 1, Low: 1, High: 1, N: 1}}},
		"beyond 1":     {"Wide", []IntervalRow{{Set: "a", Setting: "b", Mean: 0.99, Low: 0.5, High: 1.48}}},
		"whole range":  {"Whole", []IntervalRow{{Set: "a", Setting: "b", Mean: 0.5, Points: []float64{0, 1}, Low: 0.1, High: 0.9}}},
		"huge and odd": {odd, []IntervalRow{{Set: odd, Setting: odd, Mean: 0.5, Low: 0.5 - 1e6, High: 0.5 + 1e6}}},
	} {
		fits(t, name)(AUCIntervals(c.title, c.rows))
	}
	good := IntervalRow{Set: "fox", Setting: "mean", Mean: 0.6, Low: 0.5, High: 0.7, N: 2, Points: []float64{0.5, 0.7}}
	with := func(change func(*IntervalRow)) []IntervalRow {
		r := good
		r.Set = "tiger"
		change(&r)
		return []IntervalRow{good, r}
	}
	for want, rows := range map[string][]IntervalRow{
		`setting "mean": occurs twice`:         {good, good},
		"both need a name":                     with(func(r *IntervalRow) { r.Setting = "" }),
		"NaN is not a number":                  with(func(r *IntervalRow) { r.Mean = math.NaN() }),
		"+Inf is not a number":                 with(func(r *IntervalRow) { r.High = math.Inf(1) }),
		"tiger\", setting \"mean\": NaN is no": with(func(r *IntervalRow) { r.Points = []float64{math.NaN()} }),
		"the AUC 60 is not between 0 and 1":    with(func(r *IntervalRow) { r.Mean, r.High = 60, 70 }),
		"the AUC -0.1 is not between 0 and 1":  with(func(r *IntervalRow) { r.Points = []float64{-0.1} }),
		"the mean 0.6 is not in its interval":  with(func(r *IntervalRow) { r.Low, r.High = 0.7, 0.8 }),
		"2 values and N = 1":                   with(func(r *IntervalRow) { r.N = 1 }),
		"600 sets with 1 settings are too":     rows(many(600), []string{"a"}, 1),
		`is a mean over "repeats"`:             with(func(r *IntervalRow) { r.Over = "repeats" }),
	} {
		refused(t, want)(AUCIntervals("", rows))
	}
}

// TestIntervals draws R², which may be far below the neutral value, and refuses what is no measure.
func TestIntervals(t *testing.T) {
	r2 := Measure{Name: "R²", Least: math.Inf(-1), Meaning: "predicting the mean"}
	list := rows([]string{"ages", "weights of the organs"}, []string{"gated", "max", "mean"}, 4)
	for i := range list {
		r := &list[i]
		r.Mean, r.Low, r.High, r.Over = r.Mean-0.9, r.Low-1.1, r.High-0.7, "repeats"
		for k := range r.Points {
			r.Points[k] -= 0.9
		}
	}
	golden(t, "intervals.svg")(Intervals("Every setting by R²", r2, list))
	for _, low := range []float64{-3, -40, -2e7} {
		list[0].Mean, list[0].Low, list[0].High, list[0].Points = low, low, low, nil
		fits(t, "far below")(Intervals("", r2, list))
	}
	list[0].Mean, list[0].High = 1.5, 1.5
	for want, m := range map[string]Measure{
		"the R² 1.5 is above 1":                         r2,
		"drawing intervals: the axis and its line need": {Name: "R²"},
		"the neutral value 2 is no":                     {Name: "AUC", Neutral: 2, Meaning: "chance"},
	} {
		refused(t, want)(Intervals("", m, list))
	}
}

func TestAUCDifferences(t *testing.T) {
	list := rows([]string{"no layer norm", "one head"}, []string{"I = 3", "I = −3"}, 6)
	for i := range list {
		r := &list[i]
		r.Mean, r.Low, r.High, r.Over = r.Mean-0.92, r.Low-0.92, r.High-0.92, "sets"
		for k := range r.Points {
			r.Points[k] -= 0.92
		}
	}
	golden(t, "aucdifferences.svg")(AUCDifferences("One change at a time", list))
	list[0].Points[0] = -1.1
	refused(t, "drawing AUC differences: ")(AUCDifferences("", nil))
	refused(t, "the AUC difference -1.1 is not between -1 and 1")(AUCDifferences("", list))
}

func TestComparison(t *testing.T) {
	rows := []ComparedRow{
		{"musk1: gated", 0.005, -0.03, 0.04, 0, false}, {"musk1: syn I=-3", 0.06, 0.02, 0.10, 1, false}, {"elephant: gated", -0.05, -0.08, -0.02, -1, false}, {"elephant: syn I=-3", 0.001, -0.006, 0.008, 0, true},
	}
	golden(t, "comparison.svg")(Comparison("mean against others", "AUC of mean less that of the other (95 % CI)", 0.01, rows))
	for want, c := range map[string]struct {
		rope float64
		rows []ComparedRow
	}{
		"drawing a comparison: there are no rows":          {0.01, nil},
		"61 rows are too many":                             {0.01, make([]ComparedRow, 61)},
		"a region of practical equivalence of -1":          {-1, rows},
		"x: NaN is not a number":                           {0, []ComparedRow{{"x", math.NaN(), 0, 1, 0, false}}},
		"x: it is the same and has the verdict 1":          {0, []ComparedRow{{"x", 0, 0, 0, 1, true}}},
		"x: the difference 2 is not in its interval [0, 1": {0, []ComparedRow{{"x", 2, 0, 1, 0, false}}},
	} {
		refused(t, want)(Comparison("", "", c.rope, c.rows))
	}
}

func TestAUCLabel(t *testing.T) {
	for want, rows := range map[string][]IntervalRow{
		"AUC (mean over folds ± 95 % CI)":     {{N: 4}, {N: 10}},
		"AUC (mean over 10 folds ± 95 % CI)":  {{N: 10}, {N: 10}},
		"AUC (mean over 5 repeats ± 95 % CI)": {{N: 5, Over: "repeats"}},
		"AUC (mean over repeats ± 95 % CI)":   {{Over: "repeats"}},
	} {
		if got := plainAUC.label(rows); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAUCTicks(t *testing.T) {
	for _, c := range []struct {
		scale     intervalScale
		low, high float64
		want      string
	}{
		{plainAUC, 0.853, 1.004, "0.86 0.88 0.90 0.92 0.94 0.96 0.98 1.00"},
		{plainAUC, 0.5, 1.05, "0.5 0.6 0.7 0.8 0.9 1.0"},
		{plainAUC, 0.95, 1.05, "0.96 0.98 1.00"},
		{plainAUC, 0.41, 0.78, "0.45 0.50 0.55 0.60 0.65 0.70 0.75"},
		{plainAUC, -0.03, 1.03, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{differenceOfAUC, -0.061, 0.112, "−0.05 0.00 +0.05 +0.10"},
		{differenceOfAUC, -1.05, 1.05, "−1.0 −0.8 −0.6 −0.4 −0.2 0.0 +0.2 +0.4 +0.6 +0.8 +1.0"},
	} {
		var got []string
		for _, tick := range c.scale.ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, s, c.want)
		}
	}
}
