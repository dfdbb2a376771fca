package sequence_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/sequence"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

func normal(seed uint64, dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(seed, 1))
	size := 1
	for _, d := range dims {
		size *= d
	}
	values := make([]float64, size)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// TestGradientWithDropout compares the gradient of both cells, with a mask and dropout of the state, with differences.
func TestGradientWithDropout(t *testing.T) {
	for _, cell := range []sequence.Cell{sequence.LSTM, sequence.GRU} {
		t.Run(cell.String(), func(t *testing.T) {
			rnn := sequence.RNN{Cell: cell, Hidden: 3, Bidirectional: true, Dropout: 0.4}
			store := model.NewStore()
			store.SetParam(model.ParamInitialSeed, int64(2))
			x, mask := normal(1, 2, 4, 3), tensors.FromValue([][]bool{{true, true, true, true}, {true, false, true, false}})
			build := func(scope *model.Scope, x, mask *Node) *Node {
				g := x.Graph()
				scope.SetTraining(g, true)
				states, last := rnn.Encode(scope, synlayer.Bags{X: x, Mask: mask, DropoutKey: synlayer.DropoutKey(Const(g, uint32(1)), Const(g, uint32(1)))}, nil)
				return waves(append([]*Node{states}, last...)...)
			}
			value := model.MustNewExec(gobackend.GetBackend(), store, build)
			value.MustCall(x, mask)
			var variables []*model.Variable
			for v := range store.IterVariables() {
				if v.Trainable && v.DType().IsFloat() {
					variables = append(variables, v)
				}
			}
			gradients := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, x, mask *Node) []*Node {
				loss := build(scope, x, mask)
				of := []*Node{x}
				for _, v := range variables {
					of = append(of, v.NodeValue(x.Graph()))
				}
				return Gradient(loss, of...)
			}).MustCall(x, mask)
			// Central differences of a step of 1e-5 are off by about 1e-10 in float64.
			const step = 1e-5
			difference := func(what string, flat []float64, dims []int, gradient *tensors.Tensor, set func(*tensors.Tensor), at func() float64) {
				for i := 0; i < len(flat); i += 1 + len(flat)/7 {
					moved := func(by float64) float64 {
						other := slices.Clone(flat)
						other[i] += by
						set(tensors.FromFlatDataAndDimensions(other, dims...))
						return at()
					}
					got := (moved(step) - moved(-step)) / (2 * step)
					within(t, fmt.Sprintf("%s[%d]", what, i), []float64{goldentest.Floats(gradient)[i]}, []float64{got}, 1e-8)
				}
				set(tensors.FromFlatDataAndDimensions(slices.Clone(flat), dims...))
			}
			input := x
			at := func() float64 { return tensors.ToScalar[float64](value.MustCall(input, mask)[0]) }
			difference("x", goldentest.Floats(x), x.Shape().Dimensions, gradients[0], func(v *tensors.Tensor) { input = v }, at)
			for i, v := range variables {
				difference(v.Path(), goldentest.Floats(v.MustValue()), v.Shape().Dimensions, gradients[1+i], func(value *tensors.Tensor) {
					if err := v.SetValue(value); err != nil {
						t.Fatal(err)
					}
				}, at)
			}
		})
	}
}
