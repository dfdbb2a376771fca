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

// Where a single fact answers the question, one hop finds it.
func ExampleSettings_Train() {
	s := training.Quick()
	s.Stories, s.Count, s.Hops, s.Epochs, s.Width, s.Rate = corpus.Stories{Hops: 1, Entities: 4, Moves: 1}, 500, 1, 20, 16, 0.01
	data, err := s.Prepare()
	if err != nil {
		log.Fatal(err)
	}
	network, err := s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	readings, err := network.Read([]corpus.Story{{Facts: []string{"ben went to the garden", "anna went to the kitchen", "clara went to the office", "david went to the hallway"}, Question: "where is anna"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(readings[0].Answer)
	// Output: kitchen
}
