package plotting

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// SweepCurve is the AUC, or a share, at different values of one number.
type SweepCurve struct {
	Name      string
	X         []float64 // the values, increasing
	Mean      []float64 // mean at each value, 0 to 1
	Low, High []float64 // 95 % confidence interval at each value; nil for none
}

// Sweep draws the AUC, or a share, against a number; value and axis name them. With up to six curves, ribbons show the confidence
// intervals. A line marks an AUC of 0.5.
func Sweep(title, axis, value string, curves []SweepCurve) (f *Figure, err error) {
	defer about(&err, "drawing a sweep")
	switch {
	case len(curves) == 0:
		return nil, errors.New("there are no curves")
	case axis == "" || value == "":
		return nil, errors.New("the axis has no name")
	}
	if err := labelled("curve", curves, func(c SweepCurve) string { return c.Name }); err != nil {
		return nil, err
	}
	p := newPlot(axis, value)
	p.Add(grid(true, true))
	var entries []entry
	var seen []float64
	ribbons := false
	for i, c := range curves {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		seen = slices.Concat(seen, c.Mean)
		if c.Low != nil && len(curves) <= mostRibbons {
			ribbons = true
			seen = slices.Concat(seen, c.Low, c.High)
			p.Add(ribbon(c.X, c.Low, c.High, colour(i)))
		}
		points := pairs(c.X, c.Mean)
		curve, e := trace(c.Name, points, i)
		p.Add(curve, &plotter.Scatter{XYs: points, GlyphStyle: glyph(i)})
		e.glyph = glyph(i)
		entries = append(entries, e)
	}
	if ribbons {
		entries = append(entries, ribbonEntry("95 % interval"))
	}
	points := pointTicks(curves)
	if valueAxis(&p.X, p.X.Min, p.X.Max); points != nil {
		p.X.Tick.Marker = points
	}
	valueAxis(&p.Y, slices.Min(seen), slices.Max(seen))
	if value == "AUC" && p.Y.Min <= 0.5 && p.Y.Max >= 0.5 {
		p.Add(segment(plotter.XY{X: p.X.Min, Y: 0.5}, plotter.XY{X: p.X.Max, Y: 0.5}, chance()))
		entries = append(entries, entry{label: "chance", line: chance()})
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// check reports why a curve cannot be drawn.
func (c SweepCurve) check() error {
	if len(c.X) == 0 {
		return errors.New("there are no values")
	}
	if len(c.Mean) != len(c.X) || (c.Low != nil || c.High != nil) && (len(c.Low) != len(c.X) || len(c.High) != len(c.X)) {
		return fmt.Errorf("%d values, %d means and intervals from %d to %d ends do not go together", len(c.X), len(c.Mean), len(c.Low), len(c.High))
	}
	if err := increasing("point", c.X, drawable); err != nil {
		return err
	}
	if err := each("AUC", c.Mean, isFraction); err != nil {
		return err
	}
	for i := range c.Low {
		if err := checkInterval("mean", c.Low[i], c.Mean[i], c.High[i]); err != nil {
			return fmt.Errorf("point %d: %w", i+1, err)
		}
	}
	return nil
}

// pointTicks returns a tick at each value on the axis, if they are up to six whole numbers that are not too close for their labels.
func pointTicks(curves []SweepCurve) plot.ConstantTicks {
	var at []float64
	for _, c := range curves {
		at = append(at, c.X...)
	}
	slices.Sort(at)
	if at = slices.Compact(at); len(at) < 2 || len(at) > 6 {
		return nil
	}
	var ticks plot.ConstantTicks
	for i, x := range at {
		if x != math.Trunc(x) || math.Abs(x) >= 1e6 || i > 0 && x-at[i-1] < (at[len(at)-1]-at[0])/20 {
			return nil
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: strings.Replace(strconv.FormatFloat(x, 'f', 0, 64), "-", "−", 1)})
	}
	return ticks
}
