package sequence_test

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// TestAdjustment: no iterations change nothing, the weights are those of Syn, and the gradient goes straight through.
func TestAdjustment(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			out := MustNewExec(backend, func(w *Node) []*Node {
				adjusted := distract.Adjust(w)
				plain := synlayer.Syn(w, ConstAs(w, distract.Gamma), distract.Iterations)
				sum := ReduceAndKeep(plain, ReduceSum, -1)
				return []*Node{(sequence.Adjustment{Gamma: -1}).Adjust(w), adjusted, Div(plain, sum), Gradient(waves(adjusted), w)[0], Gradient(waves(w), w)[0]}
			}).MustCall([][]float64{{0.7, 0.2, 0.1, 0}})
			within(t, "no iterations", goldentest.Floats(out[0]), []float64{0.7, 0.2, 0.1, 0}, 0)
			within(t, "weights", goldentest.Floats(out[1]), goldentest.Floats(out[2]), 1e-15)
			within(t, "gradient", goldentest.Floats(out[3]), goldentest.Floats(out[4]), 0)
		})
	}
}

// TestAdjustedAttention: the weights of every attention with an Adjustment are those without, adjusted, and what it gathers
// by them is another sum.
func TestAdjustedAttention(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		x := normal(4, 2, 5, 4) // a tensor stays with the backend that has had it
		for what, attend := range map[string]func(scope *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node){
			"multi-head": func(scope *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node) {
				return sequence.MultiHeadAttention{Embed: 4, Heads: 2, Causal: true, Adjust: a}.Attend(scope, x, x, x, nil)
			},
			"word": func(scope *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node) {
				return sequence.WordAttention{Width: 3, Adjust: a}.Pool(scope, synlayer.Bags{X: x})
			},
			"document": func(scope *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node) {
				return sequence.DocumentAttention{Width: 3, Adjust: a}.Pool(scope, synlayer.Bags{X: x})
			},
			"memory network": func(scope *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node) {
				m := sequence.MemoryNetwork{Words: 9, Width: 3, Sentences: 5, Hops: 1, Answers: 4, Adjust: a}
				words := ConvertDType(Floor(MulScalar(Abs(x), 3)), dtypes.Int32)
				return m.Logits(scope, words, nil, ReduceMax(words, 1), nil, dtypes.Float64)
			},
			"Nadaraya-Watson, Gaussian": func(_ *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node) {
				return sequence.NadarayaWatson{Kernel: sequence.Gaussian, Bandwidth: 1, Adjust: a}.Attend(MulScalar(x, 0.9), x, x, nil)
			},
			"Nadaraya-Watson, Epanechnikov": func(_ *model.Scope, x *Node, a sequence.Adjustment) (out, weights *Node) {
				return sequence.NadarayaWatson{Kernel: sequence.Epanechnikov, Bandwidth: 4, Adjust: a}.Attend(MulScalar(x, 0.9), x, x, nil)
			},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				store := model.NewStore()
				store.SetParam(model.ParamInitialSeed, int64(1))
				out := model.MustNewExec(backend, store, func(scope *model.Scope, x *Node) []*Node {
					out, weights := attend(scope, x, sequence.Adjustment{})
					outs := []*Node{out, weights}
					for _, a := range []sequence.Adjustment{concentrate, distract} {
						out, weights := attend(scope.ResetVisited(), x, a)
						outs = append(outs, out, weights, a.Adjust(outs[1]))
					}
					return outs
				}).MustCall(x)
				var flat [][]float64
				for _, o := range out {
					flat = append(flat, goldentest.Floats(o))
				}
				for _, adjusted := range [][][]float64{flat[2:5], flat[5:8]} {
					within(t, "weights", adjusted[1], adjusted[2], 1e-14)
					for i, before := range [][]float64{flat[0], flat[1]} {
						apart := 0.0
						for k, v := range before {
							apart = max(apart, math.Abs(adjusted[i][k]-v))
						}
						if apart < 1e-5 {
							t.Errorf("output or weights %d are those without an adjustment, to %g", i, apart)
						}
					}
				}
			})
		}
	}
}
