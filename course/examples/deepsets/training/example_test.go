package training_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/examples/deepsets/training"
)

func ExampleSettings_Train() {
	s := training.Quick()
	s.Sets, s.Epochs = 200, 1
	data, err := s.Prepare()
	if err != nil {
		log.Fatal(err)
	}
	network, err := s.Train(context.Background(), gobackend.GetBackend(), data, "mean", io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	right, err := network.Evaluate(data.Test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(right > 0, "after", network.Epoch, "epoch")
	// Output: true after 1 epoch
}
