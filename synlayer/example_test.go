package synlayer_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
)

// show prints the values of a graph without inputs.
func show(format string, f func(g *Graph) *Node) {
	t := MustNewExec(gobackend.GetBackend(), f).MustCall1()
	for i, v := range tensors.MustCopyFlatData[float64](t) {
		if i > 0 {
			fmt.Print(" ")
		}
		fmt.Printf(format, v)
	}
	fmt.Println()
}

// pooled prints the pooled vector of the bag {(1, 0), (3, 2), padding} and the weights of its first head.
func pooled(p synlayer.Pooling) {
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	vector, weights := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, x, mask *Node) (pooled, weights *Node) {
		return p.Pool(scope, synlayer.Bags{X: x, Mask: mask})
	}).MustCall2([][][]float64{{{1, 0}, {3, 2}, {0, 0}}}, [][]bool{{true, true, false}})
	fmt.Printf("%.3f with weights %.3f\n", vector.Value(), weights.Value().([][][]float64)[0][0])
}

func ExampleSyn() {
	for _, iterations := range []int{3, 0, -3} {
		show("%.3f", func(g *Graph) *Node {
			weights := Const(g, []float64{0.5, 0.3, 0.2, 0})
			return synlayer.Syn(weights, Const(g, 0.5), iterations)
		})
	}
	// Output:
	// 0.903 0.148 0.077 0.000
	// 0.500 0.300 0.200 0.000
	// 0.809 0.736 0.666 0.000
}

func ExampleStraightThrough() {
	show("%.3f", func(g *Graph) *Node {
		weights := Const(g, []float64{0.5, 0.3, 0.2})
		adjusted := synlayer.StraightThrough(weights, synlayer.Syn(weights, Const(g, 0.5), 3))
		return Gradient(ReduceAllSum(Mul(adjusted, Const(g, []float64{1, 2, 3}))), weights)[0]
	})
	// Output: 1.000 2.000 3.000
}

func ExampleBagSoftmax() {
	show("%.3f", func(g *Graph) *Node {
		logits := Const(g, [][][]float64{{{1, 2, 3}}, {{1, 2, 3}}})
		mask := Const(g, [][]bool{{true, true, false}, {false, false, false}})
		return synlayer.BagSoftmax(logits, mask)
	})
	// Output: 0.269 0.731 0.000 0.000 0.000 0.000
}

func ExampleSynPooling() {
	p := synlayer.PaperSyn()
	p.Embed, p.Heads, p.Iterations = 4, 2, -3
	p.Renormalise = true
	pooled(p)
	// Output: [[-1.050 1.047]] with weights [0.472 0.528 0.000]
}

func ExampleDefaultSoftmax() {
	syn, softmax := synlayer.DefaultSyn(), synlayer.DefaultSoftmax()
	syn.Iterations = 0
	fmt.Println(softmax == syn)
	// Output: true
}

func ExampleHopfieldPooling() {
	p := synlayer.DefaultHopfield()
	p.Embed, p.Heads, p.Norm = 4, 2, false
	pooled(p)
	// Output: [[1.945 -1.072]] with weights [0.585 0.415 0.000]
}

func ExampleAttentionPooling() {
	p := synlayer.DefaultAttention()
	p.Gated = true
	pooled(p)
	// Output: [[1.970 0.970]] with weights [0.515 0.485 0.000]
}

func ExampleMeanPooling() {
	pooled(synlayer.MeanPooling{})
	// Output: [[2.000 1.000]] with weights [0.500 0.500 0.000]
}

func ExampleMaxPooling() {
	pooled(synlayer.MaxPooling{})
	// Output: [[3.000 2.000]] with weights [0.000 1.000 0.000]
}

func ExampleSumPooling() {
	pooled(synlayer.SumPooling{})
	// Output: [[4.000 2.000]] with weights [1.000 1.000 0.000]
}

func ExampleLogSumExpPooling() {
	p := synlayer.DefaultLogSumExp()
	p.Sharpness = 20 // nearly the maximum
	pooled(p)
	// Output: [[2.965 1.965]] with weights [0.000 1.000 0.000]
}

func ExampleDSMILPooling() {
	p := synlayer.DefaultDSMIL()
	p.Scale = 0.1
	pooled(p) // the critical instance, then the vector pooled by attention
	// Output: [[1.000 0.000 -0.852 0.686]] with weights [0.405 0.595 0.000]
}

func ExampleCLAMPooling() {
	p := synlayer.DefaultCLAM()
	p.Top = 2
	pooled(p)
	// Output: [[2.047 1.047]] with weights [0.477 0.523 0.000]
}

func ExampleACMILPooling() {
	p := synlayer.DefaultACMIL()
	p.MaskRate = 0
	pooled(p)
	// Output: [[1.999 0.999]] with weights [0.477 0.523 0.000]
}

func ExampleSetTransformerPooling() {
	p := synlayer.DefaultSetTransformer()
	p.Embed, p.Heads = 2, 1
	pooled(p)
	// Output: [[-1.000 1.000]] with weights [0.174 0.826 0.000]
}

// A training loop of your own takes the loss from the network: here that of CLAM, which also clusters the instances.
func ExampleNetwork_Classify() {
	network := synlayer.Network{Layers: 1, Width: 4, Pooling: synlayer.DefaultCLAM()}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	loss := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, x, labels *Node) *Node {
		c := network.Classify(scope, synlayer.Bags{X: x})
		loss := func(logits *Node) *Node { return synlayer.LogisticLoss(logits, labels) }
		if c.Loss == nil { // true for most poolings
			return loss(c.Logits)
		}
		return c.Loss(loss, labels)
	}).MustCall1([][][]float32{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, []float32{0, 1})
	fmt.Println("a loss per bag:", loss.Shape())
	// Output: a loss per bag: (Float32)[2]
}

// halves classifies by the mean of all features of all instances.
type halves struct{ synlayer.MeanPooling }

func (p halves) Classify(scope *model.Scope, bags synlayer.Bags, _ int) synlayer.Classification {
	pooled, weights := p.Pool(scope, bags)
	return synlayer.Classification{Logits: ReduceMean(pooled, -1), Pooled: pooled, Weights: weights}
}

func ExampleClassify() {
	show("%g", func(g *Graph) *Node {
		x := Const(g, [][][]float64{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})
		return synlayer.Classify(model.NewStore().RootScope(), halves{}, synlayer.Bags{X: x}, 1).Logits
	})
	// Output: 2.5 6.5
}

func ExampleLogisticLoss() {
	show("%.3f", func(g *Graph) *Node {
		return synlayer.LogisticLoss(Const(g, []float64{0, 4, 4}), Const(g, []float64{1, 1, 0}))
	})
	// Output: 0.693 0.018 4.018
}

func ExampleCrossEntropy() {
	show("%.3f", func(g *Graph) *Node {
		return synlayer.CrossEntropy(Const(g, [][]float64{{0, 0, 0}, {4, 0, 0}}), Const(g, []float64{2, 0}))
	})
	// Output: 1.099 0.036
}

func ExampleNetwork() {
	network := synlayer.DefaultNetwork(synlayer.DefaultSyn())
	store := model.NewStore()
	logits, weights := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, x *Node) (logits, weights *Node) {
		return network.Logits(scope, synlayer.Bags{X: x})
	}).MustCall2([][][]float32{{{1, 2}, {3, 4}, {5, 6}}})
	fmt.Println(logits.Shape(), weights.Shape())
	// Output: (Float32)[1] (Float32)[1, 4, 3]
}

func ExampleNetwork_Validate() {
	fmt.Println(synlayer.DefaultNetwork(synlayer.LogSumExpPooling{}).Validate())
	// Output: synlayer: LogSumExpPooling with sharpness 0, want a finite number above 0
}

func ExampleDropout() {
	show("%.1f", func(g *Graph) *Node {
		scope := model.NewStore().RootScope()
		x := Ones(g, shapes.Make(dtypes.Float64, 1, 2, 4))
		key := synlayer.DropoutKey(Const(g, int64(1)), Const(g, int64(7))) // seed of the fit, number of the step
		return Concatenate([]*Node{
			synlayer.Dropout(scope, x, Const(g, 0.5), key),
			synlayer.Dropout(scope, x, Const(g, 0.5), nil), // outside training
		}, 0)
	})
	// Output: 2.0 0.0 0.0 2.0 2.0 2.0 2.0 0.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
}

func ExampleLayerNorm() {
	t := model.MustCallOnce(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, x *Node) *Node {
		return synlayer.LayerNorm(scope.In("norm"), x, 0)
	}, [][]float64{{1, 2, 3}, {10, 20, 30}})
	fmt.Printf("%.3f\n", t.Value())
	// Output: [[-1.225 0.000 1.225] [-1.225 0.000 1.225]]
}

// A custom layer with one variable, a gain for each feature. It also works with members.
func ExampleVariable() {
	store := model.NewStore()
	out := model.MustCallOnce(gobackend.GetBackend(), store, func(scope *model.Scope, x *Node) *Node {
		gain := synlayer.Variable(scope.In("gain"), x.Graph(), x.DType(), "values", func(*rand.Rand) float64 { return 2 }, 0, x.Shape().Dim(-1))
		return Mul(x, Reshape(gain, 1, -1))
	}, [][]float32{{1, 2, 3}})
	fmt.Println(out.Value())
	for v := range store.IterVariables() {
		fmt.Println(v.Path(), v.Shape())
	}
	// Output:
	// [[2 4 6]]
	// /gain/values (Float32)[3]
}

// A map of two features to one for two members, each with its own weights.
func ExampleDense() {
	store := model.NewStore()
	store.VariableWithValue("/weights", [][][]float32{{{1}, {10}}, {{2}, {20}}}) // [members, features, width]
	store.VariableWithValue("/bias", [][]float32{{0}, {1}})
	out := model.MustCallOnce(gobackend.GetBackend(), store, func(scope *model.Scope, x *Node) *Node {
		return synlayer.Dense(scope, x, 2, 1)
	}, [][][]float32{{{1, 2}}, {{1, 2}}})
	fmt.Println(out.Value())
	// Output: [[[21]] [[43]]]
}
