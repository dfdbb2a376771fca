// Command bench computes distances between given bags and prints the times as a line of JSON. It is the Go side of
// compare.py, which also runs POT. With -approximate it prints the errors of approximate distances.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"synpool/internal/transport"
)

// work is the input from compare.py: bags and the pairs to compare.
type work struct {
	Features int
	Bags     [][]float64
	Pairs    [][2]int
	Metric   string
	Passes   int // number of passes; the fastest counts
}

// line is what is printed.
type line struct {
	Seconds float64 `json:"seconds"` // of the fastest pass
	Sum     float64 `json:"sum"`     // of the distances
	Go      string  `json:"go"`
}

func main() {
	cores := flag.Int("cores", 1, "goroutines")
	table := flag.Bool("approximate", false, "print the errors of approximate distances instead")
	flag.Parse()
	err := error(nil)
	if *table {
		err = approximate(os.Stdout)
	} else {
		err = run(os.Stdin, os.Stdout, *cores)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, cores int) error {
	var w work
	if err := json.NewDecoder(in).Decode(&w); err != nil {
		return err
	}
	metric := transport.Euclidean
	if w.Metric == transport.CityBlock.String() {
		metric = transport.CityBlock
	}
	runtime.GOMAXPROCS(cores)
	if _, err := w.distances(metric, w.Pairs[:1], 1); err != nil { // as POT does
		return err
	}
	l := line{Seconds: math.Inf(1), Go: runtime.Version()}
	for range w.Passes {
		start := time.Now()
		distances, err := w.distances(metric, w.Pairs, cores)
		if err != nil {
			return err
		}
		l.Seconds, l.Sum = min(l.Seconds, time.Since(start).Seconds()), 0
		for _, d := range distances {
			l.Sum += d
		}
	}
	return json.NewEncoder(out).Encode(l)
}

// distances returns the distances of the pairs, with one solver per core.
func (w *work) distances(metric transport.Metric, pairs [][2]int, cores int) ([]float64, error) {
	distances := make([]float64, len(pairs))
	failed := make([]error, cores)
	var next atomic.Int64
	var group sync.WaitGroup
	for c := range cores {
		group.Go(func() {
			var s transport.Solver
			for failed[c] == nil {
				k := int(next.Add(1)) - 1
				if k >= len(pairs) {
					return
				}
				distances[k], failed[c] = s.Between(metric, w.Bags[pairs[k][0]], w.Bags[pairs[k][1]], w.Features, nil, nil)
			}
		})
	}
	group.Wait()
	return distances, errors.Join(failed...)
}
