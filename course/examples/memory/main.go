// Command memory measures associative memories and prints tables: measured and theoretical capacities, retrieval of
// handwritten digits, a sweep of the inverse temperature, the convergence of Syn steps, and the cases of figure 1 of the
// paper.
//
//	go run ./course/examples/memory -quick
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"synpool/course/examples/command"
	"synpool/course/examples/memory/retrieval"
	"synpool/course/memory"
	"synpool/internal/disk"
)

func main() { command.Main("memory", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("memory", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "fewer and smaller memories, in seconds")
	csv := flags.String("csv", "", "folder to write the tables to as well, as CSV files; none without it")
	if err := command.Parse(flags, arguments, out); err != nil {
		return err
	}
	folder := *csv
	if folder != "" {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	config := retrieval.DefaultDigits()
	updates := 10
	if *quick {
		config.Stored, config.Cues, updates = []int{100}, 30, 3
	}
	start := time.Now()
	digits, err := retrieval.Digits(slices.Max(config.Stored))
	if err != nil {
		return err
	}
	for _, table := range []func() error{
		func() error {
			return show(out, folder, "figure1", "cases of figure 1", func() ([]retrieval.OrderRow, error) { return retrieval.Figure1(updates) })
		},
		func() error { return show(out, folder, "steps", "Syn steps to their limits", retrieval.Convergence) },
		func() error {
			title := fmt.Sprintf("digits brought back, by the synergetic network where %d or fewer are stored: more are nearly linearly dependent", retrieval.MostIndependent)
			return show(out, folder, "digits", title, func() ([]retrieval.DigitRow, error) { return config.Recall(digits) })
		},
		func() error {
			return show(out, folder, "beta", "inverse temperature, noisy digits", func() ([]memory.BetaPoint, error) { return config.BetaSweep(digits) })
		},
		func() error {
			return show(out, folder, "capacity", "capacities", func() ([]retrieval.CapacityRow, error) { return retrieval.Capacities(*quick) })
		},
	} {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		if err := table(); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, time.Since(start).Round(time.Second/10))
	return nil
}

// show prints a table and, if folder is set, writes it there.
func show[T any](out io.Writer, folder, name, title string, measure func() ([]T, error)) error {
	rows, err := measure()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, title)
	if err := writeTable(out, rows); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if folder == "" {
		return nil
	}
	return disk.Write(filepath.Join(folder, name+".csv"), func(w io.Writer) error { return writeCSV(w, rows) })
}
