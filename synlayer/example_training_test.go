package synlayer_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"synpool/synlayer"
)

// The layer in a GoMLX program: a network is trained on bags, then predicts which are positive. Padding has no weight.
func Example_training() {
	pooling := synlayer.DefaultSyn()
	pooling.Iterations = -3 // distraction; positive numbers concentrate
	network := synlayer.DefaultNetwork(pooling)
	network.Width, network.Dropout = 16, 0

	// Four bags of up to three instances of two features. A bag with an instance near (2, 2) is positive.
	x := [][][]float32{
		{{2.1, 1.9}, {0.1, 0.9}, {1.2, 0.0}},
		{{0.0, 1.0}, {1.1, 0.1}, {0, 0}},
		{{1.0, 0.2}, {1.8, 2.2}, {0, 0}},
		{{0.1, 1.2}, {0.9, 0.1}, {0.2, 0.1}},
	}
	mask := [][]bool{{true, true, true}, {true, true, false}, {true, true, false}, {true, true, true}} // false: padding
	labels := [][]float32{{1}, {0}, {1}, {0}}

	backend := gobackend.GetBackend()
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	logits := func(scope *model.Scope, inputs []*Node) []*Node {
		logits, _ := network.Logits(scope, synlayer.Bags{X: inputs[0], Mask: inputs[1]})
		return []*Node{InsertAxes(logits, -1)}
	}
	trainer := train.NewTrainer(backend, store, logits, loss.BinaryCrossentropyLogits,
		optimizer.Adam().LearningRate(0.01).Done(), nil, nil)
	for range 100 {
		_, err := trainer.TrainStep(train.Batch{
			Inputs: []*tensors.Tensor{tensors.FromValue(x), tensors.FromValue(mask)},
			Labels: []*tensors.Tensor{tensors.FromValue(labels)},
		})
		if err != nil {
			log.Fatal(err)
		}
	}

	predict := model.MustNewExec(backend, store, func(scope *model.Scope, x, mask *Node) (probability, weights *Node) {
		logits, weights := network.Logits(scope, synlayer.Bags{X: x, Mask: mask})
		return Sigmoid(logits), weights // weights [batch, heads, instances]
	})
	probability, weights, err := predict.Call2(x, mask)
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range probability.Value().([]float32) {
		padding := weights.Value().([][][]float32)[i][0][2]
		fmt.Printf("bag %d: positive %v, its third instance has weight %v\n", i, p > 0.5, padding > 0)
	}
	// Output:
	// bag 0: positive true, its third instance has weight true
	// bag 1: positive false, its third instance has weight false
	// bag 2: positive true, its third instance has weight false
	// bag 3: positive false, its third instance has weight true
}
