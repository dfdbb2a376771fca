package synlayer

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/members"
)

// Network is the paper's network (figure 5) around any pooling: dropout of the instances, Layers times a dense map to
// Width features with ReLU, the pooling, and a dense map of the pooled vector to one logit, or to one for each of several classes.
//
// Variables, by path below the scope: embedding_0, embedding_1, ... and classifier (weights, bias), and those of the
// pooling below pooling. A pooling that is a [Classifier] takes the place of the last dense map.
//
// The published network ends in a sigmoid and its loss clamps the probability to [1e-5, 1-1e-5], which stops the
// gradient of a bag that is wrong beyond a logit of 11.5. Train on the logits instead: elsewhere the loss is the same.
type Network struct {
	Layers  int // L
	Width   int // D
	Dropout float64
	Pooling Pooling
	Outputs int // 0 and 1 are one logit
}

// DefaultNetwork returns the network of the published code around pooling: L = 1, D = 256, dropout 0.75.
func DefaultNetwork(pooling Pooling) Network {
	return Network{Layers: 1, Width: 256, Dropout: 0.75, Pooling: pooling}
}

// Validate reports a dropout that is not in [0, 1), and what the pooling's own Validate reports, if it has one.
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

// Logits returns the logit [batch] of each bag being positive, or those of several classes [batch, outputs], and the pooling's weights [batch, heads,
// instances], all with the members axis of the bags in front if there is one. It panics with what Validate reports.
func (n Network) Logits(scope *model.Scope, bags Bags) (logits, weights *Node) {
	c := n.Classify(scope, bags)
	return c.Logits, c.Weights
}

// Classify returns all that the network makes of bags, for a training loop: the loss of a pooling that has one of its own is
// part of it. It panics with what Validate reports.
func (n Network) Classify(scope *model.Scope, bags Bags) Classification {
	mustBe(n)
	embedded := members.Embed(scope, members.Sparse{Bags: members.Bags(bags)}, n.Layers, n.Width, n.Dropout)
	return Classify(scope, n.Pooling, Bags(embedded), max(n.Outputs, 1))
}
