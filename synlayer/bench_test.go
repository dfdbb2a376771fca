package synlayer_test

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/synlayer"
)

// The bags of the benchmarks: the size of Elephant's, eight per batch, and the width of the default network.
const benchBatch, benchInstances, benchFeatures = 8, 16, 256

func ramp(dims ...int) *tensors.Tensor {
	size := 1
	for _, d := range dims {
		size *= d
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(i*7919%1000)/1000 + 1e-3
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// BenchmarkSyn times one forward and one inverse step on the weights of a batch with four heads.
func BenchmarkSyn(b *testing.B) {
	weights := ramp(benchBatch, 4, benchInstances)
	for name, backend := range backendtest.All(b) {
		for _, steps := range []int{1, -1} {
			b.Run(fmt.Sprintf("%s/steps=%d", name, steps), func(b *testing.B) {
				exec := MustNewExec(backend, func(w *Node) *Node { return synlayer.Syn(w, ConstAs(w, 0.5), steps) })
				exec.MustCall(weights)
				for b.Loop() {
					exec.MustCall(weights)[0].MustFinalizeAll()
				}
			})
		}
	}
}

// BenchmarkPooling times each pooling of a batch and its gradient by the instances.
func BenchmarkPooling(b *testing.B) {
	x := ramp(benchBatch, benchInstances, benchFeatures)
	distract := synlayer.DefaultSyn()
	distract.Iterations = -3
	for name, backend := range backendtest.All(b) {
		for _, c := range []struct {
			name    string
			pooling synlayer.Pooling
		}{
			{"softmax", synlayer.DefaultSoftmax()}, {"syn+3", synlayer.DefaultSyn()}, {"syn-3", distract},
			{"hopfield", synlayer.DefaultHopfield()}, {"attention", synlayer.DefaultAttention()},
			{"gated", synlayer.AttentionPooling{Embed: 128, Gated: true}}, {"mean", synlayer.MeanPooling{}},
			{"max", synlayer.MaxPooling{}}, {"sum", synlayer.SumPooling{}}, {"lse", synlayer.DefaultLogSumExp()},
			{"dsmil", synlayer.DefaultDSMIL()}, {"clam", synlayer.DefaultCLAM()}, {"acmil", synlayer.DefaultACMIL()},
			{"settransformer", synlayer.DefaultSetTransformer()},
		} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				exec := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
					pooled, _ := c.pooling.Pool(scope, synlayer.Bags{X: x})
					return Gradient(ReduceAllSum(Square(pooled)), x)[0]
				})
				exec.MustCall(x)
				for b.Loop() {
					exec.MustCall(x)[0].MustFinalizeAll()
				}
			})
		}
	}
}
