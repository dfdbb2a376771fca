package plotting

import (
	"errors"
	"fmt"
	"math"
	"slices"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ScatterPoint is a point of the plane, such as an embedded bag or instance.
type ScatterPoint struct {
	X, Y  float64
	Class string // all points have one, or none has
	Test  bool   // of the test part
}

// Bounds of what a scatter can show.
const (
	mostClasses = 12
	mostPoints  = 20000
)

// classShapes tell classes apart together with the colours, with which their number shares no factor.
var classShapes = []polygon{circle, square, upright, diamond, inverted}

// classGlyph returns the marker of a class: filled, or open for a point of the test part.
func classGlyph(class int, test bool, radius vg.Length) draw.GlyphStyle {
	shape := classShapes[class%len(classShapes)]
	shape.open = test
	return draw.GlyphStyle{Color: colour(class), Radius: radius, Shape: shape}
}

// Scatter draws points with a shape and a colour a class, those of the training part filled and those of the test part
// open and on top. x and y name the axes, such as "First principal component (62 % of the variance)". [PCA] and [TSNE]
// make the points of vectors. Curves, such as a regression, are drawn over the points.
func Scatter(title, x, y string, points []ScatterPoint, curves ...FunctionCurve) (*Figure, error) {
	f, err := scattered(title, x, y, points, curves)
	if err != nil {
		return nil, fmt.Errorf("drawing a scatter: %w", err)
	}
	return f, nil
}

func scattered(title, x, y string, points []ScatterPoint, curves []FunctionCurve) (*Figure, error) {
	if err := checkPoints(x, y, points); err != nil {
		return nil, err
	}
	var c classes
	class, low, high := c.add(points)
	if n := len(c.names) + len(curves); n > mostClasses {
		return nil, fmt.Errorf("%d classes and curves, of which %d at most can be told apart", n, mostClasses)
	}
	if err := checkCurves(curves); err != nil {
		return nil, err
	}

	label := style(10, stdfont.WeightNormal)
	p := newPlot(fit(label, x, figureWidth-1.5*vg.Inch), fit(label, y, scatterHeight-0.8*vg.Inch))
	p.Add(grid(true, true), scatter{points, class})
	entries := c.entries()
	for i, curve := range curves {
		at := pairs(curve.X, curve.Y)
		p.Add(trace(at, len(c.names)+i))
		entries = append(entries, traceEntry(curve.Name, at, len(c.names)+i))
		low.X, low.Y = min(low.X, slices.Min(curve.X)), min(low.Y, slices.Min(curve.Y))
		high.X, high.Y = max(high.X, slices.Max(curve.X)), max(high.Y, slices.Max(curve.Y))
	}
	valueAxis(&p.X, low.X, high.X)
	valueAxis(&p.Y, low.Y, high.Y)
	return newFigure(title, entries, p, figureWidth, scatterHeight), nil
}

// classes are those of points, in the order in which they first stand.
type classes struct {
	names          []string
	training, test bool // whether there are points of the part
}

// add takes note of points and returns the class of each and the corners of the rectangle that holds them.
func (c *classes) add(points []ScatterPoint) (class []int, low, high ScatterPoint) {
	low, high = points[0], points[0]
	for _, p := range points {
		k := slices.Index(c.names, p.Class)
		if k < 0 {
			k = len(c.names)
			c.names = append(c.names, p.Class)
		}
		class = append(class, k)
		c.training, c.test = c.training || !p.Test, c.test || p.Test
		low.X, low.Y = min(low.X, p.X), min(low.Y, p.Y)
		high.X, high.Y = max(high.X, p.X), max(high.Y, p.Y)
	}
	return class, low, high
}

// entries are those of the classes, and of the parts where there are both.
func (c *classes) entries() (list []entry) {
	if len(c.names) > 1 || c.names[0] != "" {
		for i, name := range c.names {
			list = append(list, entry{label: name, glyph: classGlyph(i, !c.training, glyphRadius)})
		}
	}
	if c.training && c.test {
		for _, test := range []bool{false, true} {
			sample := draw.GlyphStyle{Color: ink, Radius: glyphRadius, Shape: polygon{open: test}}
			list = append(list, entry{label: map[bool]string{false: "training: filled", true: "test: open"}[test], glyph: sample})
		}
	}
	return list
}

// scatterHeight is that of the plot.
const scatterHeight = 4.2 * vg.Inch

// checkPoints reports what keeps points from being drawn.
func checkPoints(x, y string, points []ScatterPoint) error {
	if x == "" || y == "" {
		return errors.New("both axes need a name")
	}
	if len(points) == 0 {
		return errors.New("there are no points")
	}
	if len(points) > mostPoints {
		return fmt.Errorf("%d points, of which %d at most can be drawn", len(points), mostPoints)
	}
	for i, p := range points {
		if err := errors.Join(drawable(p.X), drawable(p.Y)); err != nil {
			return fmt.Errorf("point %d: (%v, %v) is not a point that can be drawn", i+1, p.X, p.Y)
		}
		if (p.Class == "") != (points[0].Class == "") {
			return fmt.Errorf("point %d: all points have a class or none, point 1 has %q and this one %q", i+1, points[0].Class, p.Class)
		}
	}
	return nil
}

// scatter draws points, of which class says the class.
type scatter struct {
	points []ScatterPoint
	class  []int
}

// Plot implements [plot.Plotter]. Many points are smaller.
func (s scatter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	radius := min(glyphRadius, max(1.2, glyphRadius*vg.Length(math.Sqrt(400/float64(len(s.points))))))
	for _, test := range []bool{false, true} {
		for i, at := range s.points {
			if at.Test == test {
				c.DrawGlyph(classGlyph(s.class[i], test, radius), vg.Point{X: x(at.X), Y: y(at.Y)})
			}
		}
	}
}
