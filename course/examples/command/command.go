// Package command is the common frame of the example programs: their shared flags, and how they exit.
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
	"strings"
	"unicode"
)

// Main runs a program until it is done or interrupted. An interrupt ends ctx; a second one ends the program at once. An
// error goes to standard error, and the program exits with status 1.
func Main(name string, run func(ctx context.Context, arguments []string, out io.Writer) error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, cancel)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Flags are the flags of a program that trains.
type Flags struct {
	*flag.FlagSet
	Quick       bool
	Epochs      int    // 0 for the number in the settings
	Seed        uint64 // 1 or more
	Checkpoints string // folder, "" for none
	counts      []count
}

// count is an integer flag that must be at least low.
type count struct {
	name  string
	low   int
	value *int
}

// New returns flags; a program adds its own to them. quick says what -quick leaves out.
func New(name, quick string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.BoolVar(&f.Quick, "quick", false, quick)
	f.IntVar(&f.Epochs, "epochs", 0, "passes over the training part, 0 for the setting's own")
	f.Uint64Var(&f.Seed, "seed", 1, "of the data's order and parts, the initial weights and the dropout, 1 or more")
	f.StringVar(&f.Checkpoints, "checkpoints", "", "folder to keep each training in after every epoch, and to go on from; none without it")
	return f
}

// Syn adds the flag -syn, the number of Syn steps, for a program whose attention can be adjusted.
func (f *Flags) Syn() *int {
	return f.Int("syn", 0, "Syn steps on the attention's weights: concentration if positive, distraction if negative, none at 0")
}

// Count adds an integer flag that must be at least low.
func (f *Flags) Count(name string, low, value int, usage string) *int {
	c := count{name, low, f.Int(name, value, usage)}
	f.counts = append(f.counts, c)
	return c.value
}

// Parse parses arguments like the function Parse, and checks the shared flags and the counts.
func (f *Flags) Parse(arguments []string, out io.Writer) error {
	if err := Parse(f.FlagSet, arguments, out); err != nil {
		return err
	}
	switch {
	case f.Epochs < 0:
		return fmt.Errorf("-epochs %d; give 0 for the setting's own, or more", f.Epochs)
	case f.Seed < 1 || f.Seed > math.MaxInt64:
		return fmt.Errorf("-seed %d; give 1 to %d", f.Seed, uint64(math.MaxInt64))
	}
	for _, c := range f.counts {
		if *c.value < c.low {
			return fmt.Errorf("-%s %d; give %d or more", c.name, *c.value, c.low)
		}
	}
	return nil
}

// Parse parses arguments; only flags are allowed. -help writes their descriptions to out and returns [flag.ErrHelp].
func Parse(f *flag.FlagSet, arguments []string, out io.Writer) error {
	f.SetOutput(io.Discard)
	err := f.Parse(arguments)
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
	}
	return nil
}

// Choose returns the full settings of a program, or the quick ones with -quick.
func Choose[S any](f *Flags, full, quick func() S) S {
	if f.Quick {
		return quick()
	}
	return full()
}

// Apply sets the seed and the epochs from the flags.
func (f *Flags) Apply(seed *uint64, epochs *int) {
	*seed = f.Seed
	if f.Epochs > 0 {
		*epochs = f.Epochs
	}
}

// Checkpoint returns the checkpoint file of one of several trainings, "" without -checkpoints. Its name is made of the words
// of training, which distinguish it from the program's other trainings, and the seed.
func (f *Flags) Checkpoint(training string, seed uint64) string {
	if f.Checkpoints == "" {
		return ""
	}
	words := strings.FieldsFunc(training, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '-'
	})
	return filepath.Join(f.Checkpoints, fmt.Sprintf("%s-seed-%d.checkpoint", strings.Join(words, "-"), seed))
}
