package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// WeightAxis describes one axis of weights: the rows or columns of a table, or the bars of a panel.
type WeightAxis struct {
	Of    string   // what one entry is, in the singular, such as "class capsule" or "instance"
	Names []string // nil for numbers from 1
}

// AttentionWeights has the weights that one pooling or one head gives to the instances of a bag.
type AttentionWeights struct {
	Name    string // may be empty if there is only one
	Weights []float64
}

// winners returns the instances with the largest weight, or none if all weights are equal.
func winners(weights []float64) []int {
	var at []int
	top := slices.Max(weights)
	for i, w := range weights {
		if w == top {
			at = append(at, i)
		}
	}
	if len(at) == len(weights) && len(at) > 1 {
		return nil
	}
	return at
}

// says describes the winner in words.
func says(weights []float64, names []string, s shading) string {
	at := winners(weights)
	switch weight := s.shortly(slices.Max(weights)); len(at) {
	case 0:
		return fmt.Sprintf("no winner, all weights are %s", weight)
	case 1:
		return fmt.Sprintf("winner %s, weight %s", names[at[0]], weight)
	case 2:
		return fmt.Sprintf("winners %s and %s, weight %s each", names[at[0]], names[at[1]], weight)
	default:
		return fmt.Sprintf("%d winners, weight %s each", len(at), weight)
	}
}

// Limits and measures of panels of bars.
const (
	mostPanels    = 12
	mostInstances = 1500
	barsHeight    = 96 * vg.Length(1)
	barsHead      = 15 * vg.Length(1)
	barsGap       = 20 * vg.Length(1)
	axisRoom      = 45 * vg.Length(1) // about the width of the vertical axis
)

// AttentionBars draws the weights of one bag's instances as bars, with one panel per pooling and a mark over the winner: the
// instance with the largest weight. All panels share one scale.
func AttentionBars(title string, instances WeightAxis, poolings []AttentionWeights) (f *Figure, err error) {
	defer about(&err, "drawing attention over a bag")
	if err := checkBars(instances, poolings, drawable); err != nil {
		return nil, err
	}
	return drawBars(title, "Weight", shadingOf(allOf(poolings)), instances, poolings), nil
}

// ShareBars is [AttentionBars] for weights that are shares: the scale goes from 0 to 1 or, if all are at most 0.5, to the largest.
func ShareBars(title string, instances WeightAxis, poolings []AttentionWeights) (f *Figure, err error) {
	defer about(&err, "drawing shares of a bag")
	if err := checkBars(instances, poolings, isShare); err != nil {
		return nil, err
	}
	scale := unit
	if s := shadingOf(allOf(poolings)); s.high <= 0.5 {
		scale = s
	}
	return drawBars(title, "Share", scale, instances, poolings), nil
}

// allOf returns the weights of all poolings.
func allOf(poolings []AttentionWeights) (all []float64) {
	for _, a := range poolings {
		all = append(all, a.Weights...)
	}
	return all
}

// drawBars draws bars on the scale s and labels its axis.
func drawBars(title, label string, s shading, instances WeightAxis, poolings []AttentionWeights) *Figure {
	n := len(poolings[0].Weights)
	names := labels(plain(9), instances.Names, n, cellName)

	var plots []*plot.Plot
	height, won := vg.Length(len(poolings))*barsHeight, false
	for i, a := range poolings {
		p := newPlot("", label)
		p.HideX()
		p.X.Min, p.X.Max = -0.5, float64(n)-0.5
		room := 0.14 * (s.high - s.low) // for the mark of the winner
		p.Y.Min, p.Y.Max = s.low, s.high+room
		if s.low < 0 {
			p.Y.Min -= room / 2
		}
		p.Y.Tick.Marker = s.ticks()
		if i == len(poolings)-1 {
			p.X.Label.Text = capital(instances.Of)
			nameInstances(&p.X, instances.Names, slices.Clone(names))
			height += 30
			if p.X.Tick.Label.Rotation > 0 {
				height += widest(p.X.Tick.Label, names)
			}
		}
		p.Add(grid(false, true), bars(a.Weights, a.Name, says(a.Weights, names, s)))
		plots, won = append(plots, p), won || winners(a.Weights) != nil
	}
	var entries []entry
	if won {
		entries = append(entries, entry{label: "winner: the " + instances.Of + " with the largest weight", glyph: winnerMark()})
	}
	tiles := draw.Tiles{Cols: 1, PadTop: barsHead, PadY: barsGap}
	return newDrawing(title, entries, barsWidth(instances.Names), height, panels(tiles, plots, nil))
}

// checkBars reports why the bars cannot be drawn; a weight may be refused by check.
func checkBars(instances WeightAxis, poolings []AttentionWeights, check func(float64) error) error {
	switch {
	case instances.Of == "":
		return errors.New("the bars need to be of something")
	case len(poolings) == 0 || len(poolings[0].Weights) == 0:
		return errors.New("there are no weights")
	case len(poolings) > mostPanels:
		return fmt.Errorf("%d poolings; at most %d fit in a figure", len(poolings), mostPanels)
	}
	n := len(poolings[0].Weights)
	for i, a := range poolings {
		if a.Name == "" && len(poolings) > 1 {
			return fmt.Errorf("pooling %d has no name", i+1)
		}
		err := each(instances.Of, a.Weights, check)
		if len(a.Weights) != n {
			err = fmt.Errorf("%d weights, but %d of the first", len(a.Weights), n)
		}
		if err != nil && a.Name != "" {
			err = fmt.Errorf("%s: %w", a.Name, err)
		}
		if err != nil {
			return err
		}
	}
	return checkNames(instances.Of, instances.Names, n, mostInstances)
}

// winnerMark is the mark over the bar of the winner.
func winnerMark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(1), Radius: 2.8, Shape: inverted}
}

// barsWidth returns the width of the figure: a text column, or more if many instances have names.
func barsWidth(instances []string) vg.Length {
	return max(figureWidth, vg.Length(len(instances))*namedWidth+axisRoom+2*margin)
}

// nameInstances sets the ticks of the instances; names that do not fit side by side are set vertically.
func nameInstances(axis *plot.Axis, instances, names []string) {
	s := &axis.Tick.Label
	pitch := (barsWidth(instances) - 2*margin - axisRoom) / vg.Length(len(names))
	if instances == nil {
		thin(*s, names, pitch)
	} else if widest(*s, names)+nameGap > pitch {
		if pitch < 11 {
			s.Font.Size = 7.5
		}
		*s = turned(aligned(*s, draw.XRight), math.Pi/2)
	}
	var ticks plot.ConstantTicks
	for i, name := range names {
		if name != "" && s.Rotation > 0 {
			name += "  " // gonum/plot lets a turned label end beyond the axis
		}
		if name != "" {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		}
	}
	axis.Tick.Marker = ticks
}

// bars draws a panel: weights from 0, the winner's in full colour under a mark, and a name and a line of text above.
func bars(weights []float64, name, says string) painting {
	return func(c *draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(c)
		half := 0.4 * (x(1) - x(0))
		if half < 1.5 {
			half /= 0.8
		}
		bar := func(i int, half vg.Length, with color.Color) {
			at, w := x(float64(i)), weights[i]
			fill(c, with, box(at-half, y(min(0, w)), at+half, y(max(0, w))))
		}
		for i := range weights {
			bar(i, half, faded(colour(0)))
		}
		won := winners(weights)
		for _, i := range won {
			bar(i, max(half, 0.5), colour(0))
		}
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.6}, c.Min.X, y(0), c.Max.X, y(0))
		for _, i := range won {
			c.DrawGlyphNoClip(winnerMark(), vg.Point{X: x(float64(i)), Y: y(max(0, weights[i])) + 5})
		}

		left, right := aligned(bold(9), draw.XLeft), aligned(plain(9), draw.XRight)
		middle, width := c.Max.Y+barsHead/2, c.Max.X-c.Min.X
		text := fit(right, says, 0.6*width)
		c.FillText(right, vg.Point{X: c.Max.X, Y: middle}, text)
		c.FillText(left, vg.Point{X: c.Min.X, Y: middle}, fit(left, name, width-right.Width(text)-10))
	}
}
