package fit_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/examples/fit"
	"synpool/course/examples/fit/fittest"
	"synpool/synlayer"
)

// Points are put into two classes by the sign of their first feature.
func ExampleTrainer_Run() {
	points, labels := [][]float32{{1, 3}, {2, -1}, {-1, 2}, {-2, 0}, {3, 1}}, []int{1, 1, 0, 0, 1}
	backend := gobackend.GetBackend()
	logits := func(scope *model.Scope, x *Node) *Node { return synlayer.Dense(scope, x, 0, 2) }
	s := fit.Settings{Rate: 0.1, Clip: 1, Batch: 2, Epochs: 30, Seed: 1}
	trainer := fittest.Must(fit.New(backend, s, func(scope *model.Scope, in []*Node, _ *Node) *Node {
		return Div(fit.CrossEntropy(logits(scope, in[0]), OneHot(in[1], 2, dtypes.Float32)))
	}))
	kept := fittest.Must(trainer.Run(context.Background(), fit.Course{
		Name: "signs", Settings: s, Log: io.Discard,
		Batches: func(rng *rand.Rand) ([]fit.Batch, error) {
			return fit.Batches([]int{1, 1, 1, 1, 1}, s.Batch, []int{1}, rng)
		},
		Input: func(b fit.Batch, _ float64) ([]any, error) {
			x := fit.Pick(points, b.Rows)
			for i := range x { // an empty row also needs features, and has no label
				if x[i] == nil {
					x[i] = []float32{0, 0}
				}
			}
			return []any{x, fit.PickLabels(labels, b.Rows)}, nil
		},
	}))
	predict := fittest.Must(model.NewExec(backend, trainer.Store, func(scope *model.Scope, x *Node) *Node {
		return ArgMax(logits(scope, x), -1, dtypes.Int32)
	}))
	classes := fittest.Must(fit.Call(predict, [][]float32{{5, 1}, {-5, 1}}))
	fmt.Println(kept.Epoch, classes[0])
	// Output: 30 [1 0]
}

func ExampleBatches() {
	// Sentences of these lengths, two a batch, padded to 4 or 8 words.
	batches := fittest.Must(fit.Batches([]int{3, 8, 2, 5, 1}, 2, []int{4, 8}, nil))
	for _, b := range batches {
		fmt.Println(b.Rows, "padded to", b.Limit)
	}
	// Output:
	// [0 2] padded to 4
	// [4 -1] padded to 4
	// [1 3] padded to 8
}
