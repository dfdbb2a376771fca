package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/members"
)

// DropoutKey mixes the seed of a fit and the number of a training step into the key of that step's dropout
// ([Bags.DropoutKey]). Both are integers, scalar or one a member; the key is uint32.
func DropoutKey(seed, step *Node) *Node { return members.DropoutKey(seed, step) }

// Dropout sets each entry of x [batch, instances, features] to 0 with probability rate and multiplies the others by
// 1/(1-rate). A members axis may stand in front. rate in [0, 1) and key are scalar or one a member; a nil key (outside
// training) returns x. The scope sets the dropouts of one network apart.
//
// Which entries fall is a hash of (key, scope, bag, instance, feature), a counter-based random number: it does not
// depend on the padding, on the number of members or on the backend. Dropout panics if x has another number of axes.
func Dropout(scope *model.Scope, x, rate, key *Node) *Node {
	return members.Dropout(scope, x, rate, key)
}
