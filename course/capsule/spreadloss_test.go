package capsule_test

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/course/capsule"
	"synpool/internal/goldentest"
)

// TestSpreadLoss compares with values worked out by hand; TestGoldenNetwork does so with PyTorch's.
func TestSpreadLoss(t *testing.T) {
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		exec := MustNewExec(backend, func(activations, labels, margin *Node) []*Node {
			loss := capsule.SpreadLoss(activations, labels, margin)
			return []*Node{loss, Gradient(loss, activations)[0]}
		})
		for _, c := range []struct {
			name         string
			activations  []float64 // rows of three
			labels       []int32
			margin, loss float64
			gradient     []float64
		}{
			{"far", []float64{0.9, 0.1, 0.2}, []int32{0}, 0.5, 0, []float64{0, 0, 0}},
			{"near", []float64{0.5, 0.4, 0.1}, []int32{0}, 0.2, 0.01, []float64{-0.2, 0.2, 0}},
			{"wrong", []float64{0.1, 0.6, 0.3}, []int32{2}, 0.5, 0.64 + 0.09, []float64{0.6, 1.6, -2.2}},
			{"mean", []float64{0.9, 0.1, 0.2, 0.5, 0.4, 0.1}, []int32{0, 0}, 0.2, 0.005, []float64{0, 0, 0, -0.1, 0.1, 0}},
			{"no class", []float64{0.1, 0.3, 0}, []int32{7}, 0.2, 0.09 + 0.25 + 0.04, []float64{0.6, 1, 0.4}},
		} {
			out := exec.MustCall(array{Dims: []int{len(c.labels), 3}, Flat: c.activations}.Tensor(dtype), tensors.FromValue(c.labels), array{Dims: nil, Flat: []float64{c.margin}}.Tensor(dtype))
			part := 1e-12
			if dtype == dtypes.Float32 {
				part = 2e-6 // differences of numbers near 1, squared
			}
			if c.loss == 0 {
				if got := goldentest.Floats(out[0])[0]; got != 0 {
					t.Errorf("%s: loss %g, want 0", c.name, got)
				}
			} else {
				check(t, c.name+": loss", goldentest.Floats(out[0]), []float64{c.loss}, part)
			}
			check(t, c.name+": gradient", goldentest.Floats(out[1]), c.gradient, part)
		}
	})
}
