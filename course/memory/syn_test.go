package memory_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
	"synpool/internal/large"
)

// The tests of this file are appendix A of the paper as numerical statements, and when they hold.

var gammas = []float64{1e-2, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1}

// simplex draws n weights of sum 1, zeros of them 0, without ties.
func simplex(random *rand.Rand, n, zeros int) []float64 {
	w := make([]float64, n)
	for i := range n - zeros {
		w[i] = random.ExpFloat64()
	}
	random.Shuffle(n, func(i, j int) { w[i], w[j] = w[j], w[i] })
	floats.Scale(1/floats.Sum(w), w)
	return w
}

// unit returns x/‖x‖.
func unit(x []float64) []float64 {
	y := slices.Clone(x)
	floats.Scale(1/norm(x), y)
	return y
}

// iterate steps until the unit vector stays to 1e-15, or count times.
func iterate(t *testing.T, step func([]float64) ([]float64, error), w []float64, count int) []float64 {
	t.Helper()
	for range count {
		next := must(step(w))(t)
		if floats.EqualApprox(unit(next), unit(w), 1e-15) {
			return next
		}
		w = next
	}
	return w
}

// TestForwardLimit: from any weights with one largest, forward steps lead to one-hot there, for every gamma; the
// normalised vector and, since f(1) = 1, the result.
func TestForwardLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, gamma := range gammas {
		for range 200 {
			n := 1 + random.IntN(30)
			w := simplex(random, n, random.IntN(n))
			end := iterate(t, memory.Syn{Gamma: gamma}.Forward, w, 2_000_000)
			for i, x := range end {
				want := 0.0
				if i == winner(w) {
					want = 1
				}
				if math.Abs(x-want) > 1e-11 || (w[i] == 0 && x != 0) {
					t.Fatalf("gamma %g: %v leads to %v", gamma, w, end)
				}
			}
		}
	}
}

// TestForwardRate: a step multiplies the ratio of a weight to the largest by
// (γξ̃_j²+1−γ)/(γξ̃_w²+1−γ) < 1, which tends to (1−γ)/(γ/m+1−γ) for m equal largest; at γ = 1 the ratio is raised to its
// third power.
func TestForwardRate(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, gamma := range gammas {
		s := memory.Syn{Gamma: gamma}
		for range 200 {
			w := simplex(random, 2+random.IntN(20), 0)
			u, best := unit(w), winner(w)
			next := must(s.Forward(w))(t)
			for j, x := range next {
				if j == best {
					continue
				}
				before, after := w[j]/w[best], x/next[best]
				factor := (gamma*u[j]*u[j] + (1 - gamma)) / (gamma*u[best]*u[best] + (1 - gamma))
				if factor >= 1 || math.Abs(after-before*factor) > 1e-13*after {
					t.Fatalf("gamma %g: a ratio of %g becomes %g, want %g of it", gamma, before, after, factor)
				}
				if gamma == 1 && math.Abs(after-before*before*before) > 1e-13*after {
					t.Fatalf("gamma 1: a ratio of %g becomes %g, not its third power", before, after)
				}
			}
		}
		// Near the limit of m equal ones the rate depends on m.
		for _, m := range []int{1, 2, 3, 7} {
			near := append(slices.Repeat([]float64{1}, m), 1e-7, 3e-8)
			next := must(s.Forward(near))(t)
			if rate, want := next[m]/next[0]/near[m], must(s.ForwardRate(m))(t); math.Abs(rate-want) > 1e-12 {
				t.Errorf("gamma %g: rate %g near %d equal ones, want %g", gamma, rate, m, want)
			}
		}
		if rate := must(s.ForwardRate(1))(t); math.Abs(rate-(1-gamma)) > 1e-15 {
			t.Errorf("gamma %g: rate %g near one-hot", gamma, rate)
		}
	}
}

// TestInverseLimit: from any weights, ties or not, inverse steps lead the normalised vector to 1/√N at the N that are not
// 0, and the result to f⁻¹ of that, for every gamma; zeros stay.
func TestInverseLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, gamma := range gammas {
		s := memory.Syn{Gamma: gamma}
		for range large.Number(10, 50) {
			n := 1 + random.IntN(30)
			w := simplex(random, n, random.IntN(n))
			if n > 3 {
				w[1] = w[2]
			}
			count := 0
			for _, x := range w {
				if x > 0 {
					count++
				}
			}
			if count == 0 { // the only weight was overwritten by a zero
				continue
			}
			end := iterate(t, s.Inverse, w, 2_000_000)
			limit := 1 / math.Sqrt(float64(count))
			rate := must(s.InverseRate(count))(t)
			// Where a step changes less than rounding, what is missing is at most that over 1−κ.
			tolerance := 1e-15 * float64(count) / (1 - rate)
			for i, x := range unit(end) {
				if w[i] == 0 && x != 0 || w[i] > 0 && math.Abs(x-limit) > tolerance {
					t.Fatalf("gamma %g: %v leads to %v, want %g (to %g)", gamma, w, unit(end), limit, tolerance)
				}
				// The result is the inverse of f at the limit: f of it is 1/√N.
				if f := gamma*end[i]*end[i]*end[i] + (1-gamma)*end[i]; w[i] > 0 && math.Abs(f-limit) > 2*tolerance {
					t.Fatalf("gamma %g: f of %g is %g, want %g", gamma, end[i], f, limit)
				}
			}
		}
	}
}

// TestInverseRate: near equality an inverse step multiplies differences by κ(γ, N), at γ = 1 the logarithm of any ratio by
// exactly 1/3; everywhere it brings ratios nearer to 1, without passing it.
func TestInverseRate(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for _, gamma := range gammas {
		s := memory.Syn{Gamma: gamma}
		for _, n := range []int{2, 3, 10, 100} {
			near := slices.Repeat([]float64{1}, n)
			near[0] += 1e-6
			next := must(s.Inverse(near))(t)
			// To first order in 1e-6, with rounding errors of 1e-9.
			if rate := (next[0]/next[1] - 1) / 1e-6; math.Abs(rate-must(s.InverseRate(n))(t)) > 1e-5 {
				t.Errorf("gamma %g, %d weights: rate %g near equality, want %g", gamma, n, rate, must(s.InverseRate(n))(t))
			}
			w := simplex(random, n, 0)
			next = must(s.Inverse(w))(t)
			for j := 1; j < n; j++ {
				before, after := math.Log(w[j]/w[0]), math.Log(next[j]/next[0])
				if !(after/before > 0 && after/before < 1) {
					t.Fatalf("gamma %g: the logarithm of a ratio goes from %g to %g", gamma, before, after)
				}
				if gamma == 1 && math.Abs(after-before/3) > 1e-14*max(1, math.Abs(before)) {
					t.Fatalf("gamma 1: the logarithm of a ratio goes from %g to %g, not a third", before, after)
				}
			}
		}
		if gamma < 1 {
			if a, b := must(s.InverseRate(10))(t), must(s.InverseRate(1_000_000))(t); !(a < b && b < 1 && b > 1-2e-6/math.Pow(1-gamma, 3)) {
				t.Errorf("gamma %g: rates %g of 10 and %g of a million", gamma, a, b)
			}
		} else if r := must(s.InverseRate(1_000_000))(t); math.Abs(r-1./3) > 1e-15 {
			t.Errorf("gamma 1: rate %g, want 1/3", r)
		}
	}
}

// TestStepsExceptions names what the limits do not hold for.
func TestStepsExceptions(t *testing.T) {
	for _, gamma := range gammas {
		s := memory.Syn{Gamma: gamma}
		name := fmt.Sprintf("gamma %g", gamma)

		// Ties of the largest stay ties: forward steps lead to 1/√m at the m.
		end := iterate(t, s.Forward, []float64{0.3, 0.1, 0.3, 0, 0.3}, 2_000_000)
		third := 1 / math.Sqrt(3)
		requireClose(t, name+": ties", unit(end), []float64{third, 0, third, 0, third}, 1e-12)
		if end[0] != end[2] || end[2] != end[4] {
			t.Errorf("%s: ties become %v", name, end)
		}
		// Ties of others do not matter.
		end = iterate(t, s.Forward, []float64{0.5, 0.25, 0.25}, 2_000_000)
		requireClose(t, name+": ties of others", end, []float64{1, 0, 0}, 1e-11)
		// Equal weights are fixed in both directions, up to the length that f gives.
		for _, step := range []func([]float64) ([]float64, error){s.Forward, s.Inverse} {
			equal := must(step(slices.Repeat([]float64{0.2}, 5)))(t)
			requireClose(t, name+": equal weights", unit(equal), slices.Repeat([]float64{1 / math.Sqrt(5)}, 5), 1e-15)
			// A single one is one-hot, whatever its size, and the sign stays.
			for _, x := range []float64{1, 1e-300, -3e200} {
				single := must(step([]float64{0, x}))(t)
				requireClose(t, name+": a single weight", single, []float64{0, math.Copysign(1, x)}, 1e-15)
			}
			if _, err := step([]float64{0, 0}); !errors.Is(err, memory.ErrZeroState) {
				t.Errorf("%s: no weights: %v", name, err)
			}
		}
		// Negative order parameters: the largest magnitude wins.
		end = iterate(t, s.Forward, []float64{0.4, -0.6, 0.1}, 2_000_000)
		requireClose(t, name+": negative", end, []float64{0, -1, 0}, 1e-11)
	}
	// γ = 0 would make f the identity; it is refused, as are those outside (0, 1].
	for _, gamma := range []float64{0, -1, 1.1, math.NaN(), math.Inf(1)} {
		if _, err := (memory.Syn{Gamma: gamma}).Forward([]float64{1, 2}); err == nil {
			t.Errorf("gamma %g is taken", gamma)
		}
	}
}
