// Package command is the frame of the example programs: the flags that all of them have, and how they end.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"

	"synpool/examples/fit"
)

// Main runs a program until it is done or interrupted. An error goes to standard error, and the exit code is 1.
func Main(name string, run func(ctx context.Context, arguments []string, out io.Writer) error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Flags are those of a program that trains.
type Flags struct {
	*flag.FlagSet
	Quick       bool
	Epochs      int    // 0 for those of the settings
	Seed        uint64 // 1 or more
	Checkpoints string // folder, "" for none
}

// New returns flags that a program adds its own to. quick says what -quick leaves out.
func New(name, quick string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.BoolVar(&f.Quick, "quick", false, quick)
	f.IntVar(&f.Epochs, "epochs", 0, "passes over the training part, 0 for the setting's own")
	f.Uint64Var(&f.Seed, "seed", 1, "of the data's order and parts, the initial weights and the dropout, 1 or more")
	f.StringVar(&f.Checkpoints, "checkpoints", "", "folder to keep each training in after every epoch, and to go on from; none without it")
	return f
}

// Parse reads arguments. -help writes the flags to out and returns [flag.ErrHelp].
func (f *Flags) Parse(arguments []string, out io.Writer) error {
	err := f.FlagSet.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(out)
		fmt.Fprintf(out, "Flags of %s:\n", f.Name())
		f.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("%w; see -help", err)
	case f.NArg() > 0:
		return fmt.Errorf("unknown argument %q; see -help", f.Arg(0))
	case f.Epochs < 0:
		return fmt.Errorf("-epochs %d; give 0 for the setting's own, or more", f.Epochs)
	case f.Seed < 1 || f.Seed > math.MaxInt64:
		return fmt.Errorf("-seed %d; give 1 to %d", f.Seed, uint64(math.MaxInt64))
	}
	return nil
}

// Apply puts the flags into settings.
func (f *Flags) Apply(s *fit.Settings) {
	s.Seed = f.Seed
	if f.Epochs > 0 {
		s.Epochs = f.Epochs
	}
}

// Checkpoint returns the file of one of several trainings, "" without -checkpoints.
func (f *Flags) Checkpoint(training string) string {
	if f.Checkpoints == "" {
		return ""
	}
	return filepath.Join(f.Checkpoints, training+".checkpoint")
}

// NotNegative is an error where the value of a flag is below 0.
func NotNegative(name string, value int) error {
	if value < 0 {
		return fmt.Errorf("-%s %d; give 0 or more", name, value)
	}
	return nil
}
