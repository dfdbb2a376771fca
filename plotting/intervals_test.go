package plotting

import (
	"fmt"
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
	f, err := AUCIntervals("Musk 1 & 2", rows([]string{"musk1", "musk2"}, []string{"syn, I = −3", "softmax", "syn, I = 3"}, 10))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "aucintervals.svg")
	framed(t, "golden", f)
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
	f, err := Intervals("Every setting by R²", r2, list)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "intervals.svg")
	framed(t, "golden", f)
	for _, low := range []float64{-3, -40, -2e7} {
		list[0].Mean, list[0].Low, list[0].High, list[0].Points = low, low, low, nil
		if f, err = Intervals("", r2, list); err != nil {
			t.Fatal(err)
		}
		framed(t, "far below", f)
	}
	list[0].Mean, list[0].High = 1.5, 1.5
	for want, m := range map[string]Measure{
		"the R² 1.5 is above 1":     r2,
		"the axis and its line":     {Name: "R²"},
		"the neutral value 2 is no": {Name: "AUC", Neutral: 2, Meaning: "chance"},
	} {
		if _, err := Intervals("", m, list); err == nil || !strings.HasPrefix(err.Error(), "drawing intervals") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
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
	f, err := AUCDifferences("One change at a time", list)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "aucdifferences.svg")
	framed(t, "golden", f)
	list[0].Points[0] = -1.1
	if _, err := AUCDifferences("", list); err == nil || !strings.Contains(err.Error(), "the AUC difference -1.1 is not between -1 and 1") {
		t.Errorf("error %v", err)
	}
	if _, err := AUCDifferences("", nil); err == nil || !strings.Contains(err.Error(), "drawing AUC differences: there are no rows") {
		t.Errorf("error %v", err)
	}
}

func TestAUCIntervalsFit(t *testing.T) {
	long := strings.Repeat("a long name of a file ", 6)
	var many []string
	for i := range 45 {
		many = append(many, fmt.Sprintf("syn γ=%d", i))
	}
	for name, c := range map[string]struct {
		title string
		rows  []IntervalRow
	}{
		"one":          {"", rows([]string{"fox"}, []string{"mean"}, 1)},
		"long names":   {strings.Repeat("What this is about ", 12), rows([]string{long, strings.ReplaceAll(long, " ", "_")}, []string{long, "short"}, 5)},
		"many":         {"Many", rows([]string{"a", "b", "c"}, many, 3)},
		"one point":    {"Equal", []IntervalRow{{Set: "a", Setting: "b", Mean: 1, Low: 1, High: 1, N: 1}}},
		"beyond 1":     {"Wide", []IntervalRow{{Set: "a", Setting: "b", Mean: 0.99, Low: 0.5, High: 1.48}}},
		"whole range":  {"Whole", []IntervalRow{{Set: "a", Setting: "b", Mean: 0.5, Points: []float64{0, 1}, Low: 0.1, High: 0.9}}},
		"huge and odd": {"<&>\"\x00\xff\n", []IntervalRow{{Set: "<&\xff", Setting: "日本\t\x00", Mean: 0.5, Low: 0.5 - 1e6, High: 0.5 + 1e6}}},
	} {
		f, err := AUCIntervals(c.title, c.rows)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
	}
}

func TestAUCIntervalsRefuses(t *testing.T) {
	good := IntervalRow{Set: "fox", Setting: "mean", Mean: 0.6, Low: 0.5, High: 0.7, N: 2, Points: []float64{0.5, 0.7}}
	with := func(change func(*IntervalRow)) []IntervalRow {
		r := good
		r.Set = "tiger"
		change(&r)
		return []IntervalRow{good, r}
	}
	for want, rows := range map[string][]IntervalRow{
		"there are no rows":                   nil,
		`setting "mean" occurs twice`:         {good, good},
		"both need a name":                    with(func(r *IntervalRow) { r.Setting = "" }),
		"NaN is not a number":                 with(func(r *IntervalRow) { r.Mean = math.NaN() }),
		"+Inf is not a number":                with(func(r *IntervalRow) { r.High = math.Inf(1) }),
		"NaN is not a number that can":        with(func(r *IntervalRow) { r.Points = []float64{math.NaN()} }),
		"the AUC 60 is not between 0 and 1":   with(func(r *IntervalRow) { r.Mean, r.High = 60, 70 }),
		"the AUC -0.1 is not between 0 and 1": with(func(r *IntervalRow) { r.Points = []float64{-0.1} }),
		"the mean 0.6 is not in its interval": with(func(r *IntervalRow) { r.Low, r.High = 0.7, 0.8 }),
		"2 values and N = 1":                  with(func(r *IntervalRow) { r.N = 1 }),
		"600 sets with 1 settings are too":    rows(many(600), []string{"a"}, 1),
		`is a mean over "repeats"`:            with(func(r *IntervalRow) { r.Over = "repeats" }),
	} {
		f, err := AUCIntervals("", rows)
		if f != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
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
