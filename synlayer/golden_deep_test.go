package synlayer_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/goldenfile"
	"synpool/synlayer"
)

// deepCase is a case of deep.json: bags of several sizes, each computed alone.
type deepCase struct {
	Kind           string
	Embed          int
	Scale          float64
	Top            int
	InstanceWeight float64 `json:"instance_weight"`
	Branches       int
	MaskRate       float64 `json:"mask_rate"`
	Heads          int
	Inducing       int
	Blocks         int
	Norm           bool
	Classes        int
	Seed, Step     *uint32
	Labels         []float64
	Bags           []array
	Params         map[string]array
	Pooled         []array
	Weights        []array // [heads, instances]
	Logits         []float64
	Losses         []float64
	GradX          []array          `json:"grad_x"`
	GradParams     map[string]array `json:"grad_params"`
}

func (c deepCase) pooling(t *testing.T) synlayer.Pooling {
	t.Helper()
	switch c.Kind {
	case "dsmil":
		return synlayer.DSMILPooling{Embed: c.Embed, Scale: c.Scale}
	case "clam":
		return synlayer.CLAMPooling{Embed: c.Embed, Top: c.Top, InstanceWeight: c.InstanceWeight}
	case "acmil":
		return synlayer.ACMILPooling{Embed: c.Embed, Branches: c.Branches, Top: c.Top, MaskRate: c.MaskRate}
	case "settransformer":
		return synlayer.SetTransformerPooling{Embed: c.Embed, Heads: c.Heads, Inducing: c.Inducing, Blocks: c.Blocks, Norm: c.Norm}
	}
	t.Fatalf("there is no pooling %q", c.Kind)
	return nil
}

// padded returns rows of unequal length [bags][instances × columns] as one array with room for size instances, zeros behind.
func padded(rows []array, size, columns int) array {
	a := array{Dims: []int{len(rows), size, columns}}
	for _, r := range rows {
		a.Flat = append(a.Flat, r.Flat...)
		a.Flat = append(a.Flat, make([]float64, size*columns-len(r.Flat))...)
	}
	return a
}

// TestGoldenDeep compares the learners that have a training loss of their own, and the Set Transformer, with PyTorch code written
// from the papers' equations: pooled vectors, weights, logits, losses, and the gradients of the sum of the losses. There each bag
// is computed alone, here all of a case are one padded batch, in which the last instance of the largest bag is followed by two
// of padding. The tolerance is that of sums of a few products, as for the other poolings ([goldenTolerance]).
func TestGoldenDeep(t *testing.T) {
	cases := goldenfile.Read[[]deepCase](t, "golden/deep.json")
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		for i, c := range cases {
			pooling := c.pooling(t)
			size, features := 0, c.Bags[0].Dims[1]
			for _, b := range c.Bags {
				size = max(size, b.Dims[0]+2)
			}
			var mask []bool
			for _, b := range c.Bags {
				for j := range size {
					mask = append(mask, j < b.Dims[0])
				}
			}
			outputs, gradX, grads := run(t, backend, dtype, c.Params, []array{padded(c.Bags, size, features), {Dims: []int{len(c.Labels)}, Flat: c.Labels}},
				func(scope *model.Scope, in []*Node) (*Node, []*Node) {
					g := in[0].Graph()
					bags := synlayer.Bags{X: in[0], Mask: Const(g, tensors.FromFlatDataAndDimensions(mask, len(c.Bags), size))}
					if c.Seed != nil {
						bags.DropoutKey = synlayer.DropoutKey(Const(g, *c.Seed), Const(g, *c.Step))
					}
					classifier, ok := pooling.(synlayer.Classifier)
					if !ok {
						pooled, weights := pooling.Pool(scope, bags)
						factors := make([]float64, pooled.Shape().Dim(-1))
						for j := range factors {
							factors[j] = math.Cos(float64(j))
						}
						losses := ReduceSum(Mul(pooled, Reshape(ConstAs(pooled, factors), 1, -1)), -1)
						return ReduceAllSum(losses), []*Node{pooled, weights, losses}
					}
					loss := synlayer.LogisticLoss
					if c.Classes > 1 {
						loss = synlayer.CrossEntropy
					}
					result := classifier.Classify(scope, bags, max(c.Classes, 1))
					losses := result.Loss(func(logits *Node) *Node { return loss(logits, in[1]) }, in[1])
					return ReduceAllSum(losses), []*Node{result.Pooled, result.Weights, losses, result.Logits}
				})
			tol := goldenTolerance(dtype)
			name := fmt.Sprintf("case %d, %s: ", i, c.Kind)
			tol.check(t, name+"losses", outputs[2], c.Losses)
			if len(outputs) > 3 {
				tol.check(t, name+"logits", outputs[3], c.Logits)
			}
			var vectors, weights []float64
			for b, w := range c.Weights {
				vectors = append(vectors, c.Pooled[b].Flat...)
				for h := range w.Dims[0] {
					row := make([]float64, size)
					copy(row, w.Flat[h*w.Dims[1]:(h+1)*w.Dims[1]])
					weights = append(weights, row...)
				}
			}
			tol.check(t, name+"pooled", outputs[0], vectors)
			tol.check(t, name+"weights", outputs[1], weights)
			tol.check(t, name+"grad_x", gradX, padded(c.GradX, size, features).Flat)
			for path, want := range c.GradParams {
				tol.check(t, name+"gradient of "+path, grads[path], want.Flat)
			}
		}
	})
}
