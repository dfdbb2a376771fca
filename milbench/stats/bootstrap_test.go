package stats

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"synpool/internal/goldenfile"
)

type bootstrapGolden struct {
	Bootstrap []struct {
		Name, Figure         string
		Level, Low, High, SE float64
		Draws                int
		Values               []float64
		Labels, Groups       []int
	}
	Thresholds []struct {
		Name                             string
		Labels                           []int
		Scores                           []float64
		Wanted, Sensitivity, Specificity float64
	}
	Quantiles []struct {
		Values      []float64
		Q, Quantile float64
	}
}

func readBootstrap(t *testing.T) (g bootstrapGolden) {
	t.Helper()
	g = goldenfile.Read[bootstrapGolden](t, "bootstrap.json")
	if len(g.Bootstrap) < 4 || len(g.Thresholds) < 15 || len(g.Quantiles) < 20 {
		t.Fatalf("%d, %d and %d cases", len(g.Bootstrap), len(g.Thresholds), len(g.Quantiles))
	}
	return g
}

// single returns n units with one item each.
func single(n int) (units [][]int) {
	for i := range n {
		units = append(units, []int{i})
	}
	return units
}

// TestBootstrap compares with scipy.stats.bootstrap (testdata/bootstrap.py), within five standard errors of the
// difference between two sets of draws.
func TestBootstrap(t *testing.T) {
	for _, c := range readBootstrap(t).Bootstrap {
		units := single(len(c.Values))
		if c.Groups != nil {
			units = nil
			for i, g := range c.Groups {
				if g == len(units) {
					units = append(units, nil)
				}
				units[g] = append(units[g], i)
			}
		}
		figure := func(items []int) (float64, error) {
			sum := 0.0
			for _, i := range items {
				sum += c.Values[i]
			}
			return sum / float64(len(items)), nil
		}
		if c.Figure == "auc" {
			figure = func(items []int) (float64, error) {
				labels, scores := make([]int, len(items)), make([]float64, len(items))
				for k, i := range items {
					labels[k], scores[k] = c.Labels[i], c.Values[i]
				}
				return AUC(labels, scores)
			}
		}
		low, high, left, err := Bootstrap(units, c.Draws, c.Level, 1, figure)
		within := 5 * math.Sqrt2 * c.SE
		if err != nil || left != 0 || !near(low, c.Low, within) || !near(high, c.High, within) {
			t.Errorf("%s: %v to %v, %d left out (%v); SciPy %v to %v within %v", c.Name, low, high, left, err, c.Low, c.High, within)
		}
		again, _, _, _ := Bootstrap(units, 100, c.Level, 7, figure)
		if same, _, _, _ := Bootstrap(units, 100, c.Level, 7, figure); same != again {
			t.Errorf("%s: %v and %v of one seed", c.Name, again, same)
		}
		if other, _, _, _ := Bootstrap(units, 100, c.Level, 8, figure); other == again {
			t.Errorf("%s: %v of two seeds", c.Name, again)
		}
	}
	for _, c := range readBootstrap(t).Quantiles {
		if got := Quantile(c.Values, c.Q); !near(got, c.Quantile, tolerance) {
			t.Errorf("quantile %v of %d values: %v, numpy %v", c.Q, len(c.Values), got, c.Quantile)
		}
	}
}

func TestBootstrapRefuses(t *testing.T) {
	one := func([]int) (float64, error) { return 1, nil }
	never := func([]int) (float64, error) { return 0, fmt.Errorf("here: %w", ErrOneClass) }
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		units  [][]int
		draws  int
		level  float64
		figure func([]int) (float64, error)
		want   error
	}{
		"one unit":         {single(1), 9, 0.95, one, ErrTooFew},
		"never defined":    {single(4), 9, 0.95, never, ErrTooFew},
		"a figure's error": {single(4), 9, 0.95, func([]int) (float64, error) { return 0, broken }, broken},
		"no draws":         {single(4), 0, 0.95, one, nil},
		"no level":         {single(4), 9, 1, one, nil},
	} {
		if low, high, _, err := Bootstrap(c.units, c.draws, c.level, 1, c.figure); err == nil || c.want != nil && !errors.Is(err, c.want) || low != 0 || high != 0 {
			t.Errorf("%s: %v to %v, %v", name, low, high, err)
		}
	}
	// One in three draws of three items lacks a class; the others count.
	labels, scores := []int{0, 1, 1}, []float64{1, 2, 3}
	low, high, left, err := Bootstrap(single(3), 3000, 0.9, 1, func(items []int) (float64, error) {
		var y []int
		var s []float64
		for _, i := range items {
			y, s = append(y, labels[i]), append(s, scores[i])
		}
		return AUC(y, s)
	})
	if err != nil || low != 1 || high != 1 || left < 900 || left > 1100 {
		t.Errorf("%v to %v, %d left out, %v", low, high, left, err)
	}
}

// TestThresholdAt compares with roc_curve of scikit-learn (testdata/bootstrap.py).
func TestThresholdAt(t *testing.T) {
	for _, c := range readBootstrap(t).Thresholds {
		threshold, sensitivity, specificity, err := ThresholdAt(c.Labels, c.Scores, c.Wanted)
		if err != nil || !near(sensitivity, c.Sensitivity, tolerance) || !near(specificity, c.Specificity, tolerance) {
			t.Errorf("%s: %v and %v at %v (%v); scikit-learn %v and %v", c.Name, sensitivity, specificity, threshold, err, c.Sensitivity, c.Specificity)
		}
	}
	for _, c := range []struct {
		labels []int
		scores []float64
		wanted float64
		want   error
	}{
		{[]int{1, 1}, []float64{1, 2}, 0.9, ErrOneClass},
		{[]int{0, 1}, []float64{1, 2}, 0, nil},
		{[]int{0, 1}, []float64{1, 2}, 1.1, nil},
		{[]int{0, 1}, []float64{1, math.NaN()}, 0.9, nil},
	} {
		if threshold, _, _, err := ThresholdAt(c.labels, c.scores, c.wanted); err == nil || c.want != nil && !errors.Is(err, c.want) || threshold != 0 {
			t.Errorf("%v: %v, %v", c, threshold, err)
		}
	}
	if _, _, err := SensitivitySpecificity([]int{0, 1}, []float64{1, 2}, math.NaN()); err == nil {
		t.Error("a threshold that is NaN")
	}
}
