package training

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/capsule"
	"synpool/course/examples/fit"
)

// Classifier is a trained network.
type Classifier struct {
	backend          compute.Backend
	store            *model.Store
	settings         Settings
	classify, assign *model.Exec
}

func newClassifier(backend compute.Backend, store *model.Store, s Settings) (*Classifier, error) {
	network := s.Network
	classify, err := model.NewExec(backend, store, func(scope *model.Scope, images *Node) *Node {
		activations, _ := network.Classify(scope.In("capsules"), images)
		return activations
	})
	if err != nil {
		return nil, err
	}
	assign, err := model.NewExec(backend, store, func(scope *model.Scope, images *Node) []*Node {
		_, assignments := network.Route(scope.In("capsules"), images)
		return assignments
	})
	if err != nil {
		return nil, err
	}
	return &Classifier{backend, store, s, classify, assign}, nil
}

// WithRouting returns a classifier with the same weights whose layers all use the given routing.
func (c *Classifier) WithRouting(r capsule.EMRouting) (*Classifier, error) {
	return newClassifier(c.backend, c.store, c.settings.WithRouting(r))
}

// Activations returns the activations of the ten classes for each digit.
func (c *Classifier) Activations(digits Digits) ([][]float32, error) {
	var all [][]float32
	for from := 0; from < digits.Len(); from += c.settings.Batch {
		indices := make([]int, c.settings.Batch) // the last batch repeats its last digit
		for i := range indices {
			indices[i] = min(from+i, digits.Len()-1)
		}
		out, err := fit.Call(c.classify, digits.at(indices).images())
		if err != nil {
			return nil, fmt.Errorf("classifying digit %d: %w", from, err)
		}
		all = append(all, out[0].([][]float32)...)
	}
	return all[:digits.Len()], nil
}

// Assignments returns the assignment probabilities of every layer above the primary capsules, in the form of
// [capsule.Network.Route]. It compiles once for each number of digits.
func (c *Classifier) Assignments(digits Digits) ([]*tensors.Tensor, error) {
	if digits.Len() == 0 {
		return nil, errors.New("no digits to look at")
	}
	images := digits.images()
	assignments, err := c.assign.Call(images)
	return assignments, errors.Join(err, images.FinalizeAll())
}

// Error returns the share of digits whose class is not the one with the largest activation.
func (c *Classifier) Error(digits Digits) (float64, error) {
	if digits.Len() == 0 {
		return 0, errors.New("no digits to classify")
	}
	activations, err := c.Activations(digits)
	if err != nil {
		return 0, err
	}
	wrong := 0
	for i, row := range activations {
		if slices.Index(row, slices.Max(row)) != int(digits.Labels[i]) {
			wrong++
		}
	}
	return float64(wrong) / float64(digits.Len()), nil
}
