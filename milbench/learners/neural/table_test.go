package neural

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGap checks that what a row makes up for at once equals the sum of single updates in float64: weights to a
// millionth of the step, and moments to rounding, for √v of at least 10⁻⁵. Below, weights are within a fifth of the
// learning rate.
func TestGap(t *testing.T) {
	const lr = 1e-3
	rng := rand.New(rand.NewPCG(2, 2))
	for _, wd := range []float64{0, 1e-4, 0.1, mostDecay / lr} {
		g := newGaps(lr, wd)
		for _, last := range []int{0, 1, 2, 10, 1000, settled - 5, settled + 5} {
			for _, count := range []int{0, 1, 2, 17, 300, 1500} {
				end := last + count
				shrink := float64(1 - float32(lr)*float32(wd))
				gap := g.gap(last, end)
				for i := range 40 {
					theta, m, size, tolerance := rng.NormFloat64(), rng.NormFloat64(), math.Pow(10, -5+5*rng.Float64()), 0.0
					if i%2 == 1 {
						m, size, tolerance = 1, math.Pow(10, -12+7*rng.Float64()), 0.2*lr
					}
					m, v := m*size, size*size
					if last == 0 {
						m, v = 0, 0
					}
					got := gap.shrink*theta - m*gap.rate/(math.Sqrt(v)+gap.epsilon)
					want, step, first, second := theta, 0.0, m, v
					for i := max(last, 1); i <= end; i++ {
						if i > last {
							first, second = beta1*first, beta2*second
						}
						u := lr * first / (1 - math.Pow(beta1, float64(i))) / (math.Sqrt(second/(1-math.Pow(beta2, float64(i)))) + adamEpsilon)
						want, step = shrink*want-u, step+math.Abs(u)
					}
					if off := math.Abs(got - want); !(off <= 1e-6*step+1e-12+tolerance) || math.Abs(m*gap.first-first) > 1e-12*math.Abs(m) || math.Abs(v*gap.second-second) > 1e-12*v {
						t.Errorf("weight decay %g, %d steps after step %d, √v = %g: weight %g and moments %g, %g, one by one %g, %g, %g",
							wd, count, last, size, got, m*gap.first, v*gap.second, want, first, second)
					}
				}
			}
		}
	}
}
