package training_test

import (
	"context"
	"fmt"
	"io"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/translation/training"
)

// A made-up language has a word for each word, in the opposite order.
func ExampleSettings_Train() {
	s := training.Quick()
	s.Longest, s.Embed, s.Encoder, s.Hidden, s.Align, s.Dropout, s.Rate, s.Batch, s.Epochs = 6, 12, 12, 24, 12, 0, 0.01, 25, 10
	data := fittest.Must(s.Prepare(reversing()))
	network := fittest.Must(s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard))
	pair := corpus.Pair{Source: "a big red house", Target: "haus rot gross ein"}
	examples := []training.Example{{Pair: pair, Source: data.Source.Encode(training.Words(pair.Source))}}
	found := fittest.Must(network.Translate(examples, s.Beam))
	bleu := fittest.Must(data.BLEU(examples, found))
	fmt.Printf("%v, BLEU %.0f, an alignment of %d words\n", data.Target.Decode(found[0].Words), bleu.Score, len(data.Align(examples[0], found[0])))
	// Output: [haus rot gross ein], BLEU 100, an alignment of 4 words
}
