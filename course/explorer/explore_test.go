package explorer_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/explorer"
	"synpool/course/memory"
)

func ExampleExplore() {
	view, err := explorer.Explore(explorer.Settings{Weights: []float64{0.5, 0.3, 0.2, 0}, Iterations: -3, Gamma: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, order := range view.Steps {
		fmt.Printf("%d %.3f\n", k, order.Raw)
	}
	fmt.Printf("limit %.3f, rate %.3f\n", view.Limit.Raw, view.Rate)
	// Output:
	// 0 [0.500 0.300 0.200 0.000]
	// 1 [0.898 0.671 0.513 0.000]
	// 2 [0.848 0.718 0.608 0.000]
	// 3 [0.809 0.736 0.666 0.000]
	// limit [0.744 0.744 0.744 0.000], rate 0.584
}

func ExamplePrintedInverse() {
	syn := memory.Syn{Gamma: 0.1}
	for _, y := range []float64{0.1, 1e-4, 1e-6, 0} {
		x, err := syn.Inverse([]float64{y, math.Sqrt(1 - y*y)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.5g  %.5g\n", x[0], explorer.PrintedInverse(float32(y), 0.1))
	}
	// Output:
	// 0.11096  0.11096
	// 0.00011111  0.00011122
	// 1.1111e-06  1.0729e-06
	// 0  1.1921e-07
}

func explore(t *testing.T, weights []float64, iterations int, gamma float64) *explorer.View {
	t.Helper()
	v, err := explorer.Explore(explorer.Settings{Weights: weights, Iterations: iterations, Gamma: gamma})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSteps: the steps are those of the memory package, on three scales.
func TestSteps(t *testing.T) {
	weights := []float64{0.5, 0.3, 0.2, 0}
	for _, gamma := range []float64{0.1, 0.5, 1} {
		for _, iterations := range []int{0, 1, 7, -1, -7} {
			v := explore(t, weights, iterations, gamma)
			if len(v.Steps) != 1+max(iterations, -iterations) {
				t.Fatalf("%d steps: %d states", iterations, len(v.Steps))
			}
			want := weights
			for k, o := range v.Steps {
				if k > 0 {
					var err error
					if iterations > 0 {
						want, err = memory.Syn{Gamma: gamma}.Forward(want)
					} else {
						want, err = memory.Syn{Gamma: gamma}.Inverse(want)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(o.Raw, want) {
					t.Errorf("gamma %g, %d steps: step %d is %v, want %v", gamma, iterations, k, o.Raw, want)
				}
				if sum, norm := floats.Sum(o.Share), floats.Norm(o.Unit, 2); math.Abs(sum-1) > 1e-15 || math.Abs(norm-1) > 1e-15 {
					t.Errorf("gamma %g, %d steps: at step %d shares sum to %v and the length is %v", gamma, iterations, k, sum, norm)
				}
			}
			if iterations == 0 && (v.Limit != nil || v.Equal != 0) {
				t.Errorf("without steps there is a limit %v of %d", v.Limit, v.Equal)
			}
		}
	}
}

// TestLimit follows the steps so far that the distance from the limit is below 1e-9, and compares the last steps with the
// rate, to 1 %: it is what the factor tends to.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		weights    []float64
		iterations int
		equal      int
	}{
		{[]float64{0.5, 0.3, 0.2, 0}, 60, 1},
		{[]float64{0.4, 0.4, 0.2, 0}, 60, 2},
		{[]float64{0.4, 0.4, 0.4}, 60, 3},
		{[]float64{0.5, 0.3, 0.2, 0}, -60, 3},
		{[]float64{0, 0.4, 0}, -60, 1},
		{[]float64{0.4, 0.3, 0.2, 0.1}, -60, 4},
	} {
		v := explore(t, c.weights, c.iterations, 0.6)
		if v.Equal != c.equal {
			t.Errorf("%v, %d steps: %d equal, want %d", c.weights, c.iterations, v.Equal, c.equal)
		}
		distance := func(k int) float64 { return floats.Distance(v.Steps[k].Unit, v.Limit.Unit, 2) }
		if d := distance(60); d > 1e-9 {
			t.Errorf("%v, %d steps: %g from the limit", c.weights, c.iterations, d)
		}
		if floats.Distance(v.Steps[60].Raw, v.Limit.Raw, 2) > 1e-9 || floats.Distance(v.Steps[60].Share, v.Limit.Share, 2) > 1e-9 {
			t.Errorf("%v, %d steps: on other scales, %v and not %v", c.weights, c.iterations, v.Steps[60], *v.Limit)
		}
		if before, after := distance(20), distance(21); before > 1e-15 && math.Abs(after/before-v.Rate) > 0.01*v.Rate {
			t.Errorf("%v, %d steps: rate %g, want %g", c.weights, c.iterations, after/before, v.Rate)
		}
	}
}

// TestCurves: the curve of f passes its fixed points, and each curve mirrors the other.
func TestCurves(t *testing.T) {
	for _, gamma := range []float64{0.01, 0.5, 1} {
		v := explore(t, []float64{1, 2, 3}, 1, gamma)
		if f := v.F; f[0] != [2]float64{0, 0} || f[len(f)-1] != [2]float64{1, 1} || len(f) != len(v.Inverse) {
			t.Errorf("gamma %g: from %v to %v", gamma, f[0], f[len(f)-1])
		}
		for i, p := range v.F {
			if want := gamma*p[0]*p[0]*p[0] + (1-gamma)*p[0]; math.Abs(p[1]-want) > 1e-15 {
				t.Errorf("gamma %g: f(%g) is %g, want %g", gamma, p[0], p[1], want)
			}
			if v.Inverse[i] != [2]float64{p[1], p[0]} {
				t.Errorf("gamma %g: point %d of the inverse is %v", gamma, i, v.Inverse[i])
			}
		}
	}
}

// TestPrintedInverse: in float64 the printed formula is the inverse to nine digits where nothing cancels.
func TestPrintedInverse(t *testing.T) {
	for _, gamma := range []float64{0.1, 0.5, 0.9, 1} {
		for _, y := range []float64{1, 0.5, 0.1, 0.01} {
			x := explorer.PrintedInverse(y, gamma)
			if back := gamma*x*x*x + (1-gamma)*x; math.Abs(back-y) > 1e-9*y {
				t.Errorf("gamma %g: f of the inverse of %g is %g", gamma, y, back)
			}
		}
	}
	if x := explorer.PrintedInverse[float32](0, 1); x == x {
		t.Errorf("the printed inverse of 0 at gamma 1 is %g, want NaN", x)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name       string
		weights    []float64
		iterations int
		gamma      float64
		want       []explorer.Warning // without text
		says       []string
	}{
		{"nothing fails", []float64{0.5, 0.3, 0.2}, -5, 0.5, nil, nil},
		{"forward does not use the inverse", []float64{0.9, 0.1, 1e-6}, 3, 0.5, nil, nil},
		{"a zero at gamma 1", []float64{0.6, 0.4, 0}, -3, 1, []explorer.Warning{{Kind: explorer.Printed, Step: 1, Weight: 3, Error: math.NaN()}}, []string{"divides 0 by 0"}},
		{"a zero that does not stay one", []float64{0.6, 0.4, 0}, -2, 0.1, []explorer.Warning{{Kind: explorer.Printed, Step: 1, Weight: 3, Error: math.Inf(1)}}, []string{"must stay 0, but the formula makes"}},
		{"a small weight", []float64{0.9, 0.1, 1e-7}, -2, 0.1, []explorer.Warning{{Kind: explorer.Printed, Step: 2, Weight: 3, Error: 0.1}}, []string{"nearly equal terms cancel"}},
		{"a square that vanishes", []float64{0.9, 0.1, 1e-30}, -1, 1, []explorer.Warning{{Kind: explorer.Printed, Step: 1, Weight: 3, Error: 0.2}}, []string{"as its square vanishes"}},
		{"no normal number", []float64{0.9, 0.1, 1e-40}, 0, 1, []explorer.Warning{{Kind: explorer.Underflow, Step: 0, Weight: 3}}, []string{"below the smallest normal number of float32"}},
		{"a weight that vanishes", []float64{0.6, 0.3, 0.1}, 4, 1, []explorer.Warning{{Kind: explorer.Underflow, Step: 4, Weight: 3}}, []string{"from step 4 on"}},
	} {
		v := explore(t, c.weights, c.iterations, c.gamma)
		if len(v.Warnings) != len(c.want) {
			t.Errorf("%s: %+v", c.name, v.Warnings)
			continue
		}
		for i, w := range v.Warnings {
			want := c.want[i]
			// The error is of rounding: its size alone is known.
			same := math.IsNaN(w.Error) == math.IsNaN(want.Error) && math.IsInf(w.Error, 1) == math.IsInf(want.Error, 1) &&
				(want.Error == 0) == (w.Error == 0) && !(w.Error < want.Error/3) && !(w.Error > want.Error*3)
			if w.Kind != want.Kind || w.Step != want.Step || w.Weight != want.Weight || !same || !strings.Contains(w.Text, c.says[i]) {
				t.Errorf("%s: %+v", c.name, w)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		settings explorer.Settings
		want     string
	}{
		{explorer.Settings{Gamma: 1}, "0 weights; give 1 to 64"},
		{explorer.Settings{Weights: make([]float64, 65), Gamma: 1}, "65 weights"},
		{explorer.Settings{Weights: []float64{1, -1}, Gamma: 1}, "weight 2 is -1; give a finite number"},
		{explorer.Settings{Weights: []float64{1, math.NaN()}, Gamma: 1}, "weight 2 is NaN"},
		{explorer.Settings{Weights: []float64{1, math.Inf(1)}, Gamma: 1}, "weight 2 is +Inf"},
		{explorer.Settings{Weights: []float64{0, 0}, Gamma: 1}, "all weights are 0"},
		{explorer.Settings{Weights: []float64{1e308, 1e308}, Gamma: 1}, "beyond the range"},
		{explorer.Settings{Weights: []float64{1}, Gamma: 0}, "gamma 0; give a number in (0, 1]"},
		{explorer.Settings{Weights: []float64{1}, Gamma: math.NaN()}, "gamma NaN"},
		{explorer.Settings{Weights: []float64{1}, Gamma: 1, Iterations: 1001}, "1001 steps; give -1000 to 1000"},
		{explorer.Settings{Weights: []float64{1}, Gamma: 1, Iterations: -1001}, "-1001 steps"},
	} {
		if v, err := explorer.Explore(c.settings); err == nil || !strings.Contains(err.Error(), c.want) || v != nil {
			t.Errorf("%v: %v, want %q", c.settings, err, c.want)
		}
	}
}
