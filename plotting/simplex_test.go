package plotting

import (
	"math"
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
	golden(t, "simplex.svg")(Simplex("Weights of a bag of three", corners, []Trajectory{
		sharpened("concentration", 20, 1.3, [3]float64{0.3, 0.33, 0.37}),
		sharpened("concentration", 20, 1.3, [3]float64{0.45, 0.35, 0.2}),
		sharpened("concentration", 20, 1.3, [3]float64{0.1, 0.46, 0.44}),
		sharpened("distraction", 20, 0.7, [3]float64{0.9, 0.08, 0.02}),
		sharpened("distraction", 20, 0.7, [3]float64{0.02, 0.01, 0.97}),
	}))
	fits(t, "twelve")(Simplex("Twelve", [3]string{long, long, long}, named(12, func(name string, i int) Trajectory {
		a := 0.1 + 0.8*float64(i)/11
		return sharpened(name, 50, 0.8, [3]float64{a, (1 - a) / 3, 2 * (1 - a) / 3})
	})))
	abc := [3]string{"a", "b", "c"}
	for name, w := range map[string][3]float64{"corner": {1, 0, 0}, "right": {0, 1, 0}, "top": {0, 0, 1}, "rounded": {0.3333333, 0.3333333, 0.3333333}} {
		fits(t, name)(Simplex(name, abc, []Trajectory{{"one", [][3]float64{w}}, {"equal", [][3]float64{w, w, w}}}))
	}
	good := Trajectory{"x", [][3]float64{{0.2, 0.3, 0.5}}}
	for want, c := range map[string]struct {
		corners      [3]string
		trajectories []Trajectory
	}{
		"on the simplex: corner 2 has no name":     {[3]string{"a", "", "c"}, []Trajectory{good}},
		"there are no trajectories":                {abc, nil},
		"trajectory 2 has no name":                 {abc, []Trajectory{good, {"", good.Weights}}},
		"trajectory 2, y: there are no weights":    {abc, []Trajectory{good, {Name: "y"}}},
		"x: step 1: the weights sum to 2.23, not ": {abc, []Trajectory{{"x", [][3]float64{{1, 0, 0}, {2.23, 0, 0}}}}},
		"x: step 0: the weights sum to 0, not to ": {abc, []Trajectory{{"x", [][3]float64{{}}}}},
		"x: step 0: weight 1: -0.5 is negative":    {abc, []Trajectory{{"x", [][3]float64{{-0.5, 1, 0.5}}}}},
		"x: step 0: weight 1: NaN is not a number": {abc, []Trajectory{{"x", [][3]float64{{math.NaN(), 1, 0}}}}},
	} {
		refused(t, want)(Simplex("", c.corners, c.trajectories))
	}
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
