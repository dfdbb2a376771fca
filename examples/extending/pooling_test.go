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

// linear pools by the softmax over the instances of a trained linear score, β(w·x + b). The tags describe its hyperparameter β.
type linear struct {
	Sharpness float64 `json:"sharpness" range:"(0,)" search:"0.3,1,3" help:"factor on the score of an instance"`
}

// linearEntry gives it a name and its default.
var linearEntry = neural.Entry{Name: "linear", Default: linear{Sharpness: 1}}

func (p linear) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	x := bags.Zeroed()
	scores := MulScalar(synlayer.Dense(scope.In("score"), x, bags.Members(), 1), p.Sharpness) // [batch, instances, 1]
	weights = synlayer.BagSoftmax(ExpandAxes(Squeeze(scores, -1), -2), bags.Mask)             // [batch, heads = 1, instances]
	return Squeeze(MatMul(weights, x), -2), weights
}

// TestPooling puts the pooling through the laws that all poolings keep.
func TestPooling(t *testing.T) { syntest.Laws(t, gobackend.GetBackend(), linearEntry.Default) }

// A pooling has a name and hyperparameters in settings, and is trained as ours are.
func Example_pooling() {
	configs, err := neural.Grid{"pooling": {"linear"}, "sharpness": {2}, "width": {8}, "epochs": {20}, "lr": {0.01}, "dropout": {0}}.Configs()
	if err != nil {
		log.Fatal(err)
	}
	trainer := neural.Trainer{Backend: gobackend.GetBackend()}
	set := &mil.Set{Name: "needles"} // a bag with an instance near 3 is positive
	for i := range 20 {
		x := []float32{0.1 * float32(i%7), 3 * float32(i%2), 0.3}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 3, Cols: 1, Values: x}})
	}
	trained, err := trainer.Train(context.Background(), configs[0], set, 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	predictions, err := trained.Predict(context.Background(), []mil.Instances{&mil.Dense{Rows: 2, Cols: 1, Values: []float32{0.2, 2.9}}}, false)
	fmt.Println(predictions[0].Probability() > 0.5, predictions[0].Winners, err)
	// Output: true [1] <nil>
}
