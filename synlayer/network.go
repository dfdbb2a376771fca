package synlayer

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// Network is the paper's network (figure 5) with any pooling: dropout of the instances, Layers dense layers of Width
// features with ReLU, the pooling, and a dense map of the pooled vector to one logit, or to one logit per class.
//
// Variables, by path below the scope: embedding_0, embedding_1, ... and classifier (weights, bias), and those of the pooling
// below pooling. A pooling that is a [Classifier] replaces the last dense map.
//
// The published network ends in a sigmoid and its loss clamps the probability to [1e-5, 1-1e-5], so a bag on the wrong side
// beyond a logit of 11.5 has no gradient. Train on the logits instead: apart from that the loss is the same.
type Network struct {
	Layers  int // L
	Width   int // D
	Dropout float64
	Pooling Pooling
	Outputs int // number of logits; 0 means 1
}

// DefaultNetwork returns the network of the published code with the given pooling: L = 1, D = 256, dropout 0.75.
func DefaultNetwork(pooling Pooling) Network {
	return Network{Layers: 1, Width: 256, Dropout: 0.75, Pooling: pooling}
}

// Validate reports the first invalid setting, including those that the pooling's own Validate method reports.
func (n Network) Validate() error {
	if err := checkDropout("Network", n.Dropout); err != nil {
		return err
	}
	if n.Outputs < 0 {
		return fmt.Errorf("synlayer: Network with %d outputs, want 0 or more", n.Outputs)
	}
	if p, ok := n.Pooling.(interface{ Validate() error }); ok {
		return p.Validate()
	}
	return nil
}

// Logits returns the logit [batch] of each bag being positive, or one logit per class [batch, outputs], and the pooling's
// weights [batch, heads, instances]. Both have the members axis of the bags, if there is one. It panics with the error of
// Validate.
func (n Network) Logits(scope *model.Scope, bags Bags) (logits, weights *Node) {
	c := n.Classify(scope, bags)
	return c.Logits, c.Weights
}

// Classify returns all results of the network for a training loop, including the pooling's own loss if it has one. It panics
// with the error of Validate.
func (n Network) Classify(scope *model.Scope, bags Bags) Classification {
	mustBe(n)
	embedded := batched.Embed(scope, batched.Sparse{Bags: batched.Bags(bags)}, n.Layers, n.Width, n.Dropout)
	return Classify(scope, n.Pooling, Bags(embedded), max(n.Outputs, 1))
}
