// Command reviews trains hierarchical attention (Yang et al. 2016) and attention over all words of a document on 2,000 film
// reviews, and prints their accuracy beside that of a bag of words with logistic regression in the same split: eight of the
// authors' ten folds to train on, one to validate, one to test. It shows the sentence that weighs most in some reviews.
//
//	go run ./examples/reviews -quick
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"synpool/backend"
	"synpool/corpus"
	"synpool/examples/reviews/training"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "reviews:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "a smaller network on the last sentences of each review")
	epochs := flag.Int("epochs", 0, "passes over the reviews, 0 for the setting's own")
	seed := flag.Uint64("seed", 1, "of the initial weights, the dropout and the order, 1 or more")
	fold := flag.Int("fold", 0, "of the authors' ten: the one to test on")
	folds := flag.Bool("folds", false, "test on each of the ten folds in turn, and print the means")
	show := flag.Int("show", 3, "reviews to show a sentence of")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; see -help", flag.Arg(0))
	}
	settings := training.Full()
	if *quick {
		settings = training.Quick()
	}
	settings.Seed = *seed
	if *epochs > 0 {
		settings.Epochs = *epochs
	}
	reviews, err := corpus.LoadReviews()
	if err != nil {
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
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
			fmt.Printf("fold %d, %-25s accuracy %.3f, AUC %.3f%s\n", settings.Fold, names[model]+":", r.Accuracy, r.MacroAUC, rest)
		}
		baseline, err := training.Baseline(data)
		if err != nil {
			return err
		}
		report(0, baseline, "")
		for i, flat := range []bool{true, false} {
			network, err := settings.Train(ctx, choice.Backend, data, flat, os.Stderr)
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
			for j := range min(*show, len(readings)) {
				print(data.Parts[2].Reviews[j], readings[j])
			}
		}
	}
	if *folds {
		for i, name := range names {
			fmt.Printf("%-25s mean accuracy of ten folds %.3f\n", name, accuracies[i])
		}
	}
	return nil
}

// print shows the sentence with the largest weight, with the weights of its words.
func print(review corpus.Review, r training.Reading) {
	best := slices.Index(r.Sentences, slices.Max(r.Sentences))
	sentence := review.Sentences[len(review.Sentences)-len(r.Sentences)+best]
	var words []string
	for i, w := range r.Words[best] {
		words = append(words, fmt.Sprintf("%s(%.0f)", sentence[i], 100*w))
	}
	fmt.Printf("  %s: positive %.2f; sentence %d of %d weighs %.2f: %s\n", review.Name, r.Scores[1], best+1, len(r.Sentences), r.Sentences[best], strings.Join(words, " "))
}
