// Command translation trains encoder-decoders of English to German on Multi30k, without attention (Sutskever et al. 2014) and
// with it (Bahdanau et al. 2015), and prints their BLEU on the test sentences and some alignments.
//
//	go run ./examples/translation -quick
//
// Words are in lower case on both sides, of the references, too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"synpool/backend"
	"synpool/corpus"
	"synpool/examples/translation/training"
	"synpool/synlayer/sequence"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "translation:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "sentences of up to 12 words and smaller models")
	epochs := flag.Int("epochs", 0, "passes over the sentences, 0 for the setting's own")
	seed := flag.Uint64("seed", 1, "of the initial weights, the dropout and the order, 1 or more")
	steps := flag.Int("syn", 0, "Syn steps on the attention: concentration if positive, distraction if negative")
	show := flag.Int("show", 3, "translations to show with their alignments")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; see -help", flag.Arg(0))
	}
	settings := training.Full()
	if *quick {
		settings = training.Quick()
	}
	settings.Seed, settings.Adjust = *seed, sequence.Adjustment{Iterations: *steps, Gamma: 0.5, Renormalise: true}
	if *epochs > 0 {
		settings.Epochs = *epochs
	}
	set, err := corpus.LoadMulti30k()
	if err != nil {
		return err
	}
	data, err := settings.Prepare(set)
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
	fmt.Printf("%d pairs of up to %d words to train on, %d to test\n", len(data.Train), settings.Longest, len(data.Test))
	for _, attention := range []bool{false, true} {
		result, err := settings.Train(ctx, choice.Backend, data, attention, os.Stderr)
		if err != nil {
			return err
		}
		fmt.Printf("attention %t: BLEU %.1f greedy, %.1f by a beam of %d; loss %.3f a word; %s\n", attention, result.Greedy.Score, result.Beam.Score, settings.Beam, result.Loss, result.Took.Round(time.Second))
		if !attention {
			continue
		}
		for i, h := range result.Translations[:min(*show, len(result.Translations))] {
			print(data, data.Test[i], h)
		}
	}
	return nil
}

// print shows a translation and, for each of its words, the word of the source with the largest weight.
func print(d *training.Data, e training.Example, h sequence.Hypothesis) {
	source := training.Words(e.Pair.Source)
	fmt.Printf("\n%s\n%s\n", strings.Join(source, " "), strings.Join(training.Words(e.Pair.Target), " "))
	for i, w := range d.Target.Decode(h.Words) {
		best := 0
		for j := range source {
			if h.Alignments[i][j] > h.Alignments[i][best] {
				best = j
			}
		}
		fmt.Printf("  %-16s %3.0f %% %s\n", w, 100*h.Alignments[i][best], source[best])
	}
}
