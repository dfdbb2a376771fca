package capsule_test

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/capsule"
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

// A custom network: primary capsules of features, a layer of patches, one capsule per class. The last layer says where its
// children are.
func ExampleClass_Route() {
	routing := capsule.DefaultEMRouting()
	out := model.MustNewExec(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, features *Node) (activations, assignments *Node) {
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

// Two children and two classes. Each column of the shares sums to 1, and so does each row of the weights.
func ExampleClass_Compare() {
	layer := capsule.Class{Classes: 2}
	out := MustNewExec(gobackend.GetBackend(), func(poses, activations, assignments *Node) []*Node {
		shares, weights := layer.Compare(capsule.Capsules{Poses: poses, Activations: activations}, assignments)
		return []*Node{shares, weights}
	}).MustCall(
		tensors.FromFlatDataAndDimensions(make([]float64, 2*16), 1, 1, 2, 1, 4, 4),
		tensors.FromFlatDataAndDimensions([]float64{0.9, 0.3}, 1, 1, 2, 1),
		tensors.FromFlatDataAndDimensions([]float64{0.5, 0.5, 0.5, 0.5}, 1, 1, 1, 2, 1, 2, 1))
	fmt.Printf("shares  %.2f\n", out[0].Value())
	fmt.Printf("weights %.2f\n", out[1].Value())
	// Output:
	// shares  [[[0.50 0.50] [0.50 0.50]]]
	// weights [[[0.75 0.25] [0.75 0.25]]]
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
	for _, part := range []float64{-1, 0, 0.5, 1, 2} {
		fmt.Printf("%.2f ", capsule.SpreadMargin(part))
	}
	// Output:
	// 0.20 0.20 0.55 0.90 0.90
}

func ExampleInverseTemperature_At() {
	schedule := capsule.DefaultInverseTemperature()
	for iteration := range 3 {
		fmt.Printf("%.6f ", schedule.At(iteration))
	}
	// Output:
	// 0.000500 0.000975 0.001426
}

// What a network of two classes finds on the way: the capsules of every layer, and which children are assigned to which
// parents.
func ExampleNetwork_Route() {
	network := capsule.DefaultNetwork(2)
	network.Channels, network.Primary.Types = 8, 2
	network.Convolutional = network.Convolutional[:1]
	network.Convolutional[0].Types = 3
	out := model.MustNewExec(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, images *Node) []*Node {
		capsules, assignments := network.Route(scope, images)
		return append(assignments, capsules[0].Poses, capsules[1].Poses, capsules[2].Poses)
	}).MustCall(tensors.FromFlatDataAndDimensions(make([]float32, 28*28), 1, 28, 28, 1))
	for i, layer := range []string{"convolutional", "class"} {
		fmt.Println("assignments to", layer, "capsules", out[i].Shape())
	}
	for i, layer := range []string{"primary", "convolutional", "class"} {
		fmt.Println("poses of", layer, "capsules", out[2+i].Shape())
	}
	// Output:
	// assignments to convolutional capsules (Float32)[1, 5, 5, 3, 3, 3, 2]
	// assignments to class capsules (Float32)[1, 1, 1, 2, 5, 5, 3]
	// poses of primary capsules (Float32)[1, 12, 12, 2, 4, 4]
	// poses of convolutional capsules (Float32)[1, 5, 5, 3, 4, 4]
	// poses of class capsules (Float32)[1, 1, 1, 2, 4, 4]
}

// One feature, and a type of capsules whose pose is 2 times the unit matrix for a feature of 1.
func ExamplePrimary_Capsules() {
	pose, activation := [][]float64{make([]float64, 16)}, [][]float64{{math.Log(3)}}
	for i := range capsule.Side {
		pose[0][i*capsule.Side+i] = 2
	}
	store := model.NewStore()
	store.VariableWithValue("/pose/weights", pose)
	store.VariableWithValue("/pose/bias", make([]float64, 16))
	store.VariableWithValue("/activation/weights", activation)
	store.VariableWithValue("/activation/bias", []float64{0})
	out := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, features *Node) []*Node {
		c := capsule.Primary{Types: 1}.Capsules(scope, features)
		return []*Node{c.Poses, c.Activations}
	}).MustCall([][][][]float64{{{{1}, {-1}}}})
	fmt.Println(out[0].Value().([][][][][][]float64)[0][0])
	fmt.Printf("%.2f\n", out[1].Value())
	// Output:
	// [[[[2 0 0 0] [0 2 0 0] [0 0 2 0] [0 0 0 2]]] [[[-2 0 0 0] [0 -2 0 0] [0 0 -2 0] [0 0 0 -2]]]]
	// [[[[0.75] [0.25]]]]
}

// Two patches of two columns share the middle one, whose capsules have the poses of those on their left: the parent there
// gets them.
func ExampleConvolutional_Route() {
	unit := func(times ...float64) (matrices []float64) {
		for _, v := range times {
			matrices = append(matrices, v, 0, 0, 0, 0, v, 0, 0, 0, 0, v, 0, 0, 0, 0, v)
		}
		return matrices
	}
	layer := capsule.Convolutional{Types: 1, Kernel: 2, Stride: 1, Routing: capsule.DefaultEMRouting()}
	poses := tensors.FromFlatDataAndDimensions(unit(1, 1, 3, 1, 1, 3), 1, 2, 3, 1, 4, 4)
	store := model.NewStore()
	store.VariableWithValue("/transforms", tensors.FromFlatDataAndDimensions(unit(1, 1, 1, 1), 4, 1, 4, 4))
	store.VariableWithValue("/beta_u", []float64{0})
	store.VariableWithValue("/beta_a", []float64{0})
	out := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, poses *Node) []*Node {
		below := capsule.Capsules{Poses: poses, Activations: Ones(poses.Graph(), shapes.Make(dtypes.Float64, 1, 2, 3, 1))}
		above, assignments := layer.Route(scope, below)
		return []*Node{above.Poses, assignments}
	}).MustCall(poses)
	for column, where := range []string{"left ", "right"} {
		pose := out[0].Value().([][][][][][]float64)[0][0][column][0]
		assigned := out[1].Value().([][][][][][][]float64)[0][0][column][0]
		fmt.Printf("%s: %.2f times the unit matrix, of its two rows %.2f\n", where, pose[0][0], assigned)
	}
	// Output:
	// left : 1.00 times the unit matrix, of its two rows [[[1.00] [1.00]] [[1.00] [1.00]]]
	// right: 3.00 times the unit matrix, of its two rows [[[0.00] [1.00]] [[0.00] [1.00]]]
}
