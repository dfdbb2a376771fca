package capsule_test

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
	"synpool/synlayer/capsule"
)

// Four children vote for two parents. The first two agree about the first parent, the others about the second.
func ExampleEMRouting_Route() {
	votes := [][][][]float64{{ // [batch, children, parents, values]
		{{1.0, 2.0}, {5, -3}},
		{{1.1, 2.1}, {-4, 6}},
		{{7, -2}, {0.5, 0.5}},
		{{-6, 3}, {0.4, 0.6}},
	}}
	activations := [][]float64{{0.9, 0.9, 0.8, 0.8}}
	r := capsule.DefaultEMRouting()
	routed := MustNewExec(gobackend.GetBackend(), func(votes, activations *Node) []*Node {
		beta := Const(votes.Graph(), []float64{0, 0}) // trained, in a layer
		out := r.Route(votes, activations, beta, beta)
		return []*Node{out.Poses, out.Assignments}
	}).MustCall(votes, activations)
	fmt.Printf("poses       %.2f\n", routed[0].Value())
	fmt.Printf("assignments %.2f\n", routed[1].Value())
	// Output:
	// poses       [[[1.00 2.06] [0.46 0.55]]]
	// assignments [[[1.00 0.00] [1.00 0.00] [0.00 1.00] [0.02 0.98]]]
}

// The paper's network, smaller, for images of 28x28 and ten classes.
func ExampleNetwork_Classify() {
	network := capsule.DefaultNetwork(10)
	network.Channels, network.Primary.Types = 8, 2
	for i := range network.Convolutional {
		network.Convolutional[i].Types = 2
	}
	store := model.NewStore()
	out := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, images *Node) (activations, poses *Node) {
		synlayer.Seed(images.Graph(), 1)
		return network.Classify(scope, images)
	}).MustCall(tensors.FromFlatDataAndDimensions(make([]float32, 3*28*28), 3, 28, 28, 1))
	fmt.Println("activations", out[0].Shape())
	fmt.Println("poses      ", out[1].Shape())
	fmt.Println(store.GetVariable("/convolutional_0/transforms").Shape())
	// Output:
	// activations (Float32)[3, 10]
	// poses       (Float32)[3, 10, 4, 4]
	// (Float32)[18, 2, 4, 4]
}

// A network of one's own: primary capsules of features, a layer of patches, a capsule a class. The last layer says
// where it took its children from.
func ExampleClass_Route() {
	routing := capsule.DefaultEMRouting()
	out := model.MustNewExec(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, features *Node) (activations, assignments *Node) {
		synlayer.Seed(features.Graph(), 1)
		capsules := capsule.Primary{Types: 3}.Capsules(scope.In("primary"), features)
		capsules, _ = capsule.Convolutional{Types: 2, Kernel: 3, Stride: 1, Routing: routing}.Route(scope.In("patches"), capsules)
		capsules, assignments = capsule.Class{Classes: 4, Coordinates: true, Routing: routing}.Route(scope.In("class"), capsules)
		return capsules.Activations, assignments
	}).MustCall(tensors.FromFlatDataAndDimensions(make([]float32, 6*5*7), 1, 6, 5, 7))
	fmt.Println("activations", out[0].Shape())
	fmt.Println("assignments", out[1].Shape())
	// Output:
	// activations (Float32)[1, 1, 1, 4]
	// assignments (Float32)[1, 1, 1, 4, 4, 3, 2]
}

// The target, class 0, is 0.1 ahead of class 1 and 0.6 ahead of class 2, where 0.2 is asked for.
func ExampleSpreadLoss() {
	loss := MustExecOnce(gobackend.GetBackend(), func(activations, labels *Node) *Node {
		return capsule.SpreadLoss(activations, labels, ConstAs(activations, capsule.SpreadMargin(0)))
	}, [][]float64{{0.8, 0.7, 0.2}}, []int32{0})
	fmt.Printf("%.3f\n", loss.Value())
	// Output:
	// 0.010
}

func ExampleSpreadMargin() {
	for step := 0; step <= 100; step += 50 {
		fmt.Printf("%.2f ", capsule.SpreadMargin(float64(step)/100))
	}
	// Output:
	// 0.20 0.55 0.90
}

func ExampleInverseTemperature_At() {
	schedule := capsule.DefaultInverseTemperature()
	for iteration := range 3 {
		fmt.Printf("%.6f ", schedule.At(iteration))
	}
	// Output:
	// 0.000500 0.000975 0.001426
}

// The coordinates of the position in the second row and first column of two by two.
func ExampleCoordinates() {
	at := MustExecOnce(gobackend.GetBackend(), func(g *Graph) *Node {
		return capsule.Coordinates(g, dtypes.Float64, 2, 2)
	})
	fmt.Println(at.Value().([][][][]float64)[1][0])
	// Output:
	// [[0 0 0 0.75] [0 0 0 0.25] [0 0 0 0] [0 0 0 0]]
}

// The same two children in a layer of capsules and in one of self-attention, each with two views. Of what the capsules
// are assigned, the columns of both types together sum to 1; of attention, each row does.
func ExampleComparison_Weights() {
	c := capsule.Comparison{Views: 2, Routing: capsule.DefaultEMRouting()}
	c.Routing.Epsilon = 0.5 // softer than for training
	poses := tensors.FromFlatDataAndDimensions(random(1, 2*16), 1, 1, 2, 1, 4, 4)
	activations := tensors.FromFlatDataAndDimensions([]float64{0.9, 0.6}, 1, 1, 2, 1)
	out := model.MustNewExec(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, poses, activations *Node) (assignments, attention *Node) {
		synlayer.Seed(poses.Graph(), 1)
		return c.Weights(scope, capsule.Capsules{Poses: poses, Activations: activations})
	}).MustCall(poses, activations)
	for k, what := range []string{"assignments", "attention"} {
		fmt.Println(what)
		for view, rows := range out[k].Value().([][][][]float64)[0] {
			for parent, row := range rows {
				fmt.Printf("view %d, parent %d: %.3f\n", view, parent, row)
			}
		}
	}
	// Output:
	// assignments
	// view 0, parent 0: [0.119 0.002]
	// view 0, parent 1: [0.304 0.277]
	// view 1, parent 0: [0.202 0.103]
	// view 1, parent 1: [0.376 0.618]
	// attention
	// view 0, parent 0: [0.372 0.628]
	// view 0, parent 1: [0.463 0.537]
	// view 1, parent 0: [0.598 0.402]
	// view 1, parent 1: [0.591 0.409]
}
