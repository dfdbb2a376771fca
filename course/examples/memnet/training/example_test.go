package training_test

import (
	"context"
	"fmt"
	"io"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/memnet/training"
)

// What a network of two hops attends to.
func ExampleSettings_Train() {
	s := training.Quick()
	s.Count, s.Epochs = 200, 1
	data := fittest.Must(s.Prepare())
	network := fittest.Must(s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard))
	readings := fittest.Must(network.Read([]corpus.Story{{Facts: []string{"ben went to the garden", "anna took the ball", "clara took the book", "anna went to the kitchen", "clara went to the office", "ben took the lamp"}, Question: "where is the ball"}}))
	fmt.Println(len(readings[0].Weights), "hops over", len(readings[0].Weights[0]), "facts")
	// Output: 2 hops over 6 facts
}
