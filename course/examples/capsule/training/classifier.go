package training

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/capsule"
	"synpool/course/examples/fit"
	"synpool/internal/members"
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

// Assignments returns the assignment probabilities of every layer above the primary capsules, in the form of
// [capsule.Network.Route]. It compiles once for each number of digits.
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

// Compare returns assignment probabilities [digits][classes][children] and attention weights
// [digits][heads][parents][children] of the capsules below the classes, in the form of [capsule.Class.Compare]. The
// attention maps are untrained; they are drawn from the seed of the training. Compare compiles once per call.
func (c *Classifier) Compare(digits Digits) (assignments [][][]float64, attention [][][][]float64, err error) {
	if digits.Len() == 0 {
		return nil, nil, errors.New("no digits to look at")
	}
	network := c.settings.Network
	compare, err := model.NewExec(c.backend, c.store, func(scope *model.Scope, images *Node) (assignments, attention *Node) {
		members.Seed(images.Graph(), c.settings.Seed)
		scope = scope.In("capsules")
		capsules, _ := network.Route(scope, images)
		assignments, attention = network.Class.Compare(scope.Shared("class"), capsules[len(capsules)-2])
		return ConvertDType(assignments, dtypes.Float64), ConvertDType(attention, dtypes.Float64)
	})
	if err != nil {
		return nil, nil, err
	}
	images, labels := digits.tensors()
	defer labels.FinalizeAll()
	out, err := fit.Call(compare, images)
	if err != nil {
		return nil, nil, err
	}
	return out[0].([][][]float64), out[1].([][][][]float64), nil
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
