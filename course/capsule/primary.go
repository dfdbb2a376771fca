package capsule

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Primary makes the lowest capsules from the features at the same position: poses are an affine map of them, activations the
// logistic function of another affine map. Variables: pose [features, Types·16] and activation [features, Types], each with
// weights and bias.
type Primary struct {
	Types int // 32 in the paper
}

// Capsules returns capsules for features [batch, height, width, features].
func (p Primary) Capsules(scope *model.Scope, features *Node) Capsules {
	if features.Rank() != 4 || p.Types < 1 {
		exceptions.Panicf("capsule: %d types of primary capsules of features %s, want some of [batch, height, width, features]", p.Types, features.Shape())
	}
	grid := features.Shape().Dimensions[:3]
	poses := synlayer.Dense(scope.In("pose"), features, 0, p.Types*poseSize)
	return Capsules{
		Poses:       Reshape(poses, append(append([]int{}, grid...), p.Types, Side, Side)...),
		Activations: Sigmoid(synlayer.Dense(scope.In("activation"), features, 0, p.Types)),
	}
}
