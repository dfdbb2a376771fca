// Command memnet trains end-to-end memory networks (Sukhbaatar et al. 2015) with one and with two hops on generated stories
// whose questions need two facts, and prints the share of test stories that each answers correctly.
//
//	go run ./course/examples/memnet -quick
//
// Without -syn, one hop can get at most 3 of 4 answers right, whatever its weights: see Stories in package corpus. With Syn
// steps the weight of a fact depends on all facts, so the proof no longer holds.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"synpool/backend"
	"synpool/course/corpus"
	"synpool/course/examples/command"
	"synpool/course/examples/memnet/training"
	"synpool/course/sequence"
)

func main() { command.Main("memnet", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("memnet", "fewer stories of fewer people")
	steps := flags.Syn()
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	flags.Apply(&settings.Seed, &settings.Epochs)
	settings.Adjust = sequence.Adjustment{Iterations: *steps, Gamma: 0.5, Renormalise: true}
	data, err := settings.Prepare()
	if err != nil {
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	for settings.Hops = 1; settings.Hops <= corpus.Hops; settings.Hops++ {
		settings.Checkpoint = flags.Checkpoint(fmt.Sprintf("%d hops, %+d Syn steps", settings.Hops, *steps), settings.Seed)
		network, err := settings.Train(ctx, choice.Backend, data, os.Stderr)
		if err != nil {
			return err
		}
		right, onSupport, err := network.Evaluate(data.Test)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "hops %d: %.1f %% right of %d new stories, weight on the fact that matters %.2f, %s\n", settings.Hops, 100*right, len(data.Test), onSupport, network.Took.Round(time.Second))
		story := data.Test[0]
		readings, err := network.Read(data.Test[:1])
		if err != nil {
			return err
		}
		for i, f := range story.Facts {
			fmt.Fprintf(out, "  %-28s", f)
			for _, hop := range readings[0].Weights {
				fmt.Fprintf(out, " %4.2f", hop[i])
			}
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "  %s? %s (answered %s)\n", story.Question, story.Answer, readings[0].Answer)
	}
	return nil
}
