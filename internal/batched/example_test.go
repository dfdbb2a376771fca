package batched_test

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// show prints the value of a graph without inputs.
func show(format string, f func(g *Graph) *Node) {
	fmt.Printf(format+"\n", MustNewExec(gobackend.GetBackend(), f).MustCall1().Value())
}

// A step of gradient descent of two members side by side, and the norm of the gradient of each.
func ExampleGradients() {
	show("%.3f", func(g *Graph) *Node {
		weights := Const(g, [][][]float64{{{1}, {2}}, {{3}, {4}}}) // [members, features, width]
		batched.Bind(g, map[string]*Node{"/weights": weights, "/bias": Zeros(g, shapes.Make(dtypes.Float64, 2, 1))})
		x := Const(g, [][][]float64{{{1, 2}}, {{1, 2}}}) // [members, rows, features]
		objective := ReduceAllSum(Square(batched.Dense(model.NewStore().RootScope(), x, 2, 1)))
		gradients, squares := batched.Gradients(objective)
		updated := Sub(weights, MulScalar(gradients["/weights"], 0.01))
		return Concatenate([]*Node{Reshape(updated, -1), Sqrt(squares["/weights"])}, 0)
	})
	// Output: [0.900 1.800 2.780 3.560 22.361 49.193]
}

// A custom pooling requests its hyperparameter by Number; a trainer sets it for each of two members.
func ExampleBindNumbers() {
	power := func(scope *model.Scope, x *Node) *Node {
		return Pow(x, batched.Along(batched.Number(scope, x, "power", 2), x))
	}
	scope := model.NewStore().RootScope().In("pooling")
	show("%.0f", func(g *Graph) *Node { return power(scope, Const(g, [][]float64{{3}, {3}})) })
	show("%.0f", func(g *Graph) *Node {
		batched.BindNumbers(g, map[string]*Node{"/pooling/power": Const(g, []float64{1, 3})})
		y := power(scope, Const(g, [][]float64{{3}, {3}}))
		fmt.Println(batched.Numbers(g))
		return y
	})
	// Output:
	// [[9] [9]]
	// [{/pooling/power 2}]
	// [[3] [27]]
}

// If steps are bounded, the number of steps of a pooling, here 3, is a node.
func ExampleBoundSteps() {
	scope := model.NewStore().RootScope().In("pooling")
	for _, bound := range []int{0, 4} {
		show("%.3f", func(g *Graph) *Node {
			batched.BoundSteps(g, bound)
			batched.BindNumbers(g, map[string]*Node{"/pooling/iterations": Const(g, -3.0)})
			return batched.SynSteps(scope, Const(g, []float64{0.5, 0.3, 0.2, 0}), Const(g, 0.5), 3)
		})
	}
	// Output:
	// [0.903 0.148 0.077 0.000]
	// [0.809 0.736 0.666 0.000]
}
