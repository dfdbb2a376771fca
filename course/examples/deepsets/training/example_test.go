package training_test

import (
	"context"
	"fmt"
	"io"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/examples/deepsets/training"
	"synpool/course/examples/fit/fittest"
)

func ExampleSettings_Train() {
	s := training.Quick()
	s.Sets, s.Epochs = 200, 1
	data := fittest.Must(s.Prepare())
	network := fittest.Must(s.Train(context.Background(), gobackend.GetBackend(), data, "mean", io.Discard))
	right := fittest.Must(network.Evaluate(data.Test))
	fmt.Println(right > 0, "after", network.Epoch, "epoch")
	// Output: true after 1 epoch
}
