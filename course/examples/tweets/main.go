// Command tweets trains word attention over a bidirectional LSTM on the tweets of Davidson et al. 2017 (hate speech,
// offensive language, neither), or on the toxic comments of Kaggle, which can have several of six labels. It prints its
// macro-F1 and the AUC of each label, those of a bag of words with logistic regression on the same split, and the words that
// matter most for each label, with slurs masked.
//
//	go run ./course/examples/tweets -quick
//	go run ./course/examples/tweets -syn 3 -ablation -repeats 5
//	go run ./course/examples/tweets -toxic train.csv -vectors glove.twitter.27B.100d.txt
//
// [corpus.ReadComments] and [corpus.ReadVectors] say where the files come from.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
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
	flags := command.New("tweets", "6,000 texts and a smaller network")
	gru := flags.Bool("gru", false, "a GRU in place of the LSTM")
	toxic := flags.String("toxic", "", "train.csv of Kaggle's toxic comments, six labels each, in place of the tweets")
	vectors := flags.String("vectors", "", "text file of word2vec's or GloVe's word vectors that the embedding starts from, with as many features")
	syn := flags.Syn()
	ablation := flags.Bool("ablation", false, "beside -syn train without Syn steps and with as many in the other direction")
	repeats := flags.Count("repeats", 1, 1, "seeds, from the one given, to repeat everything with; means and standard deviations are printed")
	show := flags.Count("show", 0, 8, "words of each label to show")
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	if *ablation && *syn == 0 {
		return errors.New("-ablation without Syn steps; give a number of them, -syn 3")
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	flags.Apply(&settings.Seed, &settings.Epochs)
	settings.Vectors = *vectors
	if *gru {
		settings.Cell = sequence.GRU
	}
	texts, err := load(*toxic)
	if err != nil {
		return err
	}
	if *toxic != "" {
		settings.Longest = 200 // comments are longer than tweets
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
		data, err := settings.Prepare(texts)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "seed %d: %d texts to train on, %d to validate, %d to test\n", settings.Seed, len(data.Parts[0].Labels), len(data.Parts[1].Labels), len(data.Parts[2].Labels))
		if *vectors != "" {
			fmt.Fprintf(out, "%d of %d words start from vectors of %d features\n", len(data.Vectors.Of), data.Vocabulary.Len(), data.Vectors.Width)
		}
		fmt.Fprintf(out, "scores in brackets: %s\n", strings.Join(data.Names, ", "))
		report := func(model int, r corpus.Report, rest string) {
			f1s[model], aucs[model] = append(f1s[model], r.MacroF1), append(aucs[model], r.MacroAUC)
			fmt.Fprintf(out, "%-30s macro-F1 %.3f (%.3f), macro-AUC %.3f (%.3f), accuracy %.3f%s\n", names[model], r.MacroF1, r.F1, r.MacroAUC, r.AUC, r.Accuracy, rest)
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
			fmt.Fprintln(out, "words of each label by how much its probability falls without them, and their attention (mean word 1):")
			top, err := network.TopWords(data.Parts[2], 5, *show)
			if err != nil {
				return err
			}
			for k, words := range top {
				fmt.Fprintf(out, "  %s:", data.Names[k])
				for _, w := range words {
					fmt.Fprintf(out, " %s %.2f (%.1f)", w.Word, w.Effect, w.Weight)
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

// load reads the comments in the file toxic, or the tweets if it is "".
func load(toxic string) (training.Texts, error) {
	if toxic != "" {
		comments, err := corpus.ReadComments(toxic)
		return training.Comments(comments), err
	}
	tweets, err := corpus.LoadTweets()
	return training.Tweets(tweets), err
}
