package plotting

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ScatterPoint is a point in the plane, such as an embedded bag or instance.
type ScatterPoint struct {
	X, Y  float64
	Class string // set for all points or for none
	Test  bool   // whether the point is in the test part
}

// ScatterPanel is one of several scatter plots.
type ScatterPanel struct {
	Name   string // drawn over the panel
	Points []ScatterPoint
}

// Limits and measures of scatter plots.
const (
	mostClasses        = 12
	mostPoints         = 20000
	scatterHeight      = 4.2 * vg.Inch
	scatterPanelHeight = 128 * vg.Length(1) // of a panel's data area
)

// Scatter draws points with one shape and colour per class. Training points are filled; test points are open and on top. x
// and y name the axes, such as "First principal component (62 % of the variance)". [PCA] and [TSNE] compute points from
// vectors. Curves, such as a regression, are drawn over the points.
func Scatter(title, x, y string, points []ScatterPoint, curves ...FunctionCurve) (f *Figure, err error) {
	defer about(&err, "drawing a scatter")
	if err := checkPoints(x, y, points); err != nil {
		return nil, err
	}
	var c classes
	class, low, high := c.add(points)
	if n := len(c.names) + len(curves); n > mostClasses {
		return nil, fmt.Errorf("%d classes and curves; at most %d can be told apart", n, mostClasses)
	}
	if err := checkCurves(curves); err != nil {
		return nil, err
	}
	p := newPlot(fit(plain(10), x, figureWidth-1.5*vg.Inch), fit(plain(10), y, scatterHeight-0.8*vg.Inch))
	p.Add(grid(true, true), scatter(points, class))
	entries := c.entries()
	for i, f := range curves {
		curve, e := trace(f.Name, pairs(f.X, f.Y), len(c.names)+i)
		p.Add(curve)
		entries = append(entries, e)
		low.X, low.Y = min(low.X, slices.Min(f.X)), min(low.Y, slices.Min(f.Y))
		high.X, high.Y = max(high.X, slices.Max(f.X)), max(high.Y, slices.Max(f.Y))
	}
	valueAxis(&p.X, low.X, high.X)
	valueAxis(&p.Y, low.Y, high.Y)
	return newFigure(title, entries, p, figureWidth, scatterHeight), nil
}

// ScatterPanels draws scatter plots in panels, in the given number of columns. Each panel has its own axes without numbers,
// for coordinates whose unit has no meaning, such as those of [TSNE]. A class has the same marker in all panels; see
// [Scatter].
func ScatterPanels(title string, columns int, panels []ScatterPanel) (f *Figure, err error) {
	defer about(&err, "drawing panels of scatters")
	if err := checkTiles(len(panels), columns); err != nil {
		return nil, err
	}
	var c classes
	var names []string
	var plots []*plot.Plot
	for i, panel := range panels {
		if err := checkPoints("x", "y", panel.Points); err != nil {
			return nil, fmt.Errorf("panel %d, %s: %w", i+1, panel.Name, err)
		}
		class, low, high := c.add(panel.Points)
		p := newPlot("", "")
		valueAxis(&p.X, low.X, high.X)
		valueAxis(&p.Y, low.Y, high.Y)
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
		p.Add(scatter(panel.Points, class))
		names, plots = append(names, panel.Name), append(plots, p)
	}
	if len(c.names) > mostClasses {
		return nil, fmt.Errorf("%d classes; at most %d can be told apart", len(c.names), mostClasses)
	}
	return tiled(title, c.entries(), columns, scatterPanelHeight, names, plots), nil
}

// checkPoints reports why points cannot be drawn.
func checkPoints(x, y string, points []ScatterPoint) error {
	if x == "" || y == "" {
		return errors.New("both axes need a name")
	}
	if len(points) == 0 {
		return errors.New("there are no points")
	}
	if len(points) > mostPoints {
		return fmt.Errorf("%d points; at most %d can be drawn", len(points), mostPoints)
	}
	for i, p := range points {
		if err := cmp.Or(drawable(p.X), drawable(p.Y)); err != nil {
			return fmt.Errorf("point %d: (%v, %v) is not a point that can be drawn", i+1, p.X, p.Y)
		}
		if (p.Class == "") != (points[0].Class == "") {
			return fmt.Errorf("point %d: all points have a class or none, point 1 has %q and this one %q", i+1, points[0].Class, p.Class)
		}
	}
	return nil
}

// classes has the classes of points, in order of first appearance.
type classes struct {
	names          []string
	training, test bool // whether there are training and test points
}

// add records points and returns the class of each and the corners of their bounding rectangle.
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

// entries returns the legend of the classes, and of the training and test part if both have points.
func (c *classes) entries() (list []entry) {
	if len(c.names) > 1 || c.names[0] != "" {
		for i, name := range c.names {
			list = append(list, entry{label: name, glyph: classGlyph(i, !c.training, glyphRadius)})
		}
	}
	if c.training && c.test {
		part := func(label string, test bool) entry {
			return entry{label: label, glyph: draw.GlyphStyle{Color: ink, Radius: glyphRadius, Shape: polygon{open: test}}}
		}
		list = append(list, part("training: filled", false), part("test: open", true))
	}
	return list
}

// scatter draws points of classes. If there are many points, they are smaller.
func scatter(points []ScatterPoint, class []int) painting {
	radius := min(glyphRadius, max(1.2, glyphRadius*vg.Length(math.Sqrt(400/float64(len(points))))))
	return func(c *draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(c)
		for _, test := range []bool{false, true} {
			for i, at := range points {
				if at.Test == test {
					c.DrawGlyph(classGlyph(class[i], test, radius), vg.Point{X: x(at.X), Y: y(at.Y)})
				}
			}
		}
	}
}

// classShapes distinguish classes, together with the colours. The numbers of shapes and colours have no common factor, so
// combinations repeat late.
var classShapes = []polygon{{}, {corners: 4, turn: math.Pi / 4}, {corners: 3, turn: math.Pi / 2}, {corners: 4, turn: math.Pi / 2}, inverted}

// inverted is a triangle that stands on its tip.
var inverted = polygon{corners: 3, turn: -math.Pi / 2}

// classGlyph returns the marker of a class: filled, or open for a point of the test part.
func classGlyph(class int, test bool, radius vg.Length) draw.GlyphStyle {
	shape := classShapes[class%len(classShapes)]
	shape.open = test
	return draw.GlyphStyle{Color: colour(class), Radius: radius, Shape: shape}
}

// polygon is a marker: a regular polygon, or a circle if it has no corners.
type polygon struct {
	corners int
	turn    float64 // angle of the first corner, in radians from the right
	open    bool    // draw an outline filled with white
}

// DrawGlyph implements [draw.GlyphDrawer]. All shapes cover about the same area as a circle of the style's radius.
func (g polygon) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	path := g.path(pt, sty.Radius)
	if !g.open {
		c.SetColor(sty.Color)
		c.Fill(path)
		return
	}
	c.SetColor(color.White)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 0.9})
	c.Stroke(path)
}

// path returns the outline around pt.
func (g polygon) path(pt vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	if g.corners == 0 {
		path.Move(vg.Point{X: pt.X + radius, Y: pt.Y})
		path.Arc(pt, radius, 0, 2*math.Pi)
		path.Close()
		return path
	}
	n := float64(g.corners)
	r := float64(radius) * math.Sqrt(2*math.Pi/(n*math.Sin(2*math.Pi/n)))
	for i := range g.corners {
		sin, cos := math.Sincos(g.turn + 2*math.Pi*float64(i)/n)
		corner := vg.Point{X: pt.X + vg.Length(r*cos), Y: pt.Y + vg.Length(r*sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	return path
}
