package syntest_test

import (
	"testing"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
	"synpool/synlayer/syntest"
)

// linearAttention pools by the softmax over the instances of a trained linear score, w·x + b.
type linearAttention struct{}

var _ synlayer.Pooling = linearAttention{}

func (linearAttention) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	x := bags.Zeroed()
	scores := synlayer.Dense(scope.In("score"), x, bags.Members(), 1)             // [batch, instances, 1]
	weights = synlayer.BagSoftmax(ExpandAxes(Squeeze(scores, -1), -2), bags.Mask) // [batch, heads = 1, instances]
	return Squeeze(MatMul(weights, x), -2), weights
}

// TestOwnPooling is the complete test of a custom pooling by the laws.
func TestOwnPooling(t *testing.T) {
	syntest.Laws(t, gobackend.GetBackend(), linearAttention{})
}
