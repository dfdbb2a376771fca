package synlayer_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
)

func Example() {
	pooling := synlayer.DefaultSyn()
	pooling.Iterations = 3 // concentrate; negative numbers even out
	network := synlayer.DefaultNetwork(pooling)

	bags := [][][]float32{{{2, 2}, {0, 1}, {1, 0}}, {{0, 1}, {1, 0}, {0, 0}}}
	mask := [][]bool{{true, true, true}, {true, true, false}} // false: padding
	store := model.NewStore()
	predict := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, x, mask *Node) (probability, weights *Node) {
		logits, weights := network.Logits(scope, synlayer.Bags{X: x, Mask: mask})
		return Sigmoid(logits), weights
	})
	probability, weights, err := predict.Call2(bags, mask)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a probability per bag:", probability.Shape())
	fmt.Println("[bags, heads, instances]:", weights.Shape())
	// Output:
	// a probability per bag: (Float32)[2]
	// [bags, heads, instances]: (Float32)[2, 4, 3]
}
