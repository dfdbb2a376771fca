package capsule

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// Network is the network of the paper: a convolution with ReLU, primary capsules, convolutional capsules, and one capsule
// per class.
//
// Variables, by path below the scope: convolution/kernel [Kernel, Kernel, channels of the image, Channels], drawn from
// N(0, 2/fan-in), and convolution/bias [Channels], from 0; those of [Primary] under primary, of [Convolutional] under
// convolutional_0, convolutional_1, ..., and of [Class] under class.
type Network struct {
	Channels, Kernel, Stride int // of the convolution, which has no padding
	Primary                  Primary
	Convolutional            []Convolutional
	Class                    Class
}

// DefaultNetwork returns the paper's network: 32 channels of 5x5, stride 2; 32 types of primary capsules; two layers of 32
// types on patches of 3x3 with strides 2 and 1; one capsule per class, with coordinates.
func DefaultNetwork(classes int) Network {
	routing := DefaultEMRouting()
	return Network{
		Channels: 32, Kernel: 5, Stride: 2,
		Primary: Primary{Types: 32},
		Convolutional: []Convolutional{
			{Types: 32, Kernel: 3, Stride: 2, Routing: routing},
			{Types: 32, Kernel: 3, Stride: 1, Routing: routing},
		},
		Class: Class{Classes: classes, Coordinates: true, Routing: routing},
	}
}

// Classify returns the activations [batch, classes] and the poses [batch, classes, 4, 4] of the classes for images
// [batch, height, width, channels].
func (n Network) Classify(scope *model.Scope, images *Node) (activations, poses *Node) {
	capsules, _ := n.Route(scope, images)
	classes, batch := capsules[len(capsules)-1], images.Shape().Dim(0)
	return Reshape(classes.Activations, batch, n.Class.Classes), Reshape(classes.Poses, batch, n.Class.Classes, Side, Side)
}

// Route returns the capsules of every layer for images [batch, height, width, channels], from primary to class capsules, and
// the assignment probabilities between consecutive layers, in the form of [Layer].
func (n Network) Route(scope *model.Scope, images *Node) (capsules []Capsules, assignments []*Node) {
	capsules = []Capsules{n.Primary.Capsules(scope.In("primary"), n.convolve(scope.In("convolution"), images))}
	route := func(scope *model.Scope, layer Layer) {
		above, r := layer.Route(scope, capsules[len(capsules)-1])
		capsules, assignments = append(capsules, above), append(assignments, r)
	}
	for i, layer := range n.Convolutional {
		route(scope.In("convolutional_%d", i), layer)
	}
	route(scope.In("class"), n.Class)
	return capsules, assignments
}

// convolve is the convolution with ReLU.
func (n Network) convolve(scope *model.Scope, images *Node) *Node {
	if images.Rank() != 4 || min(n.Channels, n.Kernel, n.Stride) < 1 || n.Kernel > min(images.Shape().Dim(1), images.Shape().Dim(2)) {
		exceptions.Panicf("capsule: a convolution to %d channels, kernel %d, stride %d, of images %s, want [batch, height, width, channels] of at least the kernel",
			n.Channels, n.Kernel, n.Stride, images.Shape())
	}
	g, dtype, channels := images.Graph(), images.DType(), images.Shape().Dim(3)
	deviation := math.Sqrt(2 / float64(n.Kernel*n.Kernel*channels))
	draw := func(rng *rand.Rand) float64 { return deviation * rng.NormFloat64() }
	kernel := synlayer.Variable(scope, g, dtype, "kernel", draw, 0, n.Kernel, n.Kernel, channels, n.Channels)
	bias := synlayer.Variable(scope, g, dtype, "bias", batched.Always(0), 0, n.Channels)
	y := Convolve(images, kernel).NoPadding().Strides(n.Stride).Done()
	return Max(Add(y, Reshape(bias, 1, 1, 1, n.Channels)), ScalarZero(g, dtype))
}
