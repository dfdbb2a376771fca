package members

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Hyperparameter is a number that a layer asked for, by the path of the layer's scope and a name: /pooling/gamma.
type Hyperparameter struct {
	Path  string
	Value float64
}

// paramNumbers is the key of the numbers of a graph.
const paramNumbers = "/synlayer_numbers"

// numbers is what is bound in a graph and what was asked for.
type numbers struct {
	bound map[string]*Node
	steps int // the bound of the Syn steps, 0 for none
	asked []Hyperparameter
}

// numbersOf returns those of g.
func numbersOf(g *Graph) *numbers {
	if n, ok := model.GetGraphParam(g, paramNumbers); ok {
		return n.(*numbers)
	}
	n := &numbers{}
	model.SetGraphParam(g, paramNumbers, n)
	return n
}

// BindNumbers makes the layers built in graph g from now on take their hyperparameters that are only numbers from nodes, by
// path, each a scalar or [members]. A layer keeps its own for a path that is not bound.
func BindNumbers(g *Graph, byPath map[string]*Node) { numbersOf(g).bound = byPath }

// BoundSteps makes the poolings built in graph g from now on take any number of Syn steps in [-bound, bound] ([SynUpTo]), so
// that it can be a node ([BindNumbers]). With 0, as without a call, exactly as many as a pooling has are built.
func BoundSteps(g *Graph, bound int) { numbersOf(g).steps = bound }

// Numbers returns the hyperparameters that layers in graph g have asked for, in the order of the first time, with the values
// of their own. Those that a layer does not use, as a dropout of 0, it does not ask for.
func Numbers(g *Graph) []Hyperparameter { return numbersOf(g).asked }

// Number returns the hyperparameter name of the layer in scope: the node that is bound to its path, or value as a constant
// in the type of x. It is a scalar or [members]; [Along] broadcasts it.
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

// SynSteps takes the Syn steps of the pooling in scope, a number named iterations ([Number]) where the steps are bound
// ([BoundSteps]). Without any it returns weights as they are.
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

// Along gives a number, a scalar or [members], the rank of x, so that it broadcasts along x's members axis.
func Along(n, x *Node) *Node {
	n = ConvertDType(n, x.DType())
	if n.IsScalar() {
		return n
	}
	n.AssertDims(x.Shape().Dimensions[0])
	dims := make([]int, x.Rank())
	for i := range dims {
		dims[i] = 1
	}
	dims[0] = n.Shape().Dimensions[0]
	return Reshape(n, dims...)
}
