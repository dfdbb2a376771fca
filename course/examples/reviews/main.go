// Command reviews trains hierarchical attention (Yang et al. 2016), and attention over all words of a document, on the film
// reviews of Pang and Lee 2004. It prints their accuracy and that of a bag-of-words model on the same split, and for some
// reviews the sentence with the largest weight.
//
//	go run ./course/examples/reviews -quick
//	go run ./course/examples/reviews -folds -syn -3
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"synpool/backend"
	"synpool/course/corpus"
	"synpool/course/examples/command"
	"synpool/course/examples/reviews/training"
	"synpool/course/sequence"
)

func main() { command.Main("reviews", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("reviews", "a smaller network on the last sentences of each review")
	fold := flags.Int("fold", 0, "of the authors' ten: the one to test on")
	folds := flags.Bool("folds", false, "test on each of the ten folds in turn, and print the means")
	steps := flags.Syn()
	show := flags.Count("show", 0, 3, "reviews to show a sentence of")
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	if *fold < 0 || *fold > 9 {
		return fmt.Errorf("-fold %d; give 0 to 9", *fold)
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	flags.Apply(&settings.Seed, &settings.Epochs)
	adjust := sequence.Adjustment{Iterations: *steps, Gamma: 0.5, Renormalise: true}
	settings.Document.Adjust, settings.Attention.WordAttention.Adjust, settings.Attention.SentenceAttention.Adjust = adjust, adjust, adjust
	reviews, err := corpus.LoadReviews()
	if err != nil {
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	tests := []int{*fold}
	if *folds {
		tests = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	names := []string{"bag of words", "attention over all words", "hierarchical attention"}
	var accuracies [3]float64
	for _, settings.Fold = range tests {
		data, err := settings.Prepare(reviews)
		if err != nil {
			return err
		}
		report := func(model int, r corpus.Report, rest string) {
			accuracies[model] += r.Accuracy / float64(len(tests))
			fmt.Fprintf(out, "fold %d, %-25s accuracy %.3f, AUC %.3f%s\n", settings.Fold, names[model]+":", r.Accuracy, r.MacroAUC, rest)
		}
		baseline, err := training.Baseline(data)
		if err != nil {
			return err
		}
		report(0, baseline, "")
		for i, flat := range []bool{true, false} {
			settings.Flat = flat
			settings.Checkpoint = flags.Checkpoint(fmt.Sprintf("%s, fold %d, %+d Syn steps", names[i+1], settings.Fold, *steps), settings.Seed)
			network, err := settings.Train(ctx, choice.Backend, data, os.Stderr)
			if err != nil {
				return err
			}
			r, err := network.Evaluate(data.Parts[2])
			if err != nil {
				return err
			}
			report(i+1, r, fmt.Sprintf(", epoch %d, %s", network.Epoch, network.Took.Round(time.Second)))
			if flat {
				continue
			}
			readings, err := network.Read(data.Parts[2])
			if err != nil {
				return err
			}
			for j, r := range readings[:min(*show, len(readings))] {
				fmt.Fprintln(out, " ", heaviest(data.Parts[2].Reviews[j], r))
			}
		}
	}
	if *folds {
		for i, name := range names {
			fmt.Fprintf(out, "%-25s mean accuracy of ten folds %.3f\n", name, accuracies[i])
		}
	}
	return nil
}

// heaviest returns the sentence with the largest weight, with the weights of its words.
func heaviest(review corpus.Review, r training.Reading) string {
	best := slices.Index(r.Sentences, slices.Max(r.Sentences))
	sentence := review.Sentences[len(review.Sentences)-len(r.Sentences)+best]
	var words []string
	for i, w := range r.Words[best] {
		words = append(words, fmt.Sprintf("%s(%.0f)", sentence[i], 100*w))
	}
	return fmt.Sprintf("%s: positive %.2f; sentence %d of %d weighs %.2f: %s", review.Name, r.Scores[1], best+1, len(r.Sentences), r.Sentences[best], strings.Join(words, " "))
}
