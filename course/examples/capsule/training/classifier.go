package training

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/capsule"
	"synpool/course/examples/fit"
)

// Classifier is a trained network.
type Classifier struct {
	backend           compute.Backend
	store             *model.Store
	settings          Settings
	classify, compare *model.Exec
}

func newClassifier(backend compute.Backend, store *model.Store, s Settings) (*Classifier, error) {
	network := s.Network
	classify, err := model.NewExec(backend, store, func(scope *model.Scope, images *Node) (activations, poses *Node) {
		return network.Classify(scope.In("capsules"), images)
	})
	if err != nil {
		return nil, err
	}
	compare, err := model.NewExec(backend, store, func(scope *model.Scope, images *Node) (shares, weights *Node) {
		capsules, assignments := network.Route(scope.In("capsules"), images)
		return network.Class.Compare(capsules[len(capsules)-2], assignments[len(assignments)-1])
	})
	if err != nil {
		return nil, err
	}
	return &Classifier{backend, store, s, classify, compare}, nil
}

// WithRouting returns a classifier with the same weights whose layers all use the given routing.
func (c *Classifier) WithRouting(r capsule.EMRouting) (*Classifier, error) {
	return newClassifier(c.backend, c.store, c.settings.WithRouting(r))
}

// Classes are the class capsules of a digit.
type Classes struct {
	Activations []float32     // of the ten classes
	Poses       [][][]float32 // [classes][4][4]
}

// Winner returns the class with the largest activation.
func (c Classes) Winner() int { return slices.Index(c.Activations, slices.Max(c.Activations)) }

// Classify returns the class capsules of each digit.
func (c *Classifier) Classify(digits Digits) ([]Classes, error) {
	var all []Classes
	for from := 0; from < digits.Len(); from += c.settings.Batch {
		indices := make([]int, c.settings.Batch) // the last batch repeats its last digit
		for i := range indices {
			indices[i] = min(from+i, digits.Len()-1)
		}
		out, err := fit.Call(c.classify, digits.at(indices).images())
		if err != nil {
			return nil, fmt.Errorf("classifying digit %d: %w", from, err)
		}
		activations, poses := out[0].([][]float32), out[1].([][][][]float32)
		for i := range indices {
			all = append(all, Classes{activations[i], poses[i]})
		}
	}
	return all[:digits.Len()], nil
}

// Compare returns what [capsule.Class.Compare] reads from the routing to the classes, [digits][classes][children]. It
// compiles once for each number of digits.
func (c *Classifier) Compare(digits Digits) (shares, weights [][][]float32, err error) {
	if digits.Len() == 0 {
		return nil, nil, errors.New("no digits to look at")
	}
	out, err := fit.Call(c.compare, digits.images())
	if err != nil {
		return nil, nil, err
	}
	return out[0].([][][]float32), out[1].([][][]float32), nil
}

// Error returns the share of digits whose class is not the one with the largest activation.
func (c *Classifier) Error(digits Digits) (float64, error) {
	if digits.Len() == 0 {
		return 0, errors.New("no digits to classify")
	}
	classes, err := c.Classify(digits)
	if err != nil {
		return 0, err
	}
	return wrong(classes, digits), nil
}

// wrong returns the share of digits whose class does not win.
func wrong(classes []Classes, digits Digits) float64 {
	n := 0
	for i, one := range classes {
		if one.Winner() != int(digits.Labels[i]) {
			n++
		}
	}
	return float64(n) / float64(digits.Len())
}
