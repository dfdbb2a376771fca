package plotting

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// curves are drawn from normal scores, the first the furthest apart.
func curves(n int) []ROCCurve {
	random := rand.New(rand.NewPCG(1, 2))
	var curves []ROCCurve
	for i := range n {
		c := ROCCurve{Name: fmt.Sprintf("setting %d", i+1)}
		for j := range 92 {
			c.Labels = append(c.Labels, j%2)
			c.Scores = append(c.Scores, float64(j%2)*(2.5-0.6*float64(i))+random.NormFloat64())
		}
		curves = append(curves, c)
	}
	return curves
}

func TestROC(t *testing.T) {
	f, err := ROC("Pooled scores of Musk 1", curves(4))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "roc.svg")
	framed(t, "golden", f)
	f, err = ROC("", curves(1))
	if err != nil {
		t.Fatal(err)
	}
	framed(t, "one", f)
	all := curves(28)
	all[3].Name = strings.Repeat("a long name ", 20)
	f, err = ROC(strings.Repeat("A long title ", 20), all)
	if err != nil {
		t.Fatal(err)
	}
	framed(t, "many", f)
}

func TestROCPoints(t *testing.T) {
	// Scores 3+ 2+ 2- 1- 1+ 0-, counted by hand: the tied pairs make slanted steps.
	c := ROCCurve{"ties", []int{0, 1, 1, 0, 0, 1}, []float64{0, 3, 2, 2, 1, 1}}
	points, auc, err := c.points()
	if err != nil {
		t.Fatal(err)
	}
	third := 1.0 / 3
	want := plotter.XYs{{X: 0, Y: 0}, {X: 0, Y: third}, {X: third, Y: 2 * third}, {X: 2 * third, Y: 1}, {X: 1, Y: 1}}
	near := func(a, b plotter.XY) bool { return math.Abs(a.X-b.X)+math.Abs(a.Y-b.Y) < 1e-12 }
	if !slices.EqualFunc(points, want, near) {
		t.Errorf("points %v, want %v", points, want)
	}
	if math.Abs(auc-7.0/9) > 1e-12 {
		t.Errorf("AUC %v, want 7/9", auc)
	}
	if !slices.Equal(c.Scores, []float64{0, 3, 2, 2, 1, 1}) {
		t.Error("the caller's scores are sorted")
	}
}

// TestROCArea: the trapezoids under the curve are the Mann-Whitney AUC, ties or not.
func TestROCArea(t *testing.T) {
	for _, c := range curves(3) {
		for _, coarse := range []bool{false, true} {
			if coarse {
				for i := range c.Scores {
					c.Scores[i] = math.Round(c.Scores[i])
				}
			}
			points, auc, err := c.points()
			if err != nil {
				t.Fatal(err)
			}
			area := 0.0
			for i := 1; i < len(points); i++ {
				area += (points[i].X - points[i-1].X) * (points[i].Y + points[i-1].Y) / 2
			}
			if math.Abs(area-auc) > 1e-12 {
				t.Errorf("%s: area %v, AUC %v", c.Name, area, auc)
			}
		}
	}
}

func TestROCRefuses(t *testing.T) {
	for want, c := range map[string]ROCCurve{
		"curve 1 has no name":   {Labels: []int{0, 1}, Scores: []float64{0, 1}},
		"a: 2 labels but 1":     {"a", []int{0, 1}, []float64{1}},
		"a: no labels":          {Name: "a"},
		"NaN":                   {"a", []int{0, 1}, []float64{1, math.NaN()}},
		"-Inf is not a number":  {"a", []int{0, 1}, []float64{1, math.Inf(-1)}},
		"only one class":        {"a", []int{1, 1}, []float64{1, 2}},
		"labels are 0 or 1":     {"a", []int{0, 2}, []float64{1, 2}},
		"drawing ROC curves: a": {"a", []int{0, 0}, []float64{1, 2}},
	} {
		f, err := ROC("", []ROCCurve{c})
		if f != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	twice := curves(2)
	twice[1].Name = twice[0].Name
	refused(t, `drawing ROC curves: the curve "setting 1" occurs twice`)(ROC("", twice))
	refused(t, "29 names are too many to tell apart; draw at most 28")(ROC("", curves(29)))
	if _, err := ROC("", nil); err == nil || !strings.Contains(err.Error(), "there are no curves") {
		t.Errorf("no curves: %v", err)
	}
	if _, err := ROC("", []ROCCurve{{"a", []int{1}, []float64{1}}}); !errors.Is(err, errOneClass) {
		t.Errorf("one class: %v", err)
	}
}
