package batched_test

import (
	"fmt"
	"slices"

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

func ExampleSynUpTo() {
	show("%.3f", func(g *Graph) *Node {
		weights := Const(g, [][][]float64{{{0.5, 0.3, 0.2, 0}}, {{0.5, 0.3, 0.2, 0}}})
		weights = InsertAxes(weights, 1) // two members, each with its own number of steps
		return batched.SynUpTo(weights, Const(g, 0.5), Const(g, []float64{3, -3}), 4)
	})
	// Output: [[[[0.903 0.148 0.077 0.000]]] [[[0.809 0.736 0.666 0.000]]]]
}

func ExampleSeed() {
	weights := func(seed uint64) []float64 {
		store := model.NewStore()
		t := model.MustCallOnce(gobackend.GetBackend(), store, func(scope *model.Scope, x *Node) *Node {
			batched.Seed(x.Graph(), seed)
			return batched.Dense(scope.In("layer"), x, 0, 2)
		}, []float64{1, 1})
		return t.Value().([]float64)
	}
	first, again, other := weights(1), weights(1), weights(2)
	fmt.Println(slices.Equal(first, again), slices.Equal(first, other))
	// Output: true false
}

func ExampleBind() {
	show("%.0f", func(g *Graph) *Node {
		batched.Bind(g, map[string]*Node{
			"/layer/weights": Const(g, [][]float64{{1}, {10}}),
			"/layer/bias":    Const(g, []float64{100}),
		})
		x := Const(g, [][]float64{{1, 2}, {3, 4}})
		return batched.Dense(model.NewStore().RootScope().In("layer"), x, 0, 1)
	})
	// Output: [[121] [143]]
}

// A bag with 100,000 features. Its instances use two of them, numbers 7 and 99,999.
func ExampleSparseDense() {
	const features = 100_000
	weights := make([][]float64, features)
	for i := range weights {
		weights[i] = []float64{float64(i)}
	}
	show("%.0f", func(g *Graph) *Node {
		batched.Bind(g, map[string]*Node{"/weights": Const(g, weights), "/bias": Const(g, []float64{0})})
		bags := batched.Sparse{
			Bags:     batched.Bags{X: Const(g, [][][]float64{{{1, 0, 0}, {0, 2, 0}, {10, 1, 0}}})}, // [batch, instances, columns]
			Columns:  Const(g, [][]int32{{7, 99_999, features}}),                                   // the last column is padding
			Features: features,
		}
		return batched.SparseDense(model.NewStore().RootScope(), bags, 1)
	})
	// Output: [[[7] [199998] [100069]]]
}

func ExampleSparseDropout() {
	show("%.0f", func(g *Graph) *Node {
		scope := model.NewStore().RootScope()
		key, rate := batched.DropoutKey(Const(g, int64(1)), Const(g, int64(7))), Const(g, 0.5)
		dense := batched.Dropout(scope, Ones(g, shapes.Make(dtypes.Float64, 1, 2, 4)), rate, key)
		sparse := batched.SparseDropout(scope, batched.Sparse{
			Bags:    batched.Bags{X: Ones(g, shapes.Make(dtypes.Float64, 1, 2, 2)), DropoutKey: key},
			Columns: Const(g, [][]int32{{3, 1}}), Features: 4,
		}, rate)
		return Concatenate([]*Node{dense, sparse}, -1)
	})
	// Output: [[[2 0 0 2 2 0] [2 2 2 0 0 2]]]
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

// An optimiser with a first and a second moment uses a gradient in two loops.
func ExampleAgain() {
	show("%.2f", func(g *Graph) *Node {
		weights := Const(g, [][][]float64{{{1}, {2}, {3}}})
		batched.Bind(g, map[string]*Node{"/weights": weights, "/bias": Const(g, [][]float64{{0}})})
		bags := batched.Sparse{
			Bags:      batched.Bags{X: Const(g, [][][][]float64{{{{5}, {6}}}})}, // one feature of three, number 1
			Columns:   Const(g, [][][]int32{{{1}}}),
			Positions: Const(g, [][][]int32{{{1, 0, 1}}}),
			Features:  3,
		}
		gradients, _ := batched.Gradients(ReduceAllSum(batched.SparseDense(model.NewStore().RootScope(), bags, 1)))
		gradient := gradients["/weights"]
		first, second := MulScalar(gradient, 0.1), MulScalar(Square(batched.Again(gradient)), 0.01)
		return Concatenate([]*Node{Reshape(first, -1), Reshape(second, -1)}, 0)
	})
	// Output: [0.00 1.10 0.00 0.00 1.21 0.00]
}

func ExampleSumSquares() {
	show("%.0f", func(g *Graph) *Node {
		return batched.SumSquares(Const(g, [][][]float64{{{1, 2}, {3, 4}}, {{0, 0}, {0, 5}}})) // two members
	})
	// Output: [30 25]
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

// The network around a pooling, here the mean, on bags that use one of three features.
func ExampleEmbed() {
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	logits := model.MustCallOnce(gobackend.GetBackend(), store, func(scope *model.Scope, x *Node) *Node {
		g := x.Graph()
		bags := batched.Sparse{Bags: batched.Bags{X: x}, Columns: Const(g, [][]int32{{1}}), Features: 3}
		embedded := batched.Embed(scope, bags, 1, 8, 0.75)
		return batched.Classify(scope, ReduceMean(embedded.X, 1), embedded.Members(), 1)
	}, [][][]float32{{{5}, {6}}})
	fmt.Println(logits.Shape(), store.GetVariable("/embedding_0/weights").Shape())
	// Output: (Float32)[1] (Float32)[3, 8]
}
