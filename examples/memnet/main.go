// Command memnet trains end-to-end memory networks (Sukhbaatar et al. 2015) of one and of two hops on generated stories whose
// question needs two facts, and prints the share of questions that each answers.
//
//	go run ./examples/memnet -quick
//
// At most 3 of 4 answers of one hop can be right, whatever its weights: see Stories in package corpus.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"synpool/backend"
	"synpool/examples/memnet/training"
	"synpool/synlayer/sequence"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "memnet:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "fewer stories of fewer people")
	seed := flag.Uint64("seed", 1, "of the stories, the initial weights and the order, 1 or more")
	steps := flag.Int("syn", 0, "Syn steps on the weights of the facts: concentration if positive, distraction if negative")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; see -help", flag.Arg(0))
	}
	settings := training.Full()
	if *quick {
		settings = training.Quick()
	}
	settings.Seed, settings.Adjust = *seed, sequence.Adjustment{Iterations: *steps, Gamma: 0.5, Renormalise: true}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	for settings.Hops = 1; settings.Hops <= settings.Stories.Hops; settings.Hops++ {
		network, err := settings.Train(ctx, choice.Backend, os.Stderr)
		if err != nil {
			return err
		}
		right, onSupport, err := network.Test()
		if err != nil {
			return err
		}
		fmt.Printf("hops %d: %.1f %% right of new stories, weight on the fact that matters %.2f, %s\n", settings.Hops, 100*right, onSupport, network.Took.Round(time.Second))
		look, err := network.Look()
		if err != nil {
			return err
		}
		for i, f := range look.Facts {
			fmt.Printf("  %-28s", f)
			for _, w := range look.Weights {
				fmt.Printf(" %4.2f", w[i])
			}
			fmt.Println()
		}
		fmt.Printf("  %s? %s (answered %s)\n", look.Question, look.Answer, look.Answered)
	}
	return nil
}
