package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SurvivalCurve is the survival curve of one group of bags, such as a Kaplan-Meier estimate.
type SurvivalCurve struct {
	Name            string
	Times, Survival []float64 // survival is 1 before Times[0] and Survival[i] from Times[i] on; times increase
	Censored        []float64 // times of the censored bags, which get ticks on the curve
	Followed        []float64 // time of event or censoring of each bag, for counting the bags at risk
}

// Limits and measures of the figure.
const (
	mostSurvival = 6
	riskPitch    = 12 * vg.Length(1) // distance between lines of numbers at risk
	riskGap      = 20 * vg.Length(1) // between a name and the centre of a number at risk
)

// Survival draws survival curves as steps, with a tick where a bag is censored. Below the axis it writes the number of bags
// at risk for every group: bags with this time or a later one. x names the time axis, with its unit if there is one.
func Survival(title, x string, curves []SurvivalCurve) (f *Figure, err error) {
	defer about(&err, "drawing survival curves")
	switch {
	case x == "":
		return nil, errors.New("the axis of time needs a name")
	case len(curves) == 0:
		return nil, errors.New("there are no curves")
	case len(curves) > mostSurvival:
		return nil, fmt.Errorf("%d curves; draw at most %d, as they hide one another", len(curves), mostSurvival)
	}
	if err := labelled("curve", curves, func(c SurvivalCurve) string { return c.Name }); err != nil {
		return nil, err
	}
	last := 0.0
	for _, c := range curves {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		last = max(last, c.Times[len(c.Times)-1])
	}
	if last < smallest {
		last = 1
	}
	p := newPlot(x, "Share without event")
	p.X.Min, p.X.Max = -0.02*last, 1.02*last
	p.X.Tick.Marker = ticksUpTo(7, 0, last, false)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = -0.02, 1.02, ticksUpTo(7, 0, 1, false)
	p.Add(grid(true, true))
	names := aligned(plain(9), draw.XLeft)
	var entries []entry
	var groups []string
	some := false
	for i, c := range curves {
		p.Add(&plotter.Line{XYs: c.steps(), LineStyle: line(i)}, painting(func(canvas *draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(canvas)
			for _, t := range c.Censored {
				canvas.DrawGlyphNoClip(censored(colour(i)), vg.Point{X: x(t), Y: y(c.at(t))})
			}
		}))
		entries, groups = append(entries, entry{label: c.Name, line: line(i)}), append(groups, fit(names, c.Name, cellName))
		some = some || len(c.Censored) > 0
	}
	if some {
		entries = append(entries, entry{label: "censored", glyph: censored(ink)})
	}

	table := riskPitch * vg.Length(len(curves)+1)
	return newDrawing(title, entries, figureWidth, curveHeight+table, func(c *draw.Canvas) {
		above := *c
		above.Min.Y += table
		// Names start at the margin, with a gap between them and the first numbers.
		above.Min.X += max(0, widest(names, groups)+riskGap-(p.DataCanvas(above).Min.X-c.Min.X))
		p.Draw(above)
		data := p.DataCanvas(above)
		at, _ := p.Transforms(&data)
		head := names
		head.Font = bold(9).Font
		y := above.Min.Y - riskPitch/2
		c.FillText(head, vg.Point{X: c.Min.X, Y: y}, "At risk")
		numbers := aligned(plain(9), draw.XCenter)
		for i, curve := range curves {
			y -= riskPitch
			names.Color, numbers.Color = colour(i), colour(i)
			c.FillText(names, vg.Point{X: c.Min.X, Y: y}, groups[i])
			for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
				if !tick.IsMinor() {
					c.FillText(numbers, vg.Point{X: at(tick.Value), Y: y}, strconv.Itoa(curve.atRisk(tick.Value)))
				}
			}
		}
	}), nil
}

// check reports why the curve cannot be drawn.
func (c SurvivalCurve) check() error {
	if len(c.Times) == 0 || len(c.Times) != len(c.Survival) {
		return fmt.Errorf("%d times and %d values; give one of each for every step", len(c.Times), len(c.Survival))
	}
	if err := increasing("time", c.Times, notNegative); err != nil {
		return err
	}
	before := 1.0
	for i, s := range c.Survival {
		if !(s >= 0 && s <= before) {
			return fmt.Errorf("value %d is %v after %v; values fall from 1 to 0", i+1, s, before)
		}
		before = s
	}
	last := c.Times[len(c.Times)-1]
	for _, t := range slices.Concat(c.Censored, c.Followed) {
		if !(t >= 0 && t <= last) {
			return fmt.Errorf("a bag's time is %v; it is from 0 to the last time of the curve, %v", t, last)
		}
	}
	return nil
}

// steps returns the corners of the curve.
func (c SurvivalCurve) steps() plotter.XYs {
	points := plotter.XYs{{X: 0, Y: 1}}
	for i, t := range c.Times {
		points = append(points, plotter.XY{X: t, Y: points[len(points)-1].Y}, plotter.XY{X: t, Y: c.Survival[i]})
	}
	return points
}

// at returns the value of the curve at a time.
func (c SurvivalCurve) at(time float64) float64 {
	value := 1.0
	for i, t := range c.Times {
		if t <= time {
			value = c.Survival[i]
		}
	}
	return value
}

// atRisk counts the bags that were followed up to a time or longer.
func (c SurvivalCurve) atRisk(time float64) (n int) {
	for _, t := range c.Followed {
		if t >= time {
			n++
		}
	}
	return n
}

// censored is the marker of a censored bag.
func censored(c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: 3, Shape: upstroke{}}
}

// upstroke is a vertical tick.
type upstroke struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (upstroke) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: s.Color, Width: 0.8}, at.X, at.Y-s.Radius, at.X, at.Y+s.Radius)
}
