package synlayer

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Pooling turns a bag of instances into one vector.
//
// An implementation is a struct of its hyperparameters. Package syntest has the laws that it must keep; [Dense],
// [LayerNorm] and [Dropout] keep them for any number of members. If it has a method Validate() error, too, which reports the
// first hyperparameter that makes no sense, [Network] and package neural ask it.
type Pooling interface {
	// Pool returns the pooled vectors [batch, features] and the weights [batch, heads, instances] that made them,
	// creating its variables in scope or using those that are there. With a members axis in front of bags.X, both
	// results have it too. The number of pooled features is the pooling's own affair.
	Pool(scope *model.Scope, bags Bags) (pooled, weights *Node)
}

// mustBe panics with what Validate reports.
func mustBe(valid interface{ Validate() error }) {
	if err := valid.Validate(); err != nil {
		exceptions.Panicf("%v", err)
	}
}

// checkPositive reports a number that is not above 0 and finite.
func checkPositive(of, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("synlayer: %s with %s %g, want a finite number above 0", of, name, v)
	}
	return nil
}

// checkDropout reports a rate that is not in [0, 1).
func checkDropout(of string, rate float64) error {
	if !(rate >= 0 && rate < 1) {
		return fmt.Errorf("synlayer: %s with dropout %g, want one in [0, 1)", of, rate)
	}
	return nil
}
