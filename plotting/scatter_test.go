package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// cloud returns made-up points of so many classes, one in four of the test part.
func cloud(n, classes int) []ScatterPoint {
	random := rand.New(rand.NewPCG(3, 4))
	var out []ScatterPoint
	for i := range n {
		k := i % classes
		angle := 2 * math.Pi * float64(k) / float64(classes)
		out = append(out, ScatterPoint{
			X: 3*math.Cos(angle) + 0.7*random.NormFloat64(), Y: 2*math.Sin(angle) + 0.7*random.NormFloat64(),
			Class: fmt.Sprintf("class %d", k+1), Test: random.IntN(4) == 0,
		})
	}
	return out
}

func TestScatter(t *testing.T) {
	golden(t, "scatter.svg")(Scatter("Bags of three classes", "First principal component (62 % of the variance)", "Second principal component (21 %)", cloud(90, 3)))
	for name, c := range map[string]struct {
		x, y   string
		points []ScatterPoint
	}{
		"one":         {"x", "y", []ScatterPoint{{X: 1, Y: 2}}},
		"equal":       {"x", "y", slices.Repeat([]ScatterPoint{{X: 7, Y: -7, Class: "equal", Test: true}}, 50)},
		"zero":        {"x", "y", []ScatterPoint{{}, {}}},
		"a line":      {"x", "y", []ScatterPoint{{X: 1, Y: 5}, {X: 2, Y: 5}}},
		"huge":        {"x", "y", []ScatterPoint{{X: -1e100, Y: 1e100}, {X: 1e100, Y: 1e99}}},
		"small":       {"x", "y", []ScatterPoint{{X: -1e-300, Y: 1e-60}, {X: 1e-80, Y: 1e-61}}},
		"far away":    {"x", "y", []ScatterPoint{{X: 1e12, Y: 1e12 + 1}, {X: 1e12 + 1, Y: 1e12}}},
		"twelve":      {"x", "y", cloud(600, 12)},
		"many points": {"x", "y", cloud(20000, 2)},
		"long names":  {long, long, []ScatterPoint{{X: 1, Class: long}, {X: 2, Class: solid, Test: true}}},
		"odd names":   {odd, "日本", []ScatterPoint{{Class: odd}}},
	} {
		fits(t, name)(Scatter("Title", c.x, c.y, c.points))
	}
	good := []ScatterPoint{{X: 1, Y: 2, Class: "a"}}
	for want, c := range map[string]struct {
		y      string
		points []ScatterPoint
	}{
		"drawing a scatter: both axes need a name":            {"", good},
		"there are no points":                                 {"y", nil},
		"point 2: (NaN, 0) is not a point":                    {"y", append(good[:1:1], ScatterPoint{X: math.NaN(), Class: "a"})},
		"point 2: (0, +Inf) is not a point":                   {"y", append(good[:1:1], ScatterPoint{Y: math.Inf(1), Class: "a"})},
		"point 2: all points have a class or none":            {"y", append(good[:1:1], ScatterPoint{})},
		"20001 points; at most 20000 can be drawn":            {"y", cloud(20001, 2)},
		"13 classes and curves; at most 12 can be told apart": {"y", cloud(26, 13)},
	} {
		refused(t, want)(Scatter("", "x", c.y, c.points))
	}
}

// TestScatterCurves: curves lie over the points, count as classes, and widen the axes.
func TestScatterCurves(t *testing.T) {
	x, y := syn(0.5, 30)
	points := []ScatterPoint{{X: 0.2, Y: 0.3, Class: "label"}, {X: 0.7, Y: 0.4, Class: "label"}}
	f, err := Scatter("Labels and two curves", "x", "y", points, FunctionCurve{"f", x, y}, FunctionCurve{"f⁻¹", y, x})
	golden(t, "scattercurves.svg")(f, err)
	if p := f.plot; p.X.Min > 0 || p.X.Max < 1 || p.Y.Min > 0 || p.Y.Max < 1 {
		t.Errorf("x from %v to %v, y from %v to %v, and the curves from 0 to 1", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	refused(t, "drawing a scatter: f: 0 values of x and 1 of y")(Scatter("", "x", "y", points, FunctionCurve{"f", nil, []float64{1}}))
	refused(t, "13 classes and curves; at most 12")(Scatter("", "x", "y", cloud(24, 12), FunctionCurve{"f", x, y}))
}

func TestScatterPanels(t *testing.T) {
	golden(t, "scatterpanels.svg")(ScatterPanels("Three scatters", 2, []ScatterPanel{
		{"two classes", cloud(60, 2)}, {"the second alone", cloud(40, 2)[1:2]}, {"three classes", cloud(90, 3)},
	}))
	fits(t, "48 panels")(ScatterPanels("Many", 4, named(48, func(name string, i int) ScatterPanel {
		return ScatterPanel{name, cloud(5+40*(i%3), 1+i%12)}
	})))
	good := ScatterPanel{"good", cloud(10, 2)}
	refused(t, "drawing panels of scatters: 1 panels in 0 columns")(ScatterPanels("", 0, []ScatterPanel{good}))
	refused(t, "panel 2, empty: there are no points")(ScatterPanels("", 2, []ScatterPanel{good, {"empty", nil}}))
	refused(t, "13 classes; at most 12")(ScatterPanels("", 2, []ScatterPanel{{"many", cloud(100, 13)}}))
}

// TestClassesDiffer: no two classes share a marker, filled or open.
func TestClassesDiffer(t *testing.T) {
	seen := map[string]int{}
	for i := range mostClasses {
		g := classGlyph(i, false, 1)
		key := fmt.Sprint(g.Color, g.Shape)
		if j, ok := seen[key]; ok {
			t.Errorf("classes %d and %d are both %s", j+1, i+1, key)
		}
		seen[key] = i
		if classGlyph(i, true, 1).Shape == g.Shape {
			t.Errorf("class %d: training and test look alike", i+1)
		}
	}
}

// TestPolygonArea: a marker covers as much paper as the circle of its radius, and stands around its point.
func TestPolygonArea(t *testing.T) {
	at := vg.Point{X: 5, Y: -3}
	for _, g := range classShapes[1:] {
		path := g.path(at, 2)
		corners := path[:len(path)-1] // the last closes it
		var area float64
		var middle vg.Point
		for i, a := range corners {
			b := corners[(i+1)%len(corners)]
			area += float64(a.Pos.X*b.Pos.Y-b.Pos.X*a.Pos.Y) / 2
			middle = middle.Add(a.Pos.Scale(1 / vg.Length(len(corners))))
		}
		if len(corners) != g.corners || math.Abs(area-4*math.Pi) > 1e-9 {
			t.Errorf("%+v: %d corners around %v, the circle around %v", g, len(corners), area, 4*math.Pi)
		}
		if d := middle.Sub(at); math.Abs(float64(d.X))+math.Abs(float64(d.Y)) > 1e-9 {
			t.Errorf("%+v: the middle is %v", g, middle)
		}
	}
}
