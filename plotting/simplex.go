package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Trajectory is a sequence of attention weights of a bag of three instances.
type Trajectory struct {
	Name    string       // trajectories of the same name share a stroke and a legend entry
	Weights [][3]float64 // initial weights, then after every step; each is at least 0 and they sum to 1
}

// Measures of the simplex.
const (
	simplexWidth = 5 * vg.Inch
	edgeSpace    = 40 * vg.Length(1) // space beside an edge, for its labels
	cornerSpace  = 20 * vg.Length(1) // space above and below the triangle, for the names of the corners
	stepGap      = 5 * vg.Length(1)  // minimum distance between drawn steps
)

// Simplex draws trajectories of three weights that sum to 1 in a triangle. A corner means all weight on one instance, the
// centre means equal weights; a weight is the distance from the opposite edge. A ring marks the start of a trajectory, a
// disc its end, and dots the steps in between if there is room. corners has the names of the instances: left, right and top.
func Simplex(title string, corners [3]string, trajectories []Trajectory) (f *Figure, err error) {
	defer about(&err, "drawing trajectories on the simplex")
	for i, name := range corners {
		if name == "" {
			return nil, fmt.Errorf("corner %d has no name", i+1)
		}
	}
	if len(trajectories) == 0 {
		return nil, errors.New("there are no trajectories")
	}
	for i, t := range trajectories {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("trajectory %d, %s: %w", i+1, t.Name, err)
		}
	}
	names, group, err := grouped("trajectory", trajectories, func(t Trajectory) string { return t.Name })
	if err != nil {
		return nil, err
	}
	var entries []entry
	for i, name := range names {
		entries = append(entries, entry{label: name, line: line(i)})
	}
	entries = append(entries, entry{label: "begins", glyph: begins(muted)}, entry{label: "ends", glyph: disc(muted)})

	width := simplexWidth - 2*margin
	side := width - 2*edgeSpace
	height := side*vg.Length(math.Sqrt(3)/2) + 2*cornerSpace + 4
	return newDrawing(title, entries, simplexWidth, height, func(c *draw.Canvas) {
		t := ternary{left: vg.Point{X: c.Min.X + edgeSpace, Y: c.Min.Y + cornerSpace + 4}, side: side}
		t.frame(c, corners)
		for i, trajectory := range trajectories {
			t.line(c, trajectory.Weights, group[i])
		}
		for i, trajectory := range trajectories {
			c.DrawGlyphNoClip(begins(colour(group[i])), t.at(trajectory.Weights[0]))
		}
		for i, trajectory := range trajectories {
			c.DrawGlyphNoClip(disc(colour(group[i])), t.at(trajectory.Weights[len(trajectory.Weights)-1]))
		}
	}), nil
}

// check reports why a trajectory cannot be drawn.
func (t Trajectory) check() error {
	if len(t.Weights) == 0 {
		return errors.New("there are no weights")
	}
	for step, weights := range t.Weights {
		if err := each("weight", weights[:], notNegative); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if sum := floats.Sum(weights[:]); math.Abs(sum-1) > 1e-5 {
			return fmt.Errorf("step %d: the weights sum to %v, not to 1", step, sum)
		}
	}
	return nil
}

// begins is the marker for the start of a trajectory.
func begins(c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: glyphRadius + 1.2, Shape: polygon{open: true}}
}

// ternary places weights in an equilateral triangle.
type ternary struct {
	left vg.Point // its left corner
	side vg.Length
}

// at returns the point of weights that sum to 1.
func (t ternary) at(w [3]float64) vg.Point {
	return vg.Point{
		X: t.left.X + t.side*vg.Length(w[1]+w[2]/2),
		Y: t.left.Y + t.side*vg.Length(w[2]*math.Sqrt(3)/2),
	}
}

// frame draws the triangle with its grid, the names of its corners, and along each edge the name of the weight that
// increases there.
func (t ternary) frame(c *draw.Canvas, corners [3]string) {
	tick, name := plain(8), plain(10)
	left, right, top := t.at([3]float64{1, 0, 0}), t.at([3]float64{0, 1, 0}), t.at([3]float64{0, 0, 1})
	for i := 1; i < 5; i++ {
		w := float64(i) / 5
		label := strconv.FormatFloat(w, 'f', 1, 64)
		for _, g := range []struct {
			from, to [3]float64
			offset   vg.Point
			align    draw.XAlignment
		}{
			{[3]float64{w, 0, 1 - w}, [3]float64{w, 1 - w, 0}, vg.Point{X: -4, Y: 3}, draw.XRight},
			{[3]float64{1 - w, w, 0}, [3]float64{0, w, 1 - w}, vg.Point{X: -3, Y: -7}, draw.XCenter},
			{[3]float64{0, 1 - w, w}, [3]float64{1 - w, 0, w}, vg.Point{X: 5}, draw.XLeft},
		} {
			from, to := t.at(g.from), t.at(g.to)
			c.StrokeLine2(draw.LineStyle{Color: rule, Width: 0.5}, from.X, from.Y, to.X, to.Y)
			c.FillText(aligned(tick, g.align), from.Add(g.offset), label)
		}
	}
	c.StrokeLines(draw.LineStyle{Color: muted, Width: 0.8}, []vg.Point{left, right, top, left, right})

	out := 27 * vg.Length(1) // distance of an edge's title from the edge
	sin60, cos60 := vg.Length(math.Sqrt(3)/2), vg.Length(0.5)
	title := func(label string, a, b vg.Point, offset vg.Point, angle float64) {
		s := turned(aligned(plain(9), draw.XCenter), angle)
		c.FillText(s, vg.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}.Add(offset), fit(s, label, t.side*0.6))
	}
	title("← weight of "+corners[0], left, top, vg.Point{X: -out * sin60, Y: out * cos60}, math.Pi/3)
	title("weight of "+corners[1]+" →", left, right, vg.Point{Y: -19}, 0)
	title("← weight of "+corners[2], top, right, vg.Point{X: out * sin60, Y: out * cos60}, -math.Pi/3)

	for _, base := range []struct {
		label string
		at    vg.Length
	}{{corners[0], left.X}, {corners[1], right.X}} {
		label := fit(name, base.label, t.side*0.2+edgeSpace-14)
		half := name.Width(label) / 2
		x := min(max(base.at, left.X-edgeSpace+half), right.X+edgeSpace-half)
		c.FillText(aligned(name, draw.XCenter), vg.Point{X: x, Y: left.Y - 11}, label)
	}
	c.FillText(aligned(name, draw.XCenter), vg.Point{X: top.X, Y: top.Y + 10}, fit(name, corners[2], t.side))
}

// line draws a trajectory of weights, with dots at steps that are far enough apart.
func (t ternary) line(c *draw.Canvas, weights [][3]float64, i int) {
	var way []vg.Point
	for _, w := range weights {
		way = append(way, t.at(w))
	}
	c.StrokeLines(line(i), way)
	last := way[0]
	for _, p := range way {
		if math.Hypot(float64(p.X-last.X), float64(p.Y-last.Y)) >= float64(stepGap) {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: colour(i), Radius: 1.7, Shape: draw.CircleGlyph{}}, p)
			last = p
		}
	}
}
