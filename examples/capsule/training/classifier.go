package training

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer/capsule"
)

// Classifier is a trained network.
type Classifier struct {
	classify, assign *model.Exec
	batch            int
}

func newClassifier(backend compute.Backend, store *model.Store, network capsule.Network, batch int) (*Classifier, error) {
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
	return &Classifier{classify, assign, batch}, nil
}

// Activations returns those of the ten classes for each digit.
func (c *Classifier) Activations(digits Digits) ([][]float32, error) {
	var all [][]float32
	for from := 0; from < digits.Len(); from += c.batch {
		indices := make([]int, c.batch) // the last batch repeats its last digit
		for i := range indices {
			indices[i] = min(from+i, digits.Len()-1)
		}
		images, labels := digits.at(indices).tensors()
		out, err := c.classify.Call1(images)
		if err != nil {
			return nil, fmt.Errorf("classifying digit %d: %w", from, err)
		}
		all = append(all, out.Value().([][]float32)...)
		for _, t := range []*tensors.Tensor{images, labels, out} {
			if err := t.FinalizeAll(); err != nil {
				return nil, err
			}
		}
	}
	return all[:digits.Len()], nil
}

// Assignments returns the assignment probabilities of every layer above the primary capsules, as [capsule.Network.Route]
// has them. It compiles once for each number of digits.
func (c *Classifier) Assignments(digits Digits) ([]*tensors.Tensor, error) {
	if digits.Len() == 0 {
		return nil, errors.New("no digits to look at")
	}
	images, labels := digits.tensors()
	assignments, err := c.assign.Call(images)
	for _, t := range []*tensors.Tensor{images, labels} {
		err = errors.Join(err, t.FinalizeAll())
	}
	return assignments, err
}

// Error returns the part of the digits whose class is not the one with the largest activation.
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
		best := 0
		for class, a := range row {
			if a > row[best] {
				best = class
			}
		}
		if best != int(digits.Labels[i]) {
			wrong++
		}
	}
	return float64(wrong) / float64(digits.Len()), nil
}
