package neural_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/synlayer"
)

// repelled pools by attention with negative weights: the winner is the instance with the weight nearest to 0.
type repelled struct{}

func (repelled) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	p := synlayer.DefaultAttention()
	p.Embed = 4
	pooled, weights = p.Pool(scope, bags)
	return graph.Neg(pooled), graph.Neg(weights)
}

// TestWinnersAreReal checks that padding never wins, though its weight is 0 and all instances have negative weights.
// The largest of these wins.
func TestWinnersAreReal(t *testing.T) {
	own := registered(t, neural.Entry{Name: "repelled", Default: repelled{}})
	own.Width, own.Epochs = 4, 1
	for name, backend := range backendtest.All(t) {
		some := task(t, planted(12, false), honest(2), own)
		for i := range some.Fits {
			some.Fits[i].Instances = true
		}
		trainer := neural.Trainer{Backend: backend, Workers: 1}
		err := trainer.Learn(context.Background(), some, func(o learner.Outcome) error {
			if o.Err != nil {
				return o.Err
			}
			for k, s := range o.Epochs[0].Test {
				rows := some.Bags[some.Fits[o.Fit].Test[k]].Len()
				if len(s.Winners) != 1 || len(s.Instances) != rows || s.Winners[0] >= rows || s.Instances[s.Winners[0]] != slices.Max(s.Instances) {
					t.Errorf("%s: winner %v of %d instances with the weights %v", name, s.Winners, rows, s.Instances)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
