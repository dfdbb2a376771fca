package capsule_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
	"synpool/synlayer/capsule"
)

// TestComparison adds up both matrices both ways. Assignment probabilities sum to 1 over parents, all views together;
// attention weights over children, in each view alone; the other sums are not 1, or one would be the other.
func TestComparison(t *testing.T) {
	const batch, height, width, types, views = 2, 2, 3, 2, 3
	const nodes = height * width * types
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		for _, positions := range []bool{false, true} {
			if backend.Name() != gobackend.BackendName && !positions {
				continue
			}
			c := capsule.Comparison{Views: views, Positions: positions, Routing: routing(3)}
			out := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, poses, activations *Node) []*Node {
				synlayer.Seed(poses.Graph(), 3)
				r, a := c.Weights(scope, capsule.Capsules{Poses: poses, Activations: activations})
				return []*Node{r, a}
			}).MustCall(normal(1, 1, batch, height, width, types, 4, 4).tensor(dtype), uniform(2, batch, height, width, types).tensor(dtype))
			for k, what := range []string{"assignments", "attention"} {
				overParents, overChildren := make([]float64, batch*nodes), make([]float64, batch*views*nodes)
				for i, w := range floats(out[k]) { // [batch, views, parents, children]
					if w < 0 {
						t.Fatalf("%s: a weight of %g", what, w)
					}
					overParents[i/(views*nodes*nodes)*nodes+i%nodes] += w
					overChildren[i/nodes] += w
				}
				one, other := overParents, overChildren
				if k == 1 {
					one, other = overChildren, overParents
				}
				check(t, fmt.Sprintf("%s, positions %v, sums that are 1", what, positions), one, filled(1, len(one)).flat, 1e-5)
				off := 0.0
				for _, sum := range other {
					off += math.Abs(sum-1) / float64(len(other))
				}
				if off < 0.1 {
					t.Errorf("%s, positions %v: the other sums are off 1 by %g on average", what, positions, off)
				}
			}
		}
	})
}

// TestPositions moves the whole image, of whose coordinates both sides are told. Coordinates that are added last, to the
// votes, leave assignments as they were, whatever the transforms; those added first go through the projections and
// change attention weights.
func TestPositions(t *testing.T) {
	const height, width, types = 2, 2, 1
	poses, activations := normal(1, 1, 1, height, width, types, 4, 4), uniform(2, 1, height, width, types)
	moved := array{poses.dims, append([]float64{}, poses.flat...)}
	for i := range moved.flat {
		if i%16 == 3 || i%16 == 7 { // the first two entries of the last column
			moved.flat[i] += 0.25
		}
	}
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		exec := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, poses, activations *Node) []*Node {
			synlayer.Seed(poses.Graph(), 3)
			c := capsule.Comparison{Views: 2, Positions: true, Routing: routing(3)}
			_, attention := c.Weights(scope, capsule.Capsules{Poses: poses, Activations: activations})
			// Coordinates a quarter further for every child: the votes of the class layer, written out.
			transforms := scope.GetVariable("transforms").NodeValue(poses.Graph())
			votes := Einsum("birk,jkc->bijrc", Reshape(poses, 1, -1, 4, 4), Reshape(transforms, -1, 4, 4))
			at := Reshape(capsule.Coordinates(poses.Graph(), poses.DType(), height, width), 1, height*width, 1, 4, 4)
			quarter := MulScalar(ConvertDType(GreaterThan(at, ZerosLike(at)), at.DType()), 0.25)
			beta := Zeros(poses.Graph(), shapes.Make(dtype, votes.Shape().Dim(2)))
			of := func(votes *Node) *Node {
				return c.Routing.Route(Reshape(votes, 1, height*width, -1, 16), Reshape(activations, 1, -1), beta, beta).Assignments
			}
			return []*Node{attention, of(Add(votes, at)), of(Add(votes, Add(at, quarter)))}
		})
		out := exec.MustCall(poses.tensor(dtype), activations.tensor(dtype))
		check(t, "assignments", floats(out[2]), floats(out[1]), 1e-4)
		other := exec.MustCall(moved.tensor(dtype), activations.tensor(dtype))
		largest := 0.0
		for i, w := range floats(out[0]) {
			largest = max(largest, math.Abs(floats(other[0])[i]-w))
		}
		if largest < 1e-3 {
			t.Errorf("attention moved by %g", largest)
		}
	})
}
