package capsule_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/capsule"
	"synpool/internal/batched"
	"synpool/internal/goldenfile"
	"synpool/internal/goldentest"
)

// goldenNetwork is a network of PyTorch.
type goldenNetwork struct {
	Channels, Kernel, Stride, Primary int
	Layers                            [][3]int // types, kernel, stride
	Classes                           int

	Iterations            int
	Final, Decay, Epsilon float64

	Parameters         map[string]array
	Images             array
	Labels             []int32
	Margin             float64
	Activations, Poses array
	Loss               float64
	GradImages         array            `json:"grad_images"`
	GradParameters     map[string]array `json:"grad_parameters"`
}

func (c goldenNetwork) network() capsule.Network {
	routing := capsule.EMRouting{Iterations: c.Iterations, Epsilon: c.Epsilon,
		Temperature: capsule.InverseTemperature{Final: c.Final, Decay: c.Decay}}
	n := capsule.Network{Channels: c.Channels, Kernel: c.Kernel, Stride: c.Stride, Primary: capsule.Primary{Types: c.Primary},
		Class: capsule.Class{Classes: c.Classes, Coordinates: true, Routing: routing}}
	for _, l := range c.Layers {
		n.Convolutional = append(n.Convolutional, capsule.Convolutional{Types: l[0], Kernel: l[1], Stride: l[2], Routing: routing})
	}
	return n
}

// TestGoldenNetwork compares the whole network and the spread loss, and the gradients by every weight and the images.
func TestGoldenNetwork(t *testing.T) {
	c := goldenfile.Read[goldenNetwork](t, "golden/network.json")
	var paths []string
	for path := range c.Parameters {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	forEach(t, dtypes.Float64, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		store := model.NewStore()
		for _, path := range paths {
			if _, err := store.CreateVariable("/"+path, c.Parameters[path].Tensor(dtype)); err != nil {
				t.Fatal(err)
			}
		}
		out := model.MustNewExec(backend, store, func(scope *model.Scope, images, labels *Node) []*Node {
			activations, poses := c.network().Classify(scope, images)
			loss := capsule.SpreadLoss(activations, labels, ConstAs(activations, c.Margin))
			of := []*Node{images}
			for _, path := range paths {
				of = append(of, store.GetVariable("/"+path).NodeValue(loss.Graph()))
			}
			return append([]*Node{activations, poses, loss}, Gradient(loss, of...)...)
		}).MustCall(c.Images.Tensor(dtype), tensors.FromValue(c.Labels))
		variables := 0
		for range store.IterVariables() {
			variables++
		}
		if variables != len(paths) {
			t.Errorf("the network has %d variables, the file %d", variables, len(paths))
		}
		check(t, "activations", goldentest.Floats(out[0]), c.Activations.Flat, tolerance(dtype))
		check(t, "poses", goldentest.Floats(out[1]), c.Poses.Flat, tolerance(dtype))
		check(t, "loss", goldentest.Floats(out[2]), []float64{c.Loss}, tolerance(dtype))
		check(t, "gradient by images", goldentest.Floats(out[3]), c.GradImages.Flat, tolerance(dtype))
		for i, path := range paths {
			check(t, "gradient by "+path, goldentest.Floats(out[4+i]), c.GradParameters[path].Flat, tolerance(dtype))
		}
	})
}

// TestNetworkRoute holds what every layer finds to what the layer alone finds of the capsules below. The seed decides the weights.
func TestNetworkRoute(t *testing.T) {
	const classes = 3
	n := capsule.DefaultNetwork(classes)
	n.Channels, n.Primary.Types = 3, 2
	for i := range n.Convolutional {
		n.Convolutional[i].Types = 2 + i
	}
	route := func(seed uint64) []*tensors.Tensor {
		return model.MustNewExec(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, images *Node) (all []*Node) {
			batched.Seed(images.Graph(), seed)
			capsules, assignments := n.Route(scope, images)
			if len(capsules) != 4 || len(assignments) != 3 {
				t.Fatalf("%d layers and %d assignments, want 4 and 3", len(capsules), len(assignments))
			}
			scopes := []*model.Scope{scope.At("convolutional_0"), scope.At("convolutional_1"), scope.At("class")}
			for i, layer := range []capsule.Layer{n.Convolutional[0], n.Convolutional[1], n.Class} {
				above, r := layer.Route(scopes[i], capsules[i])
				all = append(all, capsules[i+1].Poses, above.Poses, capsules[i+1].Activations, above.Activations, assignments[i], r)
			}
			activations, poses := n.Classify(scope.ResetVisited(), images)
			return append(all, capsules[3].Activations, activations, capsules[3].Poses, poses)
		}).MustCall(tensors.FromFlatDataAndDimensions(random(3, 2*21*21), 2, 21, 21, 1))
	}
	out, again, other := route(5), route(5), route(6)
	if poses := goldentest.Floats(out[0]); !slices.Equal(poses, goldentest.Floats(again[0])) || slices.Equal(poses, goldentest.Floats(other[0])) {
		t.Error("the same seed gives other poses, or another seed the same")
	}
	for k := 0; k < len(out); k += 2 {
		check(t, fmt.Sprintf("output %d", k/2), goldentest.Floats(out[k]), goldentest.Floats(out[k+1]), 1e-12)
	}
	for i, want := range [][]int{{2, 4, 4, 2, 3, 3, 2}, {2, 2, 2, 3, 3, 3, 2}, {2, 1, 1, classes, 2, 2, 3}} {
		if dims := out[6*i+4].Shape().Dimensions; !slices.Equal(dims, want) {
			t.Errorf("assignments %d: %v, want %v", i, dims, want)
		}
	}
}
