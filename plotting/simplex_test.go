package plotting

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// sharpened follows weights that are raised to a power step by step.
func sharpened(name string, steps int, power float64, w [3]float64) Trajectory {
	t := Trajectory{Name: name}
	for range steps {
		t.Weights = append(t.Weights, w)
		sum := 0.0
		for i := range w {
			w[i] = math.Pow(w[i], power)
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
	}
	return t
}

func TestSimplex(t *testing.T) {
	corners := [3]string{"conformation 1", "conformation 2", "conformation 3"}
	f, err := Simplex("Weights of a bag of three", corners, []Trajectory{
		sharpened("concentration", 20, 1.3, [3]float64{0.3, 0.33, 0.37}),
		sharpened("concentration", 20, 1.3, [3]float64{0.45, 0.35, 0.2}),
		sharpened("concentration", 20, 1.3, [3]float64{0.1, 0.46, 0.44}),
		sharpened("distraction", 20, 0.7, [3]float64{0.9, 0.08, 0.02}),
		sharpened("distraction", 20, 0.7, [3]float64{0.02, 0.01, 0.97}),
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "simplex.svg")
	framed(t, "golden", f)
	var all []Trajectory
	for i, name := range many(12) {
		a := 0.1 + 0.8*float64(i)/11
		all = append(all, sharpened(name, 50, 0.8, [3]float64{a, (1 - a) / 3, 2 * (1 - a) / 3}))
	}
	long := strings.Repeat("a long name of a file ", 6)
	f, err = Simplex("Twelve", [3]string{long, long, long}, all)
	fits(t, "twelve", f, err)
	for name, w := range map[string][3]float64{"corner": {1, 0, 0}, "right": {0, 1, 0}, "top": {0, 0, 1}, "rounded": {0.3333333, 0.3333333, 0.3333333}} {
		f, err := Simplex(name, [3]string{"a", "b", "c"}, []Trajectory{{"one", [][3]float64{w}}})
		fits(t, name, f, err)
		f, err = Simplex(name, [3]string{"a", "b", "c"}, []Trajectory{{"equal", [][3]float64{w, w, w}}})
		fits(t, name, f, err)
	}
	var group []Trajectory
	for i := range 60 {
		group = append(group, sharpened("from anywhere", 30, 1.2, [3]float64{float64(i%8+1) / 20, float64(i%5+1) / 20, 1 - float64(i%8+i%5+2)/20}))
	}
	f, err = Simplex("One name", [3]string{"a", "b", "c"}, group)
	fits(t, "one name", f, err)
}

// TestTernary: corners, edges and centre stand where geometry has them, and a weight is the distance from an edge.
func TestTernary(t *testing.T) {
	tr := ternary{left: vg.Point{X: 10, Y: 20}, side: 100}
	height := vg.Length(100 * math.Sqrt(3) / 2)
	for w, want := range map[[3]float64]vg.Point{
		{1, 0, 0}:                   {X: 10, Y: 20},
		{0, 1, 0}:                   {X: 110, Y: 20},
		{0, 0, 1}:                   {X: 60, Y: 20 + height},
		{0.5, 0.5, 0}:               {X: 60, Y: 20},
		{1. / 3, 1. / 3, 1. / 3}:    {X: 60, Y: 20 + height/3},
		{0.25, 0.25, 0.5}:           {X: 60, Y: 20 + height/2},
		{0.5, 0, 0.5}:               {X: 35, Y: 20 + height/2},
		{1. / 6, 2. / 3, 1. / 6}:    {X: 10 + 75, Y: 20 + height/6},
		{0.1, 0.1, 0.8}:             {X: 60, Y: 20 + 0.8*height},
		{0.8, 0.2 - 0.1, 0.2 - 0.1}: {X: 10 + 15, Y: 20 + 0.1*height},
	} {
		got := tr.at(w)
		if math.Hypot(float64(got.X-want.X), float64(got.Y-want.Y)) > 1e-9 {
			t.Errorf("%v at %v, want %v", w, got, want)
		}
	}
}

func TestSimplexRefuses(t *testing.T) {
	abc := [3]string{"a", "b", "c"}
	good := Trajectory{"x", [][3]float64{{0.2, 0.3, 0.5}}}
	for want, c := range map[string]struct {
		corners      [3]string
		trajectories []Trajectory
	}{
		"corner 2 has no name":                     {[3]string{"a", "", "c"}, []Trajectory{good}},
		"there are no trajectories":                {abc, nil},
		"trajectory 2 has no name":                 {abc, []Trajectory{good, {"", good.Weights}}},
		"trajectory 2, y: there are no weights":    {abc, []Trajectory{good, {Name: "y"}}},
		"x: step 1: the weights sum to 2.23, not ": {abc, []Trajectory{{"x", [][3]float64{{1, 0, 0}, {2.23, 0, 0}}}}},
		"x: step 0: the weights sum to 0, not to ": {abc, []Trajectory{{"x", [][3]float64{{}}}}},
		"x: step 0: -0.5 is negative":              {abc, []Trajectory{{"x", [][3]float64{{-0.5, 1, 0.5}}}}},
		"x: step 0: NaN is not a number that can ": {abc, []Trajectory{{"x", [][3]float64{{math.NaN(), 1, 0}}}}},
	} {
		f, err := Simplex("", c.corners, c.trajectories)
		refuses(t, f, err, "drawing trajectories on the simplex", want)
	}
}
