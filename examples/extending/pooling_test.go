package extending_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/synlayer"
	"synpool/synlayer/syntest"
)

// linear pools by the softmax over the instances of a trained linear score, w·x + b.
type linear struct{}

func (linear) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	x := bags.X
	if bags.Mask != nil { // padding may hold anything, NaN included: 0 · NaN would reach the pooled vector
		x = Where(BroadcastToDims(ExpandAxes(bags.Mask, -1), x.Shape().Dimensions...), x, ZerosLike(x))
	}
	scores := synlayer.Dense(scope.In("score"), x, bags.Members(), 1)             // [batch, instances, 1]
	weights = synlayer.BagSoftmax(ExpandAxes(Squeeze(scores, -1), -2), bags.Mask) // [batch, heads = 1, instances]
	return Squeeze(MatMul(weights, x), -2), weights
}

// TestPooling puts the pooling through the laws that all poolings keep.
func TestPooling(t *testing.T) { syntest.Laws(t, gobackend.GetBackend(), linear{}) }

// A pooling has a name in settings, and is trained as ours are.
func Example_pooling() {
	config, err := neural.OwnConfig("linear", linear{})
	if err != nil {
		log.Fatal(err)
	}
	config.Width, config.Epochs, config.LR, config.Dropout = 8, 20, 0.01, 0
	trainer := neural.Trainer{Backend: gobackend.GetBackend(), Poolings: map[string]synlayer.Pooling{"linear": linear{}}}
	set := &mil.Set{Name: "needles"} // a bag with an instance near 3 is positive
	for i := range 20 {
		x := []float32{0.1 * float32(i%7), 3 * float32(i%2), 0.3}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 3, Cols: 1, Values: x}})
	}
	trained, err := trainer.Train(context.Background(), config, set, 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	predictions, err := trained.Predict(context.Background(), []mil.Instances{&mil.Dense{Rows: 2, Cols: 1, Values: []float32{0.2, 2.9}}})
	fmt.Println(predictions[0].Probability() > 0.5, predictions[0].Winners, err)
	// Output: true [1] <nil>
}
