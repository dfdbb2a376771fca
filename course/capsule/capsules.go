package capsule

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Side is the number of rows and columns of a pose.
const Side = 4

// poseSize is the number of values of a pose.
const poseSize = Side * Side

// Capsules are the capsules of a layer.
type Capsules struct {
	Poses       *Node // [batch, height, width, types, 4, 4]
	Activations *Node // [batch, height, width, types], probabilities
}

// grid returns the size of the grid and the number of types. It panics if the shapes of poses and activations do not match.
func (c Capsules) grid() (height, width, types int) {
	dims := c.Activations.Shape().Dimensions
	if len(dims) != 4 {
		exceptions.Panicf("capsule: activations are %s, want [batch, height, width, types]", c.Activations.Shape())
	}
	if want := shapes.Make(c.Activations.DType(), append(slices.Clone(dims), Side, Side)...); !c.Poses.Shape().Equal(want) {
		exceptions.Panicf("capsule: poses are %s, want %s for activations %s", c.Poses.Shape(), want, c.Activations.Shape())
	}
	return dims[1], dims[2], dims[3]
}
