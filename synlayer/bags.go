package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// Bags is a batch of bags, padded to the same number of instances.
type Bags struct {
	// X [batch, instances, features] has the instances, with an optional leading members axis.
	X *Node
	// Mask [batch, instances] is true for real instances, with an optional leading members axis. Nil means all are real.
	Mask *Node
	// DropoutKey is the dropout key of this training step, a scalar or one per member ([DropoutKey]); nil outside training.
	DropoutKey *Node
}

// Members returns the size of the members axis, or 0 if there is none.
func (b Bags) Members() int { return batched.Bags(b).Members() }

// Zeroed returns X with padding set to 0, for a pooling of your own: padding may hold anything, NaN included, and 0 · NaN would
// reach the pooled vector.
func (b Bags) Zeroed() *Node { return b.clean().X }

// clean checks the shapes of b, makes the mask explicit and sets padding to 0. Every Pool starts with it.
func (b Bags) clean() Bags { return Bags(batched.Bags(b).Padded()) }
