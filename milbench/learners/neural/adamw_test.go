package neural

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend/backendtest"
)

// TestAdamWMembers checks that members with different norms, steps, learning rates and weight decays get the same
// results as alone.
func TestAdamWMembers(t *testing.T) {
	const members, size = 3, 4
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		return values
	}
	// Two parameters; gradients of the members differ in size, so that some are clipped and some not.
	arrays := make([][]float64, 8)
	for i := range arrays {
		arrays[i] = draw(members * size)
	}
	for i := range members * size {
		for _, second := range [][]float64{arrays[4], arrays[5]} {
			second[i] *= second[i]
		}
		for _, g := range [][]float64{arrays[6], arrays[7]} {
			g[i] *= math.Pow(10, float64(i/size)-2)
		}
	}
	steps := []int32{1, 7, 40}
	numbers := [][]float64{{0.1, 0.01, 0.5}, {0, 0.3, 0.01}, {1, 0.9, 0.5}, {3, 3, 20}} // of rates
	update := func(count int) func(in []*Node) []*Node {
		return func(in []*Node) []*Node {
			square := func(g *Node) *Node {
				if count == 0 {
					return ReduceAllSum(Square(g))
				}
				return ReduceSum(Square(g), 1, 2)
			}
			factor, pace := clip(Add(square(in[6]), square(in[7]))), newPace(in[8], rates{in[9], in[10], in[11], in[12]})
			var parameters, first, second []*Node
			for i := range 2 {
				m, v := moments(in[2+i], in[4+i], in[6+i], factor, nil)
				parameters = append(parameters, pace.update(in[i], m, v))
				first, second = append(first, m), append(second, v)
			}
			return append(append(parameters, first...), second...)
		}
	}
	for name, backend := range backendtest.All(t) {
		var stacked []any
		for _, a := range arrays {
			stacked = append(stacked, tensors.FromFlatDataAndDimensions(a, members, 2, size/2))
		}
		stacked = append(stacked, tensors.FromFlatDataAndDimensions(steps, members))
		for _, n := range numbers {
			stacked = append(stacked, tensors.FromFlatDataAndDimensions(n, members))
		}
		together := must(CallOnceN(backend, update(members), stacked...))
		for m := range members {
			var alone []any
			for _, a := range arrays {
				alone = append(alone, tensors.FromFlatDataAndDimensions(append([]float64{}, a[m*size:(m+1)*size]...), 2, size/2))
			}
			alone = append(alone, steps[m])
			for _, n := range numbers {
				alone = append(alone, n[m])
			}
			single := must(CallOnceN(backend, update(0), alone...))
			for i := range single {
				got, want := tensors.MustCopyFlatData[float64](together[i])[m*size:(m+1)*size], tensors.MustCopyFlatData[float64](single[i])
				for j := range want {
					if math.Abs(got[j]-want[j]) > 1e-13*max(1, math.Abs(want[j])) {
						t.Errorf("%s: output %d of member %d: %v, want %v", name, i, m, got, want)
						break
					}
				}
			}
		}
	}
}
