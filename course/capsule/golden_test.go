package capsule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/capsule"
	"synpool/internal/goldenfile"
	"synpool/internal/goldentest"
)

// array is a nested list of numbers of a golden file.
type array = goldentest.Array

// tolerance is for sums of some hundred products, whose rounding error is proportional to the largest value of an array. In
// float32 it is larger, because distances are divided by small variances.
func tolerance(dtype dtypes.DType) float64 {
	if dtype == dtypes.Float64 {
		return 1e-10
	}
	return 2e-4
}

// check compares arrays up to a part of the largest value wanted.
func check(t *testing.T, what string, got, want []float64, part float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	largest := math.Abs(slices.MaxFunc(want, func(a, b float64) int {
		return int(math.Copysign(1, math.Abs(a)-math.Abs(b)))
	}))
	for i, w := range want {
		if off := math.Abs(got[i] - w); !(off <= part*largest+1e-14) {
			t.Errorf("%s[%d] = %.17g, want %.17g: off by %.2g of the largest", what, i, got[i], w, off/largest)
			return
		}
	}
}

// forEach runs f on every backend at hand: on the Go backend in both float types, and in one where each graph takes
// XLA a second to compile.
func forEach(t *testing.T, onXLA dtypes.DType, f func(t *testing.T, backend compute.Backend, dtype dtypes.DType)) {
	for name, backend := range backendtest.All(t) {
		types := []dtypes.DType{dtypes.Float64, dtypes.Float32}
		if name != gobackend.BackendName {
			types = []dtypes.DType{onXLA}
		}
		for _, dtype := range types {
			t.Run(fmt.Sprintf("%s/%s", name, dtype), func(t *testing.T) {
				t.Parallel()
				f(t, backend, dtype)
			})
		}
	}
}

// golden are values of NumPy and gradients of PyTorch.
type golden struct {
	Routing, Layers []goldenCase
}

type goldenCase struct {
	Iterations            int
	Final, Decay, Epsilon float64
	Kernel, Stride        int
	Coordinates           bool

	Votes, Poses, Transforms, Activations array
	BetaU                                 array `json:"beta_u"`
	BetaA                                 array `json:"beta_a"`
	Reach                                 array

	PosesOut             array `json:"poses_out"`
	ActivationsOut       array `json:"activations_out"`
	Assignments          array
	CotangentPoses       array `json:"cotangent_poses"`
	CotangentActivations array `json:"cotangent_activations"`

	GradVotes       array `json:"grad_votes"`
	GradPoses       array `json:"grad_poses"`
	GradTransforms  array `json:"grad_transforms"`
	GradActivations array `json:"grad_activations"`
	GradBetaU       array `json:"grad_beta_u"`
	GradBetaA       array `json:"grad_beta_a"`
}

func (c goldenCase) routing() capsule.EMRouting {
	return capsule.EMRouting{Iterations: c.Iterations, Epsilon: c.Epsilon,
		Temperature: capsule.InverseTemperature{Final: c.Final, Decay: c.Decay}}
}

// TestGoldenRouting compares the routing of given votes, and its gradients.
func TestGoldenRouting(t *testing.T) {
	cases := goldenfile.Read[golden](t, "golden/emrouting.json").Routing
	forEach(t, dtypes.Float64, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		if len(cases) < 4 {
			t.Fatalf("%d cases", len(cases))
		}
		for i, c := range cases {
			if !backendtest.IsGo(backend) && i%2 == 0 {
				continue // each takes XLA seconds to compile
			}
			out := MustNewExec(backend, func(in []*Node) []*Node {
				r := c.routing().Route(in[0], in[1], in[2], in[3])
				loss := Add(ReduceAllSum(Mul(r.Poses, in[4])), ReduceAllSum(Mul(r.Activations, in[5])))
				return append([]*Node{r.Poses, r.Activations, r.Assignments}, Gradient(loss, in[:4]...)...)
			}).MustCall(c.Votes.Tensor(dtype), c.Activations.Tensor(dtype), c.BetaU.Tensor(dtype), c.BetaA.Tensor(dtype),
				c.CotangentPoses.Tensor(dtype), c.CotangentActivations.Tensor(dtype))
			for k, want := range []struct {
				what string
				of   array
			}{
				{"poses", c.PosesOut}, {"activations", c.ActivationsOut}, {"assignments", c.Assignments},
				{"gradient by votes", c.GradVotes}, {"gradient by activations", c.GradActivations},
				{"gradient by beta_u", c.GradBetaU}, {"gradient by beta_a", c.GradBetaA},
			} {
				check(t, fmt.Sprintf("case %d, %s", i, want.what), goldentest.Floats(out[k]), want.of.Flat, tolerance(dtype))
			}
		}
	})
}

// TestGoldenLayers compares layers on grids: patches that overlap, and that leave out an edge, and coordinates.
func TestGoldenLayers(t *testing.T) {
	cases := goldenfile.Read[golden](t, "golden/emrouting.json").Layers
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		if len(cases) < 4 {
			t.Fatalf("%d cases", len(cases))
		}
		for i, c := range cases {
			if !backendtest.IsGo(backend) && i%2 == 0 {
				continue // each takes XLA seconds to compile
			}
			types := c.BetaU.Dims[0]
			var layer capsule.Layer = capsule.Convolutional{Types: types, Kernel: c.Kernel, Stride: c.Stride, Routing: c.routing()}
			if c.Kernel == 0 {
				layer = capsule.Class{Classes: types, Coordinates: c.Coordinates, Routing: c.routing()}
			}
			store := model.NewStore()
			paths := []string{"/transforms", "/beta_u", "/beta_a"}
			for k, value := range []array{c.Transforms, c.BetaU, c.BetaA} {
				if _, err := store.CreateVariable(paths[k], value.Tensor(dtype)); err != nil {
					t.Fatal(err)
				}
			}
			out := model.MustNewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
				above, assignments := layer.Route(scope, capsule.Capsules{Poses: in[0], Activations: in[1]})
				loss := Add(ReduceAllSum(Mul(above.Poses, in[2])), ReduceAllSum(Mul(above.Activations, in[3])))
				of := in[:2:2]
				for _, path := range paths {
					of = append(of, store.GetVariable(path).NodeValue(loss.Graph()))
				}
				return append([]*Node{above.Poses, above.Activations, assignments}, Gradient(loss, of...)...)
			}).MustCall(c.Poses.Tensor(dtype), c.Activations.Tensor(dtype), c.CotangentPoses.Tensor(dtype), c.CotangentActivations.Tensor(dtype))
			for k, want := range []struct {
				what string
				of   array
			}{
				{"poses", c.PosesOut}, {"activations", c.ActivationsOut}, {"assignments", c.placedAssignments()},
				{"gradient by poses", c.GradPoses}, {"gradient by activations", c.GradActivations},
				{"gradient by transforms", c.GradTransforms}, {"gradient by beta_u", c.GradBetaU}, {"gradient by beta_a", c.GradBetaA},
			} {
				check(t, fmt.Sprintf("case %d, %s", i, want.what), goldentest.Floats(out[k]), want.of.Flat, tolerance(dtype))
			}
		}
	})
}

// placedAssignments puts assignments [batch, children, parents] of all pairs in the order of a layer's: for each parent,
// the children in reach.
func (c goldenCase) placedAssignments() array {
	batch, children, parents := c.Assignments.Dims[0], c.Assignments.Dims[1], c.Assignments.Dims[2]
	var a array
	for b := range batch {
		for j := range parents {
			for i := range children {
				if c.Reach.Flat[i*parents+j] == 1 {
					a.Flat = append(a.Flat, c.Assignments.Flat[(b*children+i)*parents+j])
				}
			}
		}
	}
	return a
}
