package memory_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
)

// TestContinuousEnergyBounds: the constants of the energy put it into [0, 2M²] for states in the convex hull of the
// patterns, and at 0 for the only pattern.
func TestContinuousEnergyBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		d := 1 + random.IntN(10)
		patterns := normal(random, 1+random.IntN(12), d, math.Exp(random.NormFloat64()))
		m := store(t, &memory.Continuous{Beta: math.Exp(2 * random.NormFloat64())}, patterns)
		largest, state := 0.0, make([]float64, d)
		for i, w := range simplex(random, len(patterns), 0) {
			floats.AddScaled(state, w, patterns[i])
			largest = max(largest, floats.Dot(patterns[i], patterns[i]))
		}
		energy := must(m.Energy(state))(t)
		if !(energy >= -1e-12*largest && energy <= 2*largest*(1+1e-12)) {
			t.Fatalf("energy %g, want it in [0, %g]", energy, 2*largest)
		}
	}
	m := store(t, &memory.Continuous{Beta: 3}, [][]float64{{2, 1, -2}})
	if energy := must(m.Energy([]float64{2, 1, -2}))(t); math.Abs(energy) > 1e-14 {
		t.Errorf("energy %g of the only pattern", energy)
	}
}

// TestContinuousGradient: an update is the state less the energy's gradient, which finite differences give to 1e-6.
func TestContinuousGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, beta := range []float64{0, 1e-9, 0.1, 1, 5} {
		patterns := normal(random, 6, 4, 1)
		m := store(t, &memory.Continuous{Beta: beta}, patterns)
		state := normal(random, 1, 4, 1)[0]
		next := must(m.Update(state))(t)
		const h = 1e-5
		for l := range state {
			at := state[l]
			state[l] = at + h
			up := must(m.Energy(state))(t)
			state[l] = at - h
			down := must(m.Energy(state))(t)
			state[l] = at
			if gradient := (up - down) / (2 * h); math.Abs(at-gradient-next[l]) > 1e-6 {
				t.Errorf("beta %g: component %d becomes %g, its gradient says %g", beta, l, next[l], at-gradient)
			}
		}
	}
}

// TestContinuousBeta: at β = 0 every state goes to the mean of the patterns, small β do so nearly with an energy that is
// continuous there, and large ones go to the pattern of the largest product.
func TestContinuousBeta(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		patterns := normal(random, 7, 5, 1)
		state := normal(random, 1, 5, 1)[0]
		mean, best := make([]float64, 5), 0
		for i, x := range patterns {
			floats.AddScaled(mean, 1./7, x)
			if floats.Dot(x, state) > floats.Dot(patterns[best], state) {
				best = i
			}
		}
		zero := store(t, &memory.Continuous{}, patterns)
		requireClose(t, "beta 0", must(zero.Update(state))(t), mean, 1e-14)
		for _, beta := range []float64{1e-300, 1e-15, 1e-10, 1e-8} {
			m := store(t, &memory.Continuous{Beta: beta}, patterns)
			requireClose(t, "small beta", must(m.Update(state))(t), mean, 1e-6)
			// The derivative of the energy by β is half the variance of the products.
			requireClose(t, "energy at small beta", []float64{must(m.Energy(state))(t)}, []float64{must(zero.Energy(state))(t)}, 1e-6)
		}
		requireClose(t, "large beta", must(store(t, &memory.Continuous{Beta: 1e12}, patterns).Update(state))(t), patterns[best], 0)
	}
}

// TestContinuousOneUpdate: one update brings a pattern back from nearby to within 2M(N−1) exp(−βΔ), for a separation Δ of
// the pattern's product with the state from the others'.
func TestContinuousOneUpdate(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	small := 0
	for range 500 {
		n, d := 2+random.IntN(30), 30
		patterns := normal(random, n, d, 1)
		state := must(memory.AddNoise(patterns[0], 0.3, random))(t)
		separation, largest := math.Inf(1), 0.0
		for i, x := range patterns {
			largest = max(largest, norm(x))
			if i > 0 {
				separation = min(separation, floats.Dot(patterns[0], state)-floats.Dot(x, state))
			}
		}
		if separation <= 0 {
			continue
		}
		const beta = 0.5
		m := store(t, &memory.Continuous{Beta: beta}, patterns)
		far := floats.Distance(must(m.Update(state))(t), patterns[0], 2)
		bound := 2 * largest * float64(n-1) * math.Exp(-beta*separation)
		if far > bound+1e-12 {
			t.Fatalf("an update ends at %g from the pattern, the bound is %g", far, bound)
		}
		if far < 0.01 {
			small++
		}
	}
	if small < 300 {
		t.Errorf("%d of 500 come back in one update", small)
	}
}
