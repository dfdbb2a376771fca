package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// SpatialDropout drops whole features of the sequences s.X [batch, length, features] (Tompson et al. 2015). It sets a
// feature to 0 at all words of a sequence with probability rate, and multiplies the others by 1/(1-rate). Outside training,
// where s.DropoutKey is nil, it returns s.X. See [synlayer.Dropout] for the randomness.
func SpatialDropout(scope *model.Scope, s synlayer.Bags, rate float64) *Node {
	checkRate("SpatialDropout", rate)
	if s.DropoutKey == nil || rate == 0 {
		return s.X
	}
	return Mul(s.X, ExpandAxes(channels(scope, s, s.X.Shape().Dim(-1), rate), 1))
}

// drop is [synlayer.Dropout] with a fixed rate.
func drop(scope *model.Scope, x *Node, rate float64, key *Node) *Node {
	if rate == 0 {
		return x
	}
	return synlayer.Dropout(scope, x, ConstAs(x, rate), key)
}

// channels draws the dropout factors [batch, features] of each sequence.
func channels(scope *model.Scope, s synlayer.Bags, features int, rate float64) *Node {
	batch := s.X.Shape().Dim(0)
	ones := BroadcastToDims(ConstAs(s.X, 1.0), batch, 1, features)
	return Reshape(synlayer.Dropout(scope, ones, ConstAs(s.X, rate), s.DropoutKey), batch, features)
}

// checkRate panics unless rate is in [0, 1).
func checkRate(of string, rate float64) {
	if !(rate >= 0 && rate < 1) {
		exceptions.Panicf("sequence: %s with dropout %g, want one in [0, 1)", of, rate)
	}
}
