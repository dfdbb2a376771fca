// Command bench times the solvers of internal/svm on the problems in a folder, and prints one line of JSON per problem: our
// side of compare.py.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"synpool/internal/svm"
)

// problem is an entry of problems.json. FILE.x holds its values, row by row, as little-endian float64.
type problem struct {
	Name      string  `json:"name"`
	Kind      string  `json:"kind"` // svc, l2 or l1
	File      string  `json:"file"`
	N         int     `json:"n"`
	Columns   int     `json:"columns"`
	Labels    []int   `json:"labels"`
	C         float64 `json:"c"`
	Tolerance float64 `json:"tolerance"`
	Repeats   int     `json:"repeats"`
}

// line is what is printed.
type line struct {
	Name       string    `json:"name"`
	Seconds    []float64 `json:"seconds"` // wall
	CPU        float64   `json:"cpu"`     // seconds per fit, of all threads
	Iterations int       `json:"iterations"`
	Decisions  []float64 `json:"decisions"`
}

func main() {
	folder := flag.String("problems", "", "folder that compare.py has written")
	only := flag.String("only", "", "name of the one problem to time")
	flag.Parse()
	if err := run(*folder, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(folder, only string) error {
	text, err := os.ReadFile(filepath.Join(folder, "problems.json"))
	if err != nil {
		return err
	}
	var problems []problem
	if err := json.Unmarshal(text, &problems); err != nil {
		return fmt.Errorf("problems.json: %w", err)
	}
	out := json.NewEncoder(os.Stdout)
	for _, p := range problems {
		if only != "" && p.Name != only {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(folder, p.File))
		if err != nil {
			return err
		}
		if len(raw) != 8*p.N*p.Columns {
			return fmt.Errorf("%s has %d bytes, want %d rows of %d", p.File, len(raw), p.N, p.Columns)
		}
		x := make([]float64, p.N*p.Columns)
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		l, err := timed(p, x)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// timed fits p the given number of times.
func timed(p problem, x []float64) (line, error) {
	l := line{Name: p.Name}
	positive := make([]bool, p.N)
	var last func([]float64) float64
	for i, label := range p.Labels {
		positive[i] = label == 1
	}
	before, err := cpu()
	if err != nil {
		return line{}, err
	}
	for range p.Repeats {
		start := time.Now()
		decision, iterations, err := fit(p, x, positive)
		if err != nil {
			return line{}, err
		}
		l.Seconds = append(l.Seconds, time.Since(start).Seconds())
		l.Iterations, last = iterations, decision
	}
	after, err := cpu()
	l.CPU = (after - before) / float64(p.Repeats)
	for i := range p.N {
		l.Decisions = append(l.Decisions, last(x[i*p.Columns:][:p.Columns]))
	}
	return l, err
}

// fit returns the decision value as a function of a row of x, and the iterations.
func fit(p problem, x []float64, positive []bool) (func([]float64) float64, int, error) {
	if p.Kind == "svc" {
		k, err := svm.NewMatrix(x, p.N)
		if err != nil {
			return nil, 0, err
		}
		s := svm.DefaultCSVC()
		s.C, s.Tolerance = p.C, p.Tolerance
		m, err := s.Fit(context.Background(), k, positive, nil)
		if err != nil {
			return nil, 0, err
		}
		return m.Decision, m.Iterations, nil
	}
	s := svm.DefaultLinear()
	s.C, s.Tolerance = p.C, p.Tolerance
	if p.Kind == "l1" {
		s.Penalty = svm.L1
	}
	h, err := svm.FitLinear(context.Background(), s, svm.Dense{Values: x, N: p.N, Features: p.Columns}, positive, nil)
	if err != nil {
		return nil, 0, err
	}
	return h.Decision, h.Iterations, nil
}
