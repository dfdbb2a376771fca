package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/members"
)

// Bags is a batch of bags, padded to one number of instances.
type Bags struct {
	// X [batch, instances, features], or with a members axis in front.
	X *Node
	// Mask [batch, instances], or with a members axis in front: true for a real instance. Nil where all are real.
	Mask *Node
	// DropoutKey is this step's key of the dropout, a scalar or one a member ([DropoutKey]); nil outside training.
	DropoutKey *Node
}

// Members returns the size of the members axis, 0 where there is none.
func (b Bags) Members() int { return members.Bags(b).Members() }

// clean checks the shapes of b, makes the mask explicit and sets whatever stands in padding to 0. Every Pool starts with it.
func (b Bags) clean() Bags { return Bags(members.Bags(b).Padded()) }
