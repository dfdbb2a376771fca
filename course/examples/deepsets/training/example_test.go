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
	s.Sets, s.Smallest, s.Largest, s.Features, s.Width, s.Epochs, s.Rate = 3000, 4, 9, 3, 24, 6, 0.01
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
	fmt.Printf("ranked first more often than by the distance from the mean: %t\n", right > training.ByDistance(data.Test)+0.3)
	// Output: ranked first more often than by the distance from the mean: true
}
