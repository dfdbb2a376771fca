// Command bench fits a forest, predicts with it and prints the seconds of each repeat as a line of JSON. It is the Go side
// of compare.py, which also runs scikit-learn.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"synpool/internal/trees"
	"synpool/milbench/stats"
)

// line is the output.
type line struct {
	Fit     []float64 `json:"fit"`     // seconds
	Predict []float64 `json:"predict"` // seconds
	AUC     []float64 `json:"auc"`     // of the test rows
	Nodes   int       `json:"nodes"`   // of the last repeat
	Go      string    `json:"go"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	path := flag.String("data", "", "file of little-endian float32: label and features of each row, training rows first")
	rows := flag.Int("rows", 0, "training rows; the others are test rows")
	features := flag.Int("features", 0, "features per row")
	count := flag.Int("trees", 500, "trees")
	repeats := flag.Int("repeats", 3, "fits and predictions")
	seed := flag.Uint64("seed", 0, "seed of the first repeat; the next have the next")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "workers")
	flag.Parse()
	raw, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	width := *features + 1
	n := len(raw) / 4 / width
	if *rows < 1 || *rows >= n {
		return fmt.Errorf("%d training rows of %d", *rows, n)
	}
	x, labels := make([]float32, 0, n**features), make([]int, 0, n)
	for i := range n * width {
		v := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if i%width == 0 {
			labels = append(labels, int(v))
		} else {
			x = append(x, v)
		}
	}
	train, test := *rows**features, n-*rows
	config := trees.DefaultConfig()
	config.Trees = *count
	out := line{Go: runtime.Version()}
	for repeat := range *repeats {
		start := time.Now()
		forest, err := config.Fit(context.Background(), trees.Data{X: x[:train], Features: *features, Labels: labels[:*rows], Classes: 2}, *seed+uint64(repeat), *workers)
		if err != nil {
			return err
		}
		out.Fit = append(out.Fit, time.Since(start).Seconds())
		start = time.Now()
		p, err := forest.Predict(context.Background(), x[train:], nil, *workers)
		if err != nil {
			return err
		}
		out.Predict = append(out.Predict, time.Since(start).Seconds())
		scores := make([]float64, test)
		for i := range scores {
			scores[i] = p[2*i+1]
		}
		auc, err := stats.AUC(labels[*rows:], scores)
		if err != nil {
			return err
		}
		out.AUC, out.Nodes = append(out.AUC, auc), len(forest.Feature)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
