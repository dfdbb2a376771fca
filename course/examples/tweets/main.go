// Command tweets trains word attention over a bidirectional LSTM on the tweets of Davidson et al. 2017 (hate speech,
// offensive language, neither). It prints its macro-F1 and AUC, those of a bag of words with logistic regression on the same
// split, and the words with the largest weights, with slurs masked.
//
//	go run ./course/examples/tweets -quick
//	go run ./course/examples/tweets -syn 3 -ablation -repeats 5
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gonum.org/v1/gonum/stat"

	"synpool/backend"
	"synpool/course/corpus"
	"synpool/course/examples/command"
	"synpool/course/examples/tweets/training"
	"synpool/course/sequence"
)

func main() { command.Main("tweets", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("tweets", "a quarter of the tweets and a smaller network")
	gru := flags.Bool("gru", false, "a GRU in place of the LSTM")
	sigmoid := flags.Bool("sigmoid", false, "a sigmoid for each class, as for texts of several labels")
	syn := flags.Syn()
	ablation := flags.Bool("ablation", false, "beside -syn train without Syn steps and with as many in the other direction")
	repeats := flags.Count("repeats", 1, 1, "seeds, from the one given, to repeat everything with; means and standard deviations are printed")
	show := flags.Count("show", 0, 8, "words of each class to show")
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	if *ablation && *syn == 0 {
		return errors.New("-ablation without Syn steps; give a number of them, -syn 3")
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	flags.Apply(&settings.Seed, &settings.Epochs)
	settings.Sigmoid = *sigmoid
	if *gru {
		settings.Cell = sequence.GRU
	}
	tweets, err := corpus.LoadTweets()
	if err != nil {
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	steps := []int{*syn}
	if *ablation {
		steps = []int{0, *syn, -*syn}
	}
	names := []string{"bag of words"}
	for _, n := range steps {
		names = append(names, fmt.Sprintf("%s, attention, %+d Syn steps", settings.Cell, n))
	}
	f1s, aucs := make([][]float64, len(names)), make([][]float64, len(names))
	for range *repeats {
		data, err := settings.Prepare(tweets)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "seed %d: %d tweets to train on, %d to validate, %d to test\n", settings.Seed, len(data.Parts[0].Labels), len(data.Parts[1].Labels), len(data.Parts[2].Labels))
		report := func(model int, r corpus.Report, rest string) {
			f1s[model], aucs[model] = append(f1s[model], r.MacroF1), append(aucs[model], r.MacroAUC)
			fmt.Fprintf(out, "%-30s macro-F1 %.3f (of the classes %.3f), macro-AUC %.3f, accuracy %.3f%s\n", names[model], r.MacroF1, r.F1, r.MacroAUC, r.Accuracy, rest)
		}
		baseline, err := training.Baseline(data)
		if err != nil {
			return err
		}
		report(0, baseline, "")
		for i, n := range steps {
			settings.Attention.Adjust = sequence.Adjustment{Iterations: n, Gamma: 0.5, Renormalise: true}
			settings.Checkpoint = flags.Checkpoint(names[i+1], settings.Seed)
			network, err := settings.Train(ctx, choice.Backend, data, os.Stderr)
			if err != nil {
				return err
			}
			r, err := network.Evaluate(data.Parts[2])
			if err != nil {
				return err
			}
			report(i+1, r, fmt.Sprintf(", epoch %d, %s", network.Epoch, network.Took.Round(time.Second)))
			if n != steps[0] || *show == 0 || *repeats > 1 {
				continue
			}
			for class, name := range corpus.TweetClasses {
				top, err := network.TopWords(data.Parts[2], class, 5, *show)
				if err != nil {
					return err
				}
				fmt.Fprintf(out, "  %s:", name)
				for _, w := range top {
					fmt.Fprintf(out, " %s %.1f", w.Word, w.Mean)
				}
				fmt.Fprintln(out)
			}
		}
		settings.Seed++
	}
	if *repeats > 1 {
		for i, name := range names {
			f1, ofF1 := stat.MeanStdDev(f1s[i], nil)
			auc, ofAUC := stat.MeanStdDev(aucs[i], nil)
			fmt.Fprintf(out, "%-30s macro-F1 %.3f ± %.3f, macro-AUC %.3f ± %.3f over %d seeds\n", name, f1, ofF1, auc, ofAUC, *repeats)
		}
	}
	return nil
}
