package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// DropoutKey returns the dropout key of a training step ([Bags.DropoutKey]) from the seed of the fit and the number of the
// step. Both are integers, scalar or one per member; the key is uint32.
func DropoutKey(seed, step *Node) *Node { return batched.DropoutKey(seed, step) }

// Dropout sets each entry of x [batch, instances, features] to 0 with probability rate and multiplies the others by
// 1/(1-rate). x may have a leading members axis. rate in [0, 1) and key are scalar or one per member. With a nil key
// (outside training) it returns x. Dropouts at different scopes of a network are independent.
//
// A hash of (key, scope, bag, instance, feature), a counter-based random number, decides which entries are dropped. It does
// not depend on the padding, the number of members or the backend. Dropout panics if x has a different number of axes.
func Dropout(scope *model.Scope, x, rate, key *Node) *Node {
	return batched.Dropout(scope, x, rate, key)
}
