package training_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/corpus"
	"synpool/course/examples/memnet/training"
)

// What a network of two hops attends to.
func ExampleSettings_Train() {
	s := training.Quick()
	s.Count, s.Epochs = 200, 1
	data, err := s.Prepare()
	if err != nil {
		log.Fatal(err)
	}
	network, err := s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	readings, err := network.Read([]corpus.Story{{Facts: []string{"ben went to the garden", "anna took the ball", "clara took the book", "anna went to the kitchen", "clara went to the office", "ben took the lamp"}, Question: "where is the ball"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(readings[0].Weights), "hops over", len(readings[0].Weights[0]), "facts")
	// Output: 2 hops over 6 facts
}
