// Command translation trains English to German encoder-decoder models on Multi30k, without attention (Sutskever et al. 2014)
// and with it (Bahdanau et al. 2015). It prints their BLEU on the test sentences, also by length, and some alignments. With
// -transformer it trains a transformer (Vaswani et al. 2017) instead.
//
//	go run ./course/examples/translation -quick
//	go run ./course/examples/translation -quick -transformer
//
// All words, including the references, are in lower case and split by Unicode's rules; with -quick, long test sentences are
// left out. So BLEU compares the two models, but is not comparable with published scores.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"synpool/backend"
	"synpool/course/corpus"
	"synpool/course/examples/command"
	"synpool/course/examples/translation/training"
	"synpool/course/sequence"
)

func main() { command.Main("translation", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("translation", "sentences of up to 12 words and smaller models")
	steps := flags.Syn()
	transformer := flags.Bool("transformer", false, "train a transformer instead of the two recurrent models")
	show := flags.Count("show", 0, 3, "translations to show with their alignments")
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	flags.Apply(&settings.Seed, &settings.Epochs)
	lengths := command.Choose(flags, func() []int { return []int{10, 13, 17, 50} }, func() []int { return []int{8, 10, 12} })
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
	fmt.Fprintf(out, "%d pairs of up to %d words to train on, %d to test\n", len(data.Train), settings.Longest, len(data.Test))
	plain, attentive := settings, settings
	plain.Align, attentive.Adjust = 0, sequence.Adjustment{Iterations: *steps, Gamma: 0.5, Renormalise: true}
	models := []training.Settings{plain, attentive}
	if *transformer {
		attentive.Transformer = true
		models = []training.Settings{attentive}
	}
	for _, c := range models {
		c.Checkpoint = flags.Checkpoint(fmt.Sprintf("%s, %+d Syn steps", c.Name(), c.Adjust.Iterations), c.Seed)
		network, err := c.Train(ctx, choice.Backend, data, os.Stderr)
		if err != nil {
			return err
		}
		var translations []sequence.Hypothesis
		var scores []float64
		for _, width := range []int{1, settings.Beam} {
			if translations, err = network.Translate(data.Test, width); err != nil {
				return err
			}
			bleu, err := data.BLEU(data.Test, translations)
			if err != nil {
				return err
			}
			scores = append(scores, bleu.Score)
		}
		fmt.Fprintf(out, "%s: BLEU %.1f greedy, %.1f by a beam of %d; loss %.3f a word; epoch %d, %s\n", c.Name(), scores[0], scores[1], settings.Beam, network.Loss, network.Epoch, network.Took.Round(time.Second))
		byLength, err := data.BLEUByLength(data.Test, translations, lengths...)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  by the beam, of sources of up to %d words: BLEU %.1f\n", lengths, byLength)
		if c.Align == 0 && !c.Transformer {
			continue
		}
		for i, h := range translations[:min(*show, len(translations))] {
			pair := data.Test[i].Pair
			fmt.Fprintf(out, "\n%s\n%s\n", strings.Join(training.Words(pair.Source), " "), strings.Join(training.Words(pair.Target), " "))
			for _, w := range data.Align(data.Test[i], h) {
				fmt.Fprintf(out, "  %-16s %3.0f %% %s\n", w.Target, 100*w.Weight, w.Source)
			}
		}
	}
	return nil
}
