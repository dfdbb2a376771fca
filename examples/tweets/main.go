// Command tweets trains word attention over a bidirectional LSTM on the tweets of Davidson et al. 2017 (hate speech, offensive
// language, neither) and prints its macro-F1 and AUC beside those of a bag of words with logistic regression in the same
// split, and the words that weigh most, with slurs masked.
//
//	go run ./examples/tweets -quick
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"synpool/backend"
	"synpool/corpus"
	"synpool/examples/tweets/training"
	"synpool/synlayer/sequence"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tweets:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "a quarter of the tweets and a smaller network")
	epochs := flag.Int("epochs", 0, "passes over the tweets, 0 for the setting's own")
	seed := flag.Uint64("seed", 1, "of the split, the initial weights, the dropout and the order, 1 or more")
	gru := flag.Bool("gru", false, "a GRU in place of the LSTM")
	sigmoid := flag.Bool("sigmoid", false, "a sigmoid for each class, as for texts of several labels")
	syn := flag.Bool("syn", false, "also train with Syn steps on the attention, three of concentration and three of distraction")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; see -help", flag.Arg(0))
	}
	settings := training.Full()
	if *quick {
		settings = training.Quick()
	}
	settings.Seed, settings.Sigmoid = *seed, *sigmoid
	if *gru {
		settings.Cell = sequence.GRU
	}
	if *epochs > 0 {
		settings.Epochs = *epochs
	}
	tweets, err := corpus.LoadTweets()
	if err != nil {
		return err
	}
	data, err := settings.Prepare(tweets)
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
	fmt.Printf("%d tweets to train on, %d to validate, %d to test\n", len(data.Parts[0].Labels), len(data.Parts[1].Labels), len(data.Parts[2].Labels))
	report := func(name string, r corpus.Report, rest string) {
		fmt.Printf("%-28s macro-F1 %.3f (of the classes %.3f), macro-AUC %.3f, accuracy %.3f%s\n", name, r.MacroF1, r.F1, r.MacroAUC, r.Accuracy, rest)
	}
	baseline, err := training.Baseline(data)
	if err != nil {
		return err
	}
	report("bag of words", baseline, "")
	adjustments := []sequence.Adjustment{{}}
	if *syn {
		adjustments = append(adjustments, sequence.Adjustment{Iterations: 3, Gamma: 0.5, Renormalise: true}, sequence.Adjustment{Iterations: -3, Gamma: 0.5, Renormalise: true})
	}
	for i, adjust := range adjustments {
		settings.Attention.Adjust = adjust
		network, err := settings.Train(ctx, choice.Backend, data, os.Stderr)
		if err != nil {
			return err
		}
		r, err := network.Evaluate(data.Parts[2])
		if err != nil {
			return err
		}
		report(fmt.Sprintf("%s, attention, %+d Syn steps", settings.Cell, adjust.Iterations), r, fmt.Sprintf(", epoch %d, %s", network.Epoch, network.Took.Round(time.Second)))
		if i > 0 {
			continue
		}
		for class, name := range corpus.TweetClasses {
			top, err := network.TopWords(data.Parts[2], class, 5, 8)
			if err != nil {
				return err
			}
			fmt.Printf("  %s:", name)
			for _, w := range top {
				fmt.Printf(" %s %.1f", w.Word, w.Mean)
			}
			fmt.Println()
		}
	}
	return nil
}
