package plotting

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// ROCCurve has the data of one ROC curve: a label, 0 or 1, and a score for every bag; larger scores are more positive.
type ROCCurve struct {
	Name   string
	Labels []int
	Scores []float64
}

// ROC draws receiver operating characteristic curves, the true positive rate against the false positive rate at every
// threshold, and the diagonal of chance. The legend shows the AUC of each curve. Equal scores make a slanted step.
func ROC(title string, curves []ROCCurve) (*Figure, error) {
	f, err := roc(title, curves)
	if err != nil {
		return nil, fmt.Errorf("drawing ROC curves: %w", err)
	}
	return f, nil
}

func roc(title string, curves []ROCCurve) (*Figure, error) {
	if len(curves) == 0 {
		return nil, errors.New("there are no curves")
	}
	if err := labelled("curve", namesOf(curves, func(c ROCCurve) string { return c.Name })); err != nil {
		return nil, err
	}
	p := rocPlot()
	var entries []entry
	for i, c := range curves {
		points, auc, err := c.points()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		p.Add(&plotter.Line{XYs: points, LineStyle: line(i)})
		entries = append(entries, entry{label: fmt.Sprintf("%s (AUC %.3f)", c.Name, auc), line: line(i)})
	}
	entries = append(entries, entry{label: "chance", line: chance()})
	return newFigure(title, entries, p, squareWidth, squared(p, squareWidth-2*margin)), nil
}

// errOneClass says that all bags of a curve are of one class.
var errOneClass = errors.New("only one class: bags of both are needed")

// check reports why the curve cannot be drawn.
func (c ROCCurve) check() error {
	switch {
	case len(c.Labels) != len(c.Scores):
		return fmt.Errorf("%d labels but %d scores", len(c.Labels), len(c.Scores))
	case len(c.Labels) == 0:
		return errors.New("no labels")
	}
	for i, s := range c.Scores {
		switch {
		case math.IsNaN(s) || math.IsInf(s, 0):
			return fmt.Errorf("the score %v is not a number that can be drawn", s)
		case c.Labels[i] != 0 && c.Labels[i] != 1:
			return fmt.Errorf("label %d: labels are 0 or 1", c.Labels[i])
		}
	}
	if !slices.Contains(c.Labels, 0) || !slices.Contains(c.Labels, 1) {
		return errOneClass
	}
	return nil
}

// points returns the corners of the curve and the area under it.
func (c ROCCurve) points() (plotter.XYs, float64, error) {
	if err := c.check(); err != nil {
		return nil, 0, err
	}
	scores := slices.Clone(c.Scores)
	positive := make([]bool, len(scores))
	for i, l := range c.Labels {
		positive[i] = l == 1
	}
	stat.SortWeightedLabeled(scores, positive, nil)
	tpr, fpr, _ := stat.ROC(nil, scores, positive, nil)
	points := make(plotter.XYs, len(tpr))
	for i := range tpr {
		points[i] = plotter.XY{X: fpr[i], Y: tpr[i]}
	}
	return points, integrate.Trapezoidal(fpr, tpr), nil
}

// rocPlot returns the axes of ROC curves with the diagonal of chance.
func rocPlot() *plot.Plot {
	p := newPlot("False positive rate", "True positive rate")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.01, 1.01, -0.01, 1.01
	p.X.Tick.Marker, p.Y.Tick.Marker = fifths(), fifths()
	p.Add(grid(true, true))
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, LineStyle: chance()})
	return p
}

// fifths are the ticks of a rate.
func fifths() plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i := range 6 {
		v := float64(i) / 5
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.1f", v)})
	}
	return ticks
}
