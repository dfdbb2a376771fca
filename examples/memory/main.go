// Command memory measures associative memories and prints the tables: capacities beside theory, handwritten digits brought
// back, the sweep of the inverse temperature, Syn steps to their limits, and the cases of figure 1 of the paper.
//
//	go run ./examples/memory -quick
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"synpool/examples/memory/retrieval"
	"synpool/synlayer/memory"
)

func main() {
	quick := flag.Bool("quick", false, "fewer and smaller memories, in seconds")
	folder := flag.String("csv", "", "folder to write the tables to as well, as CSV files; none without it")
	flag.Parse()
	if err := run(os.Stdout, *quick, *folder, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, quick bool, folder string, arguments []string) error {
	if len(arguments) > 0 {
		return fmt.Errorf("unknown argument %q; see -help", arguments[0])
	}
	if folder != "" {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	config := retrieval.DefaultDigits()
	updates := 10
	if quick {
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
			return show(out, folder, "digits", "digits brought back", func() ([]retrieval.DigitRow, error) { return config.Recall(digits) })
		},
		func() error {
			return show(out, folder, "beta", "inverse temperature, noisy digits", func() ([]memory.BetaPoint, error) { return config.BetaSweep(digits) })
		},
		func() error {
			return show(out, folder, "capacity", "capacities", func() ([]retrieval.CapacityRow, error) { return retrieval.Capacities(quick) })
		},
	} {
		if err := table(); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, time.Since(start).Round(time.Second/10))
	return nil
}

// show prints a table and, if there is a folder, writes it there.
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
	f, err := os.Create(filepath.Join(folder, name+".csv"))
	if err != nil {
		return err
	}
	return finish(f, writeCSV(f, rows))
}

// finish closes and returns the first error.
func finish(f io.Closer, err error) error {
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
