package memory_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"synpool/course/memory"
)

// TestClassicalCapacity: started at the patterns, the classical network keeps them up to a share of d that comes down to
// 0.138 as d grows (about 0.17 at 200 components: the transition is sharp for infinitely many alone), and not beyond.
func TestClassicalCapacity(t *testing.T) {
	previous := math.Inf(1)
	for _, d := range []int{50, 100, 200, 400} {
		c := memory.CapacityConfig{Criterion: memory.WrongComponents, Threshold: 0.05, Updates: 50, Draws: 12, Cues: 12, Limit: 10 * d, Seed: 1}
		n, curve, err := c.Capacity(&memory.Hopfield{ZeroDiagonal: true}, d)
		if err != nil {
			t.Fatal(err)
		}
		share := float64(n) / float64(d)
		if share <= must(memory.ClassicalCapacity(d))(t)/float64(d) || share > 0.25 || share > previous*1.05 {
			t.Errorf("capacity %d of %d components, a share of %.3f after %.3f", n, d, share, previous)
		}
		previous = share
		if !slices.IsSortedFunc(curve, func(a, b memory.CapacityPoint) int { return cmp.Compare(a.Patterns, b.Patterns) }) || len(curve) < 5 {
			t.Errorf("a curve of %v", curve)
		}
	}
	if previous > 0.17 {
		t.Errorf("a share of %.3f at 400 components", previous)
	}
}

// TestPolynomialCapacity: where an update at a pattern gets the share 0.0036 of its components wrong, is where theory has
// it, α dᵃ⁻¹, to 15 % and a pattern or two: the normal approximation neglects terms of order 1/d.
func TestPolynomialCapacity(t *testing.T) {
	for _, c := range []struct{ power, d int }{{2, 100}, {2, 200}, {3, 40}, {3, 60}, {4, 30}} {
		config := memory.CapacityConfig{Criterion: memory.WrongComponents, Threshold: 0.0036, Updates: 1, Draws: 15, Cues: 40, Limit: 10000, Seed: 1}
		n, _, err := config.Capacity(&memory.Polynomial{Power: c.power, Synchronous: true}, c.d)
		if err != nil {
			t.Fatal(err)
		}
		theory := must(memory.PolynomialCapacity(c.power, c.d, 0.0036))(t)
		if math.Abs(float64(n)-theory) > 0.15*theory+2 {
			t.Errorf("power %d, %d components: capacity %d, theory %.1f", c.power, c.d, n, theory)
		}
		// The classical network without its diagonal is that of power 2.
		if c.power == 2 {
			if classical, _, err := config.Capacity(&memory.Hopfield{ZeroDiagonal: true, Synchronous: true}, c.d); err != nil || classical != n {
				t.Errorf("the classical network has capacity %d (%v), power 2 has %d", classical, err, n)
			}
		}
	}
	if a, b := must(memory.PolynomialCapacity(2, 1000, 0.0036))(t), must(memory.ClassicalCapacity(1000))(t); math.Abs(a-b) > 1 {
		t.Errorf("theory gives %g for power 2 and %g for the classical network", a, b)
	}
}

// TestExponentialCapacity: half of the draws keep all patterns up to √(2 ln 2/d) 2^(d/2), within 15 % and a pattern or
// two: a growth by 2^½ a component.
func TestExponentialCapacity(t *testing.T) {
	config := memory.CapacityConfig{Criterion: memory.FailedDraws, Threshold: 0.5, Updates: 1, Draws: 60, Cues: memory.AllCues, Limit: 10000, Seed: 1}
	for _, d := range []int{8, 10, 12, 14, 16} {
		n, _, err := config.Capacity(&memory.Exponential{}, d)
		if err != nil {
			t.Fatal(err)
		}
		theory := must(memory.ExponentialCapacityAll(d, 0.5))(t)
		if math.Abs(float64(n)-theory) > 0.15*theory+2 {
			t.Errorf("%d components: capacity %d, theory %.1f", d, n, theory)
		}
	}
}

// TestMeasureRecall checks the counts of wrong components and patterns with a memory that leaves the cues unchanged.
func TestMeasureRecall(t *testing.T) {
	patterns := [][]float64{{1, 1, 1, 1}, {-1, -1, -1, -1}, {1, -1, 1, -1}}
	cues := [][]float64{{1, 1, 1, 1}, {-1, -1, 1, 1}, {1, -1, 1, 1}}
	r := must(memory.MeasureRecall(idle{}, patterns, cues, 9, 0))(t)
	want := memory.Recall{WrongComponents: 3. / 12, FailedPatterns: 2. / 3, Nearest: 1. / 3, RMS: math.Sqrt(3 * 4 / 12.), Updates: 1, Fixed: 1}
	if math.Abs(r.WrongComponents-want.WrongComponents) > 1e-15 || math.Abs(r.FailedPatterns-want.FailedPatterns) > 1e-15 || math.Abs(r.Nearest-want.Nearest) > 1e-15 || math.Abs(r.RMS-want.RMS) > 1e-15 || r.Updates != want.Updates || r.Fixed != want.Fixed {
		t.Errorf("%+v, want %+v", r, want)
	}
	if r := must(memory.MeasureRecall(idle{}, patterns, cues, 9, 2))(t); r.WrongComponents != 0 || r.FailedPatterns != 0 {
		t.Errorf("with 2 allowed: %+v", r)
	}
	if r := must(memory.MeasureRecall(idle{}, patterns, cues, 0, 0))(t); r.Updates != 0 || r.Fixed != 0 || math.Abs(r.WrongComponents-want.WrongComponents) > 1e-15 {
		t.Errorf("without an update: %+v", r)
	}
	// Two of three ends are fixed: the third goes back and forth, as many updates as there are.
	cycle := store(t, &memory.Hopfield{ZeroDiagonal: true, Synchronous: true}, [][]float64{{1, 1}})
	if r := must(memory.MeasureRecall(cycle, [][]float64{{1, 1}, {-1, -1}, {1, -1}}, [][]float64{{1, 1}, {-1, -1}, {1, -1}}, 7, 0))(t); math.Abs(r.Fixed-2./3) > 1e-15 || r.Updates != (1+1+7)/3. {
		t.Errorf("with a cycle: %+v", r)
	}
}

// idle is a memory whose every state is fixed.
type idle struct{}

func (idle) Store([][]float64) error                   { return nil }
func (idle) Energy([]float64) (float64, error)         { return 0, nil }
func (idle) Update(state []float64) ([]float64, error) { return slices.Clone(state), nil }

// TestBetaSweep: from the mean of all patterns at small β to one pattern at large β, in between with ever fewer patterns
// sharing the weight.
func TestBetaSweep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	patterns := units(random, 12, 20)
	var cues [][]float64
	for _, x := range patterns {
		cues = append(cues, must(memory.AddNoise(x, 0.05, random))(t))
	}
	points := must(memory.BetaSweep(patterns, cues, []float64{0, 0.01, 0.1, 1, 3, 10, 30, 100}, 100))(t)
	for i, p := range points {
		if i > 0 && (p.SharedBy > points[i-1].SharedBy+1e-6 || p.ToMean < points[i-1].ToMean-1e-6) {
			t.Errorf("%+v after %+v", p, points[i-1])
		}
	}
	first, last := points[0], points[len(points)-1]
	if math.Abs(first.SharedBy-12) > 1e-9 || first.ToMean > 1e-12 || first.Beta != 0 || math.Abs(first.Fixed-1) > 1e-12 {
		t.Errorf("at β = 0: %+v", first)
	}
	if math.Abs(last.SharedBy-1) > 1e-9 || last.ToOwn > 1e-9 || math.Abs(last.Fixed-1) > 1e-12 {
		t.Errorf("at β = 100: %+v", last)
	}
	if p := must(memory.BetaSweep(patterns, cues, []float64{10}, 1))(t)[0]; p.Fixed != 0 || p.Updates < 1-1e-12 {
		t.Errorf("after one update: %+v", p)
	}
}

func TestCues(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	x := memory.RandomSigns(1, 1000, random)[0]
	flipped := must(memory.Flip(x, 0.25, random))(t)
	masked := memory.MaskHalf(x, -1)
	noisy := must(memory.AddNoise(x, 0.5, random))(t)
	off, sum, squares := 0, 0.0, 0.0
	for i := range x {
		if flipped[i] == -x[i] {
			off++
		}
		if want := x[i]; i < 500 && masked[i] != want || i >= 500 && masked[i] != -1 {
			t.Fatalf("component %d of the masked is %g", i, masked[i])
		}
		sum += noisy[i] - x[i]
		squares += (noisy[i] - x[i]) * (noisy[i] - x[i])
	}
	if off != 250 {
		t.Errorf("%d of 1000 flipped, want 250", off)
	}
	// Five standard errors.
	if math.Abs(sum/1000) > 5*0.5/math.Sqrt(1000) || math.Abs(squares/1000-0.25) > 5*0.25*math.Sqrt(2./1000) {
		t.Errorf("noise of mean %g and variance %g", sum/1000, squares/1000)
	}
	if got := memory.Signs([]float64{0, 0.5, 0.51, 1}, 0.5); !slices.Equal(got, []float64{-1, -1, 1, 1}) {
		t.Errorf("signs %v", got)
	}
	// Fewer patterns of a source are the first of more.
	a, b := memory.RandomSigns(3, 5, rand.New(rand.NewPCG(1, 1))), memory.RandomSigns(9, 5, rand.New(rand.NewPCG(1, 1)))
	if !slices.EqualFunc(a, b[:3], slices.Equal) {
		t.Error("fewer patterns are others")
	}
}

// TestZeroDiagonal: every state that is fixed without the diagonal is fixed with it. With it more than twice as many states
// are fixed.
func TestZeroDiagonal(t *testing.T) {
	const d = 10
	random := rand.New(rand.NewPCG(3, 1))
	with, without := 0, 0
	for range 20 {
		patterns := memory.RandomSigns(5, d, random)
		full, zero := store(t, &memory.Hopfield{}, patterns), store(t, &memory.Hopfield{ZeroDiagonal: true}, patterns)
		state := make([]float64, d)
		for code := range 1 << d {
			for l := range state {
				state[l] = float64(2*(code>>l&1) - 1)
			}
			isFixed := slices.Equal(must(full.Update(state))(t), state)
			if isFixed {
				with++
			}
			if slices.Equal(must(zero.Update(state))(t), state) {
				without++
				if !isFixed {
					t.Fatalf("%v is fixed without the diagonal alone", state)
				}
			}
		}
	}
	if with <= 2*without {
		t.Errorf("%d states are fixed with the diagonal, %d without", with, without)
	}
}
