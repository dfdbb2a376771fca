package training_test

import (
	"context"
	"fmt"
	"io"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/reviews/training"
)

// Of made-up reviews one word says the class: the sentence that has it weighs most.
func ExampleSettings_Train() {
	s := training.Quick()
	s.Flat, s.Sentences, s.Words, s.Embed, s.Epochs, s.Rate = true, 4, 6, 12, 5, 0.01
	data := fittest.Must(s.Prepare(telling(400)))
	network := fittest.Must(s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard))
	shown := training.Part{IDs: [][][]int32{data.Vocabulary.EncodeDocument([][]string{{"the", "film", "has", "people"}, {"a", "bright", "plot"}})}}
	readings := fittest.Must(network.Read(shown))
	r := readings[0]
	fmt.Println("positive:", r.Scores[1] > 0.5, "by the second sentence:", r.Sentences[1] > r.Sentences[0])
	// Output: positive: true by the second sentence: true
}
