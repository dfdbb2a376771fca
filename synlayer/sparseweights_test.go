package synlayer_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/goldenfile"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// TestGoldenSparseWeights compares weights and gradients with those of the package entmax. All cases make one batch: shorter rows end in
// padding, and one row is empty.
func TestGoldenSparseWeights(t *testing.T) {
	cases := goldenfile.Read[[]struct {
		Logits, Cotangent   []float64
		Sparsemax, Entmax15 []float64
		GradSparsemax       []float64 `json:"grad_sparsemax"`
		GradEntmax15        []float64 `json:"grad_entmax15"`
	}](t, "golden/sparseweights.json")
	const width = 43
	rows := len(cases) + 1
	wide := func(of func(i int) []float64) array {
		a := array{Dims: []int{rows, 1, width}, Flat: make([]float64, rows*width)}
		for i := range cases {
			copy(a.Flat[i*width:], of(i))
		}
		return a
	}
	logits := wide(func(i int) []float64 { return cases[i].Logits })
	mask := wide(func(i int) []float64 {
		real := make([]float64, len(cases[i].Logits))
		for k := range real {
			real[k] = 1
		}
		return real
	})
	cotangents := wide(func(i int) []float64 { return cases[i].Cotangent })
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		out, err := CallOnceN(backend, func(l, m, c *Node) (all []*Node) {
			real := Squeeze(GreaterThan(m, ZerosLike(m)), 1)
			for _, f := range []func(l, m *Node) *Node{synlayer.BagSparsemax, synlayer.BagEntmax15} {
				weights := f(l, real)
				all = append(all, weights, Gradient(ReduceAllSum(Mul(weights, c)), l)[0])
			}
			return append(all, synlayer.BagSparsemax(Slice(l, AxisElem(1), AxisRange(), AxisRange(0, len(cases[1].Logits))), nil))
		}, logits.Tensor(dtype), mask.Tensor(dtype), cotangents.Tensor(dtype))
		if err != nil {
			t.Fatal(err)
		}
		tol := tolerance{absolute: 1e-9}
		if dtype == dtypes.Float32 {
			tol = tolerance{absolute: 2e-5} // logits of 100 have seven digits
		}
		for n, name := range []string{"sparsemax", "gradient of sparsemax", "entmax15", "gradient of entmax15"} {
			got := goldentest.Floats(out[n])
			for i, c := range cases {
				want := make([]float64, width) // padding has weights and derivatives of exactly 0
				copy(want, [][]float64{c.Sparsemax, c.GradSparsemax, c.Entmax15, c.GradEntmax15}[n])
				row := got[i*width : (i+1)*width]
				tol.check(t, fmt.Sprintf("%s, case %d", name, i), row, want)
				tolerance{}.check(t, fmt.Sprintf("padding of %s, case %d", name, i), row[len(c.Logits):], want[len(c.Logits):])
			}
			tolerance{}.check(t, name+" of an empty bag", got[len(cases)*width:], make([]float64, width))
		}
		tol.check(t, "without a mask", goldentest.Floats(out[4]), cases[1].Sparsemax)
	})
}
