package training_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/tweets/training"
)

// Of made-up tweets one word says the class, and weighs most. Words are printed masked.
func ExampleSettings_Train() {
	s := training.Quick()
	s.Embed, s.Hidden, s.Attention.Width, s.Longest, s.Epochs, s.Batch, s.Rate = 16, 8, 8, 8, 5, 32, 0.02
	data := fittest.Must(s.Prepare(telling(600)))
	network := fittest.Must(s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard))
	report := fittest.Must(network.Evaluate(data.Parts[2]))
	baseline := fittest.Must(training.Baseline(data))
	fmt.Println(report.Accuracy > 0.9, baseline.Accuracy > 0.9)
	scores, words, err := network.Importances("the blue town")
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range words {
		fmt.Println(w.Word, w.Weight > 1./3)
	}
	fmt.Println(corpus.TweetClasses[2], scores[2] > 0.5)
	// Output:
	// true true
	// the false
	// b*** true
	// t*** false
	// neither true
}
