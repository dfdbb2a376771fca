package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// AttentionWeights has the weights that one pooling or one head gives to the instances of a bag.
type AttentionWeights struct {
	Name    string // may be empty if there is only one
	Weights []float64
}

// check reports why the weights cannot be drawn.
func (a AttentionWeights) check(instance string, n int) error {
	if len(a.Weights) != n {
		return fmt.Errorf("%d weights, but %d of the first", len(a.Weights), n)
	}
	for i, w := range a.Weights {
		if err := drawable(w); err != nil {
			return fmt.Errorf("%s %d: %w", instance, i+1, err)
		}
	}
	return nil
}

// winners returns the instances with the largest weight, or none if all weights are equal.
func (a AttentionWeights) winners() []int {
	var at []int
	top := slices.Max(a.Weights)
	for i, w := range a.Weights {
		if w == top {
			at = append(at, i)
		}
	}
	if len(at) == len(a.Weights) && len(at) > 1 {
		return nil
	}
	return at
}

// says describes the winner in words.
func (a AttentionWeights) says(names []string, s shading) string {
	at := a.winners()
	switch weight := s.shortly(slices.Max(a.Weights)); len(at) {
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

// Limits of the figure.
const (
	mostPanels    = 12
	mostInstances = 1500
)

// Measures of a panel of bars.
const (
	barsHeight = 96 * vg.Length(1)
	barsHead   = 15 * vg.Length(1)
	barsGap    = 20 * vg.Length(1)
)

// AttentionBars draws the weights of one bag's instances as bars, with one panel per pooling and a mark over the winner: the
// instance with the largest weight. All panels share one scale.
func AttentionBars(title string, instances WeightAxis, poolings []AttentionWeights) (*Figure, error) {
	if err := checkBars(instances, poolings); err != nil {
		return nil, fmt.Errorf("drawing attention over a bag: %w", err)
	}
	all := make([][]float64, len(poolings))
	for i, a := range poolings {
		all[i] = a.Weights
	}
	return attentionBars(title, "Weight", shadingOf(all...), instances, poolings), nil
}

// attentionBars draws bars on the scale s and labels its axis.
func attentionBars(title, label string, s shading, instances WeightAxis, poolings []AttentionWeights) *Figure {
	n := len(poolings[0].Weights)
	names := labels(style(9, stdfont.WeightNormal), instances.Names, n, cellName)

	var plots []*plot.Plot
	height := vg.Length(len(poolings)) * barsHeight
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
		p.Add(grid(false, true), bars{a, a.says(names, s)})
		plots = append(plots, p)
	}
	var entries []entry
	if slices.ContainsFunc(poolings, func(a AttentionWeights) bool { return a.winners() != nil }) {
		entries = append(entries, entry{label: "winner: the " + instances.Of + " with the largest weight", glyph: winnerMark()})
	}
	tiles := draw.Tiles{PadTop: barsHead, PadY: barsGap}
	return newDrawing(title, entries, barsWidth(instances.Names), height, panels(tiles, plots...))
}

// checkBars reports why the bars cannot be drawn.
func checkBars(instances WeightAxis, poolings []AttentionWeights) error {
	if instances.Of == "" {
		return errors.New("the bars need to be of something")
	}
	if len(poolings) == 0 || len(poolings[0].Weights) == 0 {
		return errors.New("there are no weights")
	}
	if len(poolings) > mostPanels {
		return fmt.Errorf("%d poolings; at most %d fit in a figure", len(poolings), mostPanels)
	}
	n := len(poolings[0].Weights)
	for i, a := range poolings {
		if a.Name == "" && len(poolings) > 1 {
			return fmt.Errorf("pooling %d has no name", i+1)
		}
		if err := a.check(instances.Of, n); err != nil {
			if a.Name != "" {
				err = fmt.Errorf("%s: %w", a.Name, err)
			}
			return err
		}
	}
	if n > mostInstances {
		return fmt.Errorf("%d %s; at most %d can be told apart", n, plural(instances.Of), mostInstances)
	}
	if instances.Names != nil && len(instances.Names) != n {
		return fmt.Errorf("%d names but %d weights", len(instances.Names), n)
	}
	if instances.Names != nil && n > mostNamed {
		return fmt.Errorf("%d names; at most %d can be read; leave the names out", n, mostNamed)
	}
	return nil
}

// winnerMark is the mark over the bar of the winner.
func winnerMark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(1), Radius: 2.8, Shape: inverted}
}

// barsWidth returns the width of the figure: a text column, or more if many instances have names.
func barsWidth(instances []string) vg.Length {
	return max(figureWidth, vg.Length(len(instances))*namedWidth+axisRoom+2*margin)
}

// axisRoom is about the width of the vertical axis.
const axisRoom = 45 * vg.Length(1)

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

// bars draws a panel: weights from 0, the winner's in full colour under a mark, and a line of text above.
type bars struct {
	AttentionWeights
	says string
}

// Plot implements [plot.Plotter].
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := 0.4 * (x(1) - x(0))
	if half < 1.5 {
		half /= 0.8
	}
	bar := func(i int, half vg.Length, with color.Color) {
		from, to := y(min(0, b.Weights[i])), y(max(0, b.Weights[i]))
		fill(&c, with, vg.Rectangle{Min: vg.Point{X: x(float64(i)) - half, Y: from}, Max: vg.Point{X: x(float64(i)) + half, Y: to}})
	}
	for i := range b.Weights {
		bar(i, half, faded(colour(0)))
	}
	for _, i := range b.winners() {
		bar(i, max(half, 0.5), colour(0))
	}
	c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.6}, c.Min.X, y(0), c.Max.X, y(0))
	for _, i := range b.winners() {
		c.DrawGlyphNoClip(winnerMark(), vg.Point{X: x(float64(i)), Y: y(max(0, b.Weights[i])) + 5})
	}

	head := aligned(style(9, stdfont.WeightBold), draw.XLeft)
	says := aligned(style(9, stdfont.WeightNormal), draw.XRight)
	middle, width := c.Max.Y+barsHead/2, c.Max.X-c.Min.X
	text := fit(says, b.says, 0.6*width)
	c.FillText(says, vg.Point{X: c.Max.X, Y: middle}, text)
	c.FillText(head, vg.Point{X: c.Min.X, Y: middle}, fit(head, b.Name, width-says.Width(text)-10))
}
