package neural

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// structure is the part of a setting and a set that shapes the graphs.
type structure struct {
	network  synlayer.Network // with the same numbers for all settings ([apart])
	steps    int              // bound of the Syn steps, which are then a number; 0 if the network fixes them
	features int
	target   target
}

// structure returns the structure of fits of c on a set with the given number of features.
func (c Config) structure(features int) structure {
	steps := c.bound()
	network, _ := apart(c.Network(), steps > 0)
	return structure{network, steps, features, c.target}
}

// numbers returns the numbers that apart takes out of the network of c.
func (c Config) numbers() []batched.Hyperparameter {
	_, numbers := apart(c.Network(), c.bound() > 0)
	return numbers
}

// apart splits a network into its structure and its numbers, in a fixed order. In the structure, fixed valid values
// replace the numbers. If steps is true, the Syn steps are one of the numbers. All hyperparameters of a user's own
// pooling belong to the structure, because we cannot know which are numbers.
func apart(n synlayer.Network, steps bool) (structure synlayer.Network, numbers []batched.Hyperparameter) {
	take := func(path string, v *float64, other float64) {
		numbers = append(numbers, batched.Hyperparameter{Path: path, Value: *v})
		*v = other
	}
	takeRate := func(path string, v *float64) { // whether there is dropout shapes the graph
		other := 0.0
		if *v > 0 {
			other = 0.5
		}
		take(path, v, other)
	}
	takeRate("/dropout", &n.Dropout)
	switch p := n.Pooling.(type) {
	case synlayer.SynPooling:
		take("/pooling/scale", &p.Scale, 1)
		if p.Gamma < 1 { // otherwise the steps are others
			take("/pooling/gamma", &p.Gamma, 0.5)
		}
		iterations := float64(p.Iterations)
		take("/pooling/iterations", &iterations, 0)
		if steps {
			p.Iterations = 0
		}
		takeRate("/pooling/dropout", &p.Dropout)
		n.Pooling = p
	case synlayer.HopfieldPooling:
		take("/pooling/beta", &p.Beta, 1)
		take("/pooling/tolerance", &p.Tolerance, 0)
		takeRate("/pooling/dropout", &p.Dropout)
		n.Pooling = p
	case synlayer.LogSumExpPooling:
		take("/pooling/sharpness", &p.Sharpness, 1)
		n.Pooling = p
	case synlayer.DSMILPooling:
		take("/pooling/scale", &p.Scale, 1)
		n.Pooling = p
	case synlayer.ACMILPooling:
		takeRate("/pooling/dropout", &p.MaskRate)
		n.Pooling = p
	}
	return n, numbers
}

// bindNumbers makes the network, if built from now on in the graph of numbers, use these numbers, in the order of
// [apart].
func (s structure) bindNumbers(numbers []*Node) {
	_, order := apart(s.network, s.steps > 0)
	byPath := map[string]*Node{}
	for i, h := range order {
		byPath[h.Path] = numbers[i]
	}
	batched.BindNumbers(numbers[0].Graph(), byPath)
	batched.BoundSteps(numbers[0].Graph(), s.steps)
}

// classify does the same as [synlayer.Network.Classify] for bags that may be sparse.
func (s structure) classify(scope *model.Scope, bags batched.Sparse) synlayer.Classification {
	n := s.network
	embedded := batched.Embed(scope, bags, n.Layers, n.Width, n.Dropout)
	return synlayer.Classify(scope, n.Pooling, synlayer.Bags(embedded), max(n.Outputs, 1))
}
