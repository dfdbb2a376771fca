package batched

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Hyperparameter is a number that a layer has read, with its path: the path of the layer's scope and a name, such as
// /pooling/gamma.
type Hyperparameter struct {
	Path  string
	Value float64
}

// paramNumbers is the key of the numbers of a graph.
const paramNumbers = "/synlayer_numbers"

// numbers has the bound and the requested hyperparameters of a graph.
type numbers struct {
	bound map[string]*Node
	steps int // maximum number of Syn steps, 0 for exact numbers
	asked []Hyperparameter
}

// numbersOf returns the numbers of g.
func numbersOf(g *Graph) *numbers {
	if n, ok := model.GetGraphParam(g, paramNumbers); ok {
		return n.(*numbers)
	}
	n := &numbers{}
	model.SetGraphParam(g, paramNumbers, n)
	return n
}

// BindNumbers makes layers built in graph g from now on read their numeric hyperparameters from nodes, by path, each a
// scalar or [members]. For a path that is not bound, a layer uses its own value.
func BindNumbers(g *Graph, byPath map[string]*Node) { numbersOf(g).bound = byPath }

// BoundSteps makes poolings built in graph g from now on support any number of Syn steps in [-bound, bound] ([SynUpTo]), so
// that the number can be a node ([BindNumbers]). With 0, which is the default, a pooling builds exactly its own number of
// steps.
func BoundSteps(g *Graph, bound int) { numbersOf(g).steps = bound }

// Numbers returns the hyperparameters that layers in graph g have requested, in order of the first request, with the layers'
// own values. A layer does not request those that it does not use, such as a dropout of 0.
func Numbers(g *Graph) []Hyperparameter { return numbersOf(g).asked }

// Number returns the hyperparameter called name of the layer in scope: the node bound to its path, or else value as a
// constant in the type of x. It is a scalar or [members]; [Along] broadcasts it.
func Number(scope *model.Scope, x *Node, name string, value float64) *Node {
	n, path := numbersOf(x.Graph()), model.JoinPath(scope.Scope(), name)
	known := false
	for _, h := range n.asked {
		known = known || h.Path == path
	}
	if !known {
		n.asked = append(n.asked, Hyperparameter{path, value})
	}
	if node := n.bound[path]; node != nil {
		return node
	}
	return ConstAs(x, value)
}

// Steps returns the bound of the Syn steps of a pooling in graph g ([BoundSteps]), or without one the magnitude of their number.
func Steps(g *Graph, iterations int) int { return max(numbersOf(g).steps, iterations, -iterations) }

// SynSteps applies the Syn steps of the pooling in scope. If the steps are bounded ([BoundSteps]), their number is the
// hyperparameter "iterations" ([Number]). With 0 steps it returns weights unchanged.
func SynSteps(scope *model.Scope, weights, gamma *Node, iterations int) *Node {
	bound := numbersOf(weights.Graph()).steps
	switch {
	case bound == 0:
		return Syn(weights, gamma, iterations)
	case max(iterations, -iterations) > bound:
		exceptions.Panicf("synlayer: %d iterations, but a bound of %d", iterations, bound)
	}
	return SynUpTo(weights, gamma, Number(scope, weights, "iterations", float64(iterations)), bound)
}

// Along reshapes a number, a scalar or [members], to the rank of x, so that it broadcasts along the members axis of x.
func Along(n, x *Node) *Node {
	n = ConvertDType(n, x.DType())
	if n.IsScalar() {
		return n
	}
	n.AssertDims(x.Shape().Dimensions[0])
	dims := slices.Repeat([]int{1}, x.Rank())
	dims[0] = n.Shape().Dimensions[0]
	return Reshape(n, dims...)
}
