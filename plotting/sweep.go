package plotting

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// SweepCurve is the AUC at different values of one number.
type SweepCurve struct {
	Name      string
	X         []float64 // the values, increasing
	Mean      []float64 // mean AUC at each value
	Low, High []float64 // 95 % confidence interval at each value; nil for none
}

// Scale is the kind of scale of an axis.
type Scale int

// The scales.
const (
	Linear Scale = iota
	Logarithmic
)

// Sweep draws the AUC against a number; axis is its name. With up to six curves, ribbons show the confidence intervals.
func Sweep(title, axis string, scale Scale, curves []SweepCurve) (*Figure, error) {
	f, err := sweep(title, axis, scale, curves)
	if err != nil {
		return nil, fmt.Errorf("drawing a sweep: %w", err)
	}
	return f, nil
}

func sweep(title, axis string, scale Scale, curves []SweepCurve) (*Figure, error) {
	if len(curves) == 0 {
		return nil, errors.New("there are no curves")
	}
	if axis == "" {
		return nil, errors.New("the axis has no name")
	}
	if scale != Linear && scale != Logarithmic {
		return nil, fmt.Errorf("there is no scale %d", scale)
	}
	if err := labelled("curve", namesOf(curves, func(c SweepCurve) string { return c.Name })); err != nil {
		return nil, err
	}
	p := newPlot(axis, "AUC")
	p.Add(grid(true, true))
	var entries []entry
	var seen []float64
	ribbons := false
	for i, c := range curves {
		if err := c.check(scale); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		x := c.X
		if scale == Logarithmic {
			x = nil
			for _, v := range logPairs(c.X, c.X) {
				x = append(x, v.X)
			}
		}
		seen = slices.Concat(seen, c.Mean)
		if c.Low != nil && len(curves) <= mostRibbons {
			ribbons = true
			seen = slices.Concat(seen, c.Low, c.High)
			p.Add(ribbon(x, c.Low, c.High, colour(i)))
		}
		points := pairs(x, c.Mean)
		p.Add(trace(points, i), &plotter.Scatter{XYs: points, GlyphStyle: glyph(i)})
		e := traceEntry(c.Name, points, i)
		e.glyph = glyph(i)
		entries = append(entries, e)
	}
	if ribbons {
		entries = append(entries, ribbonEntry("95 % interval"))
	}
	if scale == Logarithmic {
		logAxis(&p.X, p.X.Min, p.X.Max)
	} else {
		valueAxis(&p.X, p.X.Min, p.X.Max)
	}
	valueAxis(&p.Y, slices.Min(seen), slices.Max(seen))
	if p.Y.Min <= 0.5 && p.Y.Max >= 0.5 {
		level := plotter.XYs{{X: p.X.Min, Y: 0.5}, {X: p.X.Max, Y: 0.5}}
		p.Add(&plotter.Line{XYs: level, LineStyle: chance()})
		entries = append(entries, entry{label: "chance", line: chance()})
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// check reports why a curve cannot be drawn.
func (c SweepCurve) check(scale Scale) error {
	if len(c.X) == 0 {
		return errors.New("there are no values")
	}
	if len(c.Mean) != len(c.X) || (c.Low != nil || c.High != nil) && (len(c.Low) != len(c.X) || len(c.High) != len(c.X)) {
		return fmt.Errorf("%d values, %d means and intervals from %d to %d ends do not go together", len(c.X), len(c.Mean), len(c.Low), len(c.High))
	}
	for i, x := range c.X {
		err := drawable(x)
		if err == nil && scale == Logarithmic && x < smallest {
			err = fmt.Errorf("%v is not above 0, where a logarithmic axis begins", x)
		}
		if err == nil && i > 0 && x <= c.X[i-1] {
			err = fmt.Errorf("%v after %v; give the values increasing", x, c.X[i-1])
		}
		if v := c.Mean[i]; err == nil && !(v >= 0 && v <= 1) {
			err = fmt.Errorf("the AUC %v is not between 0 and 1", v)
		}
		if err == nil && c.Low != nil && !(c.Low[i] <= c.Mean[i] && c.Mean[i] <= c.High[i] && drawable(c.Low[i]) == nil && drawable(c.High[i]) == nil) {
			err = fmt.Errorf("the mean %v is not in its interval [%v, %v]", c.Mean[i], c.Low[i], c.High[i])
		}
		if err != nil {
			return fmt.Errorf("point %d: %w", i+1, err)
		}
	}
	return nil
}
