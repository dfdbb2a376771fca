package memory_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
	"synpool/internal/goldenfile"
)

// spherical is a Lagrangian of a user's own: L(x) = ‖x‖, of the paper's model C.
type spherical struct{}

func (spherical) Activities(x []float64) (float64, []float64, error) {
	gradient := make([]float64, len(x))
	length := norm(x)
	if length > 0 {
		floats.ScaleTo(gradient, 1/length, x)
	}
	return length, gradient, nil
}

// step takes some steps of time dt.
func step(t testing.TB, n *memory.TwoLayer, v, h []float64, dt float64, steps int) (nextV, nextH []float64) {
	t.Helper()
	for range steps {
		var err error
		if v, h, err = n.Step(v, h, dt); err != nil {
			t.Fatal(err)
		}
	}
	return v, h
}

// storeTwo stores patterns in a two-layer network, or fails the test.
func storeTwo(t testing.TB, n memory.TwoLayer, patterns [][]float64) *memory.TwoLayer {
	t.Helper()
	if err := n.Store(patterns); err != nil {
		t.Fatal(err)
	}
	return &n
}

// drive returns Ξg, the currents of infinitely fast hidden neurons.
func drive(patterns [][]float64, g []float64) []float64 {
	h := make([]float64, len(patterns))
	for i, x := range patterns {
		h[i] = floats.Dot(x, g)
	}
	return h
}

// TestGoldenTwoLayer compares energies and five steps with NumPy in long double, to 1e-12 of the largest number, for the
// rounding of sums. Steps of 2⁻¹⁰ and 2⁻¹¹ approach its solution of the differential equations at time 1, by Runge-Kutta with
// 2000 steps: half the step leaves half the error, and what extrapolation leaves is of the second order.
func TestGoldenTwoLayer(t *testing.T) {
	flows := 0
	for i, c := range goldenfile.Read[[]struct {
		Visible, Hidden string
		Parameter, Dt   float64
		TauVisible      float64 `json:"tau_visible"`
		TauHidden       float64 `json:"tau_hidden"`
		Patterns        [][]float64
		V, H            []float64
		Energy          float64
		VFive           []float64 `json:"v_five"`
		HFive           []float64 `json:"h_five"`
		Five            float64   `json:"energy_five"`
		VFlow           []float64 `json:"v_flow"`
		HFlow           []float64 `json:"h_flow"`
	}](t, "golden/twolayer.json") {
		lagrangian := func(name string) memory.Lagrangian {
			switch name {
			case "quadratic":
				return memory.Quadratic{}
			case "absolute":
				return memory.Absolute{}
			case "log_sum_exp":
				return memory.LogSumExp{Beta: c.Parameter}
			case "rectified_power":
				return memory.RectifiedPower{Power: int(c.Parameter)}
			}
			t.Fatalf("case %d: a Lagrangian %q", i, name)
			return nil
		}
		n := storeTwo(t, memory.TwoLayer{Visible: lagrangian(c.Visible), Hidden: lagrangian(c.Hidden), TauVisible: c.TauVisible, TauHidden: c.TauHidden}, c.Patterns)
		requireClose(t, "energy", []float64{must(n.Energy(c.V, c.H))(t)}, []float64{c.Energy}, 1e-12)
		v, h := step(t, n, c.V, c.H, c.Dt, 5)
		size := max(1, floats.Norm(c.VFive, math.Inf(1)), floats.Norm(c.HFive, math.Inf(1)))
		requireClose(t, "visible currents", v, c.VFive, 1e-12*size)
		requireClose(t, "hidden currents", h, c.HFive, 1e-12*size)
		requireClose(t, "energy after five steps", []float64{must(n.Energy(v, h))(t)}, []float64{c.Five}, 1e-12*size)
		if c.VFlow == nil {
			continue
		}
		flows++
		want := append(append([]float64{}, c.VFlow...), c.HFlow...)
		at := func(steps int) []float64 {
			v, h := step(t, n, c.V, c.H, 1/float64(steps), steps)
			return append(append([]float64{}, v...), h...)
		}
		coarse, fine := at(1<<10), at(1<<11)
		extrapolated := make([]float64, len(want))
		floats.AddScaledTo(extrapolated, coarse, 2, floats.SubTo(extrapolated, fine, coarse))
		distance := func(x []float64) float64 { return floats.Distance(x, want, 2) / max(1, norm(want)) }
		if ratio := distance(coarse) / distance(fine); !(ratio > 1.98 && ratio < 2.02) || distance(fine) > 2e-3 || distance(extrapolated) > 2e-6 {
			t.Errorf("case %d: errors %g and %g, ratio %g, %g extrapolated", i, distance(coarse), distance(fine), ratio, distance(extrapolated))
		}
	}
	if flows == 0 {
		t.Error("no differential equation")
	}
}

// TestTwoLayerEnergyNeverRises: steps of every length, with every pair of Lagrangians, to 1e-12 of the size of the terms.
func TestTwoLayerEnergyNeverRises(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 1))
	tau := func() float64 { return []float64{0, math.Exp(2 * random.NormFloat64())}[random.IntN(2)] }
	falls, compared := 0, 0
	for range 3000 {
		lagrangians := func() memory.Lagrangian {
			return []memory.Lagrangian{memory.Quadratic{}, memory.Absolute{}, memory.LogSumExp{Beta: math.Exp(random.NormFloat64())},
				memory.RectifiedPower{Power: 2 + random.IntN(3)}, spherical{}}[random.IntN(5)]
		}
		d, hidden := 1+random.IntN(8), 1+random.IntN(8)
		patterns := normal(random, hidden, d, math.Exp(random.NormFloat64()-1))
		n := storeTwo(t, memory.TwoLayer{Visible: lagrangians(), Hidden: lagrangians(), TauVisible: tau(), TauHidden: tau()}, patterns)
		v, h, dt := normal(random, 1, d, 2)[0], normal(random, 1, hidden, 2)[0], math.Exp(3*random.NormFloat64())
		before := must(n.Energy(v, h))(t)
		for range 10 {
			nextV, nextH, err := n.Step(v, h, dt)
			if err != nil {
				break // some pairs have no lowest energy and grow beyond the range of float64
			}
			energy, err := n.Energy(nextV, nextH)
			if err != nil {
				break
			}
			size := 1.0
			for _, pair := range [][2][]float64{{v, h}, {nextV, nextH}} {
				lv, g, _ := n.Visible.Activities(pair[0])
				lh, f, _ := n.Hidden.Activities(pair[1])
				for k, x := range patterns {
					for l := range x {
						size = max(size, math.Abs(f[k]*x[l]*g[l]))
					}
				}
				size = max(size, math.Abs(lv), math.Abs(lh), norm(g)*norm(pair[0]), norm(f)*norm(pair[1]))
			}
			if energy > before+1e-12*size {
				t.Fatalf("%+v: energy %.17g after %.17g with dt %g", n, energy, before, dt)
			}
			if energy < before-1e-9*size {
				falls++
			}
			compared++
			v, h, before = nextV, nextH, energy
		}
	}
	if compared < 20000 || falls < 5000 {
		t.Errorf("%d steps compared, %d of them lower the energy", compared, falls)
	}
}

// TestTwoLayerIsContinuous: with the logarithm of a sum of exponentials and linear visible neurons, both infinitely fast, a
// step is the update of the modern Hopfield network, to 1e-12, and the energies differ by (log N)/β + ½ M². With the time
// constant of the hidden neurons the difference goes to 0 in proportion.
func TestTwoLayerIsContinuous(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 1))
	for range 500 {
		d, count, beta := 1+random.IntN(20), 1+random.IntN(20), math.Exp(random.NormFloat64())
		patterns, state := normal(random, count, d, 1), normal(random, 1, d, 1)[0]
		continuous := store(t, &memory.Continuous{Beta: beta}, patterns)
		want := must(continuous.Update(state))(t)
		n := storeTwo(t, memory.TwoLayer{Visible: memory.Quadratic{}, Hidden: memory.LogSumExp{Beta: beta}}, patterns)
		v, h := step(t, n, state, make([]float64, count), 1, 1)
		requireClose(t, "step", v, want, 1e-12)
		requireClose(t, "hidden currents", h, drive(patterns, state), 1e-12)

		largest := 0.0
		for _, x := range patterns {
			largest = max(largest, floats.Dot(x, x))
		}
		shift := math.Log(float64(count))/beta + largest/2
		energy := must(n.Energy(state, h))(t) + shift
		if difference := math.Abs(energy - must(continuous.Energy(state))(t)); difference > 1e-12*(1+largest+math.Abs(shift)+floats.Dot(state, state)) {
			t.Fatalf("energy %g differs by %g", energy, difference)
		}

		last := 0.0
		for _, tau := range []float64{1e-4, 1e-5, 1e-6} {
			n.TauHidden = tau
			v, _ := step(t, n, state, make([]float64, count), 1, 1)
			difference := floats.Distance(v, want, 2)
			if last > 1e-9 && !(difference < 0.11*last && difference > 0.09*last) {
				t.Fatalf("at τ_h = %g the step differs by %g after %g", tau, difference, last)
			}
			last = difference
		}
	}
}

// TestTwoLayerIsPolynomial: with binary visible neurons, and a rectified one for each pattern and one for its negative, n
// times the energy is that of the dense associative memory of an even power n, exactly: all sums are whole numbers.
func TestTwoLayerIsPolynomial(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 1))
	for i := range 500 {
		power, d := 2<<(i%2), 2+random.IntN(20)
		patterns, state := memory.RandomSigns(1+random.IntN(20), d, random), memory.RandomSigns(1, d, random)[0]
		both := patterns
		for _, x := range patterns {
			both = append(both, floats.ScaleTo(make([]float64, d), -1, x))
		}
		n := storeTwo(t, memory.TwoLayer{Visible: memory.Absolute{}, Hidden: memory.RectifiedPower{Power: power}}, both)
		want := must(store(t, &memory.Polynomial{Power: power}, patterns).Energy(state))(t)
		if got := float64(power) * must(n.Energy(state, drive(both, state)))(t); got != want {
			t.Fatalf("power %d: energy %g, want %g", power, got, want)
		}
	}
}

// TestLagrangianGradients: activities are slopes by central differences, to 1e-6, and no Lagrangian is below a tangent.
func TestLagrangianGradients(t *testing.T) {
	random := rand.New(rand.NewPCG(24, 1))
	value := func(l memory.Lagrangian, x []float64) float64 {
		v, _, err := l.Activities(x)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, l := range []memory.Lagrangian{memory.Quadratic{}, memory.Absolute{}, memory.LogSumExp{Beta: 0.7}, memory.RectifiedPower{Power: 2}, memory.RectifiedPower{Power: 5}} {
		for range 200 {
			xs := normal(random, 2, 1+random.IntN(6), 1)
			x, y := xs[0], xs[1]
			_, gradient, _ := l.Activities(x)
			tangent := value(l, x) + floats.Dot(gradient, y) - floats.Dot(gradient, x)
			if value(l, y) < tangent-1e-12*max(1, math.Abs(tangent)) {
				t.Fatalf("%T is not convex", l)
			}
			for i := range x {
				const step = 1e-5
				if math.Abs(x[i]) < 2*step {
					continue // the corner of an absolute value
				}
				moved := append([]float64{}, x...)
				moved[i] = x[i] + step
				above := value(l, moved)
				moved[i] = x[i] - step
				if slope := (above - value(l, moved)) / (2 * step); math.Abs(slope-gradient[i]) > 1e-6*max(1, math.Abs(slope)) {
					t.Fatalf("%T: activity %g, slope %g", l, gradient[i], slope)
				}
			}
		}
	}
}

// short is a Lagrangian that forgets a neuron.
type short struct{}

func (short) Activities(x []float64) (float64, []float64, error) { return 0, x[1:], nil }

// TestBadTwoLayers: what a two-layer network cannot be.
func TestBadTwoLayers(t *testing.T) {
	good := memory.TwoLayer{Visible: memory.Quadratic{}, Hidden: memory.LogSumExp{Beta: 1}, TauVisible: 1, TauHidden: 1}
	patterns := [][]float64{{1, 2, 3}, {3, 2, 1}}
	v, h := []float64{1, 1, 1}, []float64{0, 0}
	stepped := func(n *memory.TwoLayer, v, h []float64, dt float64) error {
		_, _, err := n.Step(v, h, dt)
		return err
	}
	empty := good
	requireErrors(t, failure{empty.Store(nil), "no patterns"}, failure{empty.Store([][]float64{{1}, {1, 2}}), "pattern 1 has 2 components, not 1"},
		failure{failed(empty.Energy(v, h)), "call Store first"}, failure{stepped(&empty, v, h, 1), "call Store first"})
	for _, c := range []struct {
		spoil func(n *memory.TwoLayer)
		want  string
	}{
		{func(n *memory.TwoLayer) { n.Visible = nil }, "no Lagrangian"},
		{func(n *memory.TwoLayer) { n.Hidden = nil }, "no Lagrangian"},
		{func(n *memory.TwoLayer) { n.TauVisible = -1 }, "time constant -1"},
		{func(n *memory.TwoLayer) { n.TauHidden = math.NaN() }, "time constant NaN"},
		{func(n *memory.TwoLayer) { n.TauHidden = math.Inf(1) }, "time constant +Inf"},
		{func(n *memory.TwoLayer) { n.Hidden = memory.LogSumExp{} }, "hidden layer: memory: inverse temperature 0"},
		{func(n *memory.TwoLayer) { n.Visible = memory.LogSumExp{Beta: math.Inf(1)} }, "visible layer: memory: inverse temperature +Inf"},
		{func(n *memory.TwoLayer) { n.Hidden = memory.RectifiedPower{Power: 1} }, "power 1"},
		{func(n *memory.TwoLayer) { n.Visible = short{} }, "short gives 2 activities for 3 neurons"},
	} {
		n := good
		c.spoil(&n)
		stored := storeTwo(t, n, patterns)
		requireErrors(t, failure{failed(stored.Energy(v, h)), c.want}, failure{stepped(stored, v, h, 1), c.want})
	}
	n := storeTwo(t, good, patterns)
	for _, dt := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		requireError(t, "time step", stepped(n, v, h, dt), "time step")
	}
	huge := storeTwo(t, good, [][]float64{{1e200, 1e200, 1e200}, {1, 1, 1}})
	wide := storeTwo(t, memory.TwoLayer{Visible: memory.Quadratic{}, Hidden: memory.RectifiedPower{Power: 9}}, patterns)
	requireErrors(t,
		failure{stepped(n, v[:2], h, 1), "the visible layer has 2 components, not 3"},
		failure{failed(n.Energy(v, nil)), "the hidden layer has 0 components, not 2"},
		failure{failed(n.Energy([]float64{1, 1, math.NaN()}, h)), "component 2 of the visible layer is NaN"},
		failure{failed(n.Energy([]float64{1e200, 1, 1}, h)), "beyond the range of float64"},
		failure{stepped(huge, []float64{1e120, 1, 1}, h, 1), "a hidden current is beyond the range of float64"},
		failure{stepped(wide, []float64{1e80, 1, 1}, h, 1), "an activity of the hidden layer is beyond the range of float64"},
		failure{failedTwo(memory.LogSumExp{Beta: 1}.Activities(nil)), "softmax of no neurons"},
	)
}

// failedTwo is failed for two values.
func failedTwo[A, B any](_ A, _ B, err error) error { return err }
