package synlayer

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Pooling maps a bag of instances to one vector.
//
// An implementation is a struct of its hyperparameters. Package syntest tests the laws that it must satisfy; [Dense],
// [LayerNorm] and [Dropout] satisfy them for any number of members. An implementation may have a method Validate() error
// that reports the first invalid hyperparameter; [Network] and package neural call it.
type Pooling interface {
	// Pool returns the pooled vectors [batch, features] and the attention weights [batch, heads, instances]. It creates its
	// variables in scope, or reuses them if they exist. If bags.X has a members axis, so do both results. The pooling
	// chooses the number of pooled features.
	Pool(scope *model.Scope, bags Bags) (pooled, weights *Node)
}

// mustBe panics with the error of Validate.
func mustBe(valid interface{ Validate() error }) {
	if err := valid.Validate(); err != nil {
		exceptions.Panicf("%v", err)
	}
}

// checkPositive reports a number that is not positive and finite.
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
