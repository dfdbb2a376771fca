// Command capsule trains matrix capsules on the 10,000 test images of MNIST, 8,000 to train on and 2,000 to test, and
// prints the test error. A training that is stopped goes on where it was when it is started again.
//
//	go run ./examples/capsule -quick
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"synpool/backend"
	"synpool/examples/capsule/training"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "capsule:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("capsule", flag.ExitOnError)
	quick := flags.Bool("quick", false, "a smaller network for a minute")
	folder := flags.String("checkpoints", "", "folder to keep checkpoints in and to go on from; none without it")
	epochs := flags.Int("epochs", 0, "passes over the digits, 0 for the setting's own")
	seed := flags.Uint64("seed", 1, "of the split, the initial weights and the order of the digits")
	flags.Parse(arguments)
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unknown argument %q; see -help", flags.Arg(0))
	case *epochs < 0:
		return fmt.Errorf("%d epochs; give 0 for the setting's own, or more", *epochs)
	}
	settings := training.Full()
	if *quick {
		settings = training.Quick()
	}
	settings.Seed = *seed
	if *epochs > 0 {
		settings.Epochs = *epochs
	}
	if *folder != "" {
		path, err := filepath.Abs(*folder)
		if err != nil {
			return err
		}
		*folder = path
	}
	digits, err := training.MNIST()
	if err != nil {
		return err
	}
	train, test, err := digits.Split(settings.Train, settings.Seed)
	if err != nil {
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	start := time.Now()
	classifier, err := training.Train(ctx, choice.Backend, settings, train, *folder, os.Stdout)
	if err != nil {
		return err
	}
	wrong, err := classifier.Error(test)
	if err != nil {
		return err
	}
	fmt.Printf("test error %.2f %% of %d digits, %s\n", 100*wrong, test.Len(), time.Since(start).Round(time.Second))
	return nil
}
