// Command bench measures the coverage of conformal sets and intervals as milbench train learns them: on the sets of the paper
// and on generated numbers, over random splits into four fifths for training and a fifth of new bags. Each split is a line of
// JSON; splits that the file has are not run again. With -lists it measures lists of instances at a false discovery rate of 0.1 on
// generated bags instead. With -table it prints the table of README.md and runs nothing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/internal/bench"
	"synpool/milbench/calibrate"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
)

// numbers is the name of generated bags whose target is a number.
const numbers = "numbers"

// sets are those of the paper, and generated numbers.
var sets = []string{"musk1", "musk2", "elephant", "fox", "tiger", "web1", "web2", "web3", "web4", "web5", "web6", "web7", "web8", "web9", "ucsb", numbers}

// cell is what was measured on a split.
type cell struct {
	Set     string  `json:"set"`
	Learner string  `json:"learner"`
	Split   int     `json:"split"`
	Bags    int     `json:"bags"`     // of training
	Groups  int     `json:"groups"`   // bags without a group are one each
	Covered []int   `json:"covered"`  // new bags whose target is inside, by class
	New     []int   `json:"new"`      // new bags, by class
	Classes int     `json:"in_sets"`  // classes in all sets together
	Empty   int     `json:"empty"`    // empty sets
	Width   float64 `json:"width"`    // of intervals, over the standard deviation of the training targets
	Steps   float64 `json:"by_steps"` // expected coverage if one model scored held-out and new bags
}

func main() {
	if err := measureAll(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measureAll() error {
	path := flag.String("out", "coverage.jsonl", "file of the splits, or of the draws")
	splits := flag.Int("splits", 50, "splits or draws of each set")
	names := flag.String("learners", "statistics-svm,statistics-trees", "classical learners, by comma; with -lists by semicolon, with fields of the setting behind a name")
	instances := flag.Bool("lists", false, "measure lists of instances")
	only := flag.String("sets", "", "sets, by comma (default all)")
	show := flag.Bool("table", false, "print the table and run nothing")
	flag.Parse()
	if *instances && *show {
		all, err := bench.Cells[listed](*path)
		return errors.Join(err, listTable(os.Stdout, all))
	}
	if *instances {
		return lists(*path, chosen(*only, drawn), strings.Split(*names, ";"), *splits)
	}
	cells, err := bench.Cells[cell](*path)
	if err != nil || *show {
		return errors.Join(err, table(os.Stdout, cells))
	}
	out, err := os.OpenFile(*path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	opened := make(map[string]*mil.Set)
	for split := range *splits { // so that a run that is stopped has as many of each set
		for _, name := range chosen(*only, sets) {
			set, known := opened[name]
			if !known {
				if set, err = open(name); errors.Is(err, dataset.ErrNotFetched) {
					fmt.Fprintf(os.Stderr, "left out: %v\n", err)
				} else if err != nil {
					return err
				}
				opened[name] = set
			}
			for learner := range strings.SplitSeq(*names, ",") {
				if set == nil || slices.ContainsFunc(cells, func(c cell) bool { return c.Set == name && c.Learner == learner && c.Split == split }) {
					continue
				}
				c, err := measure(set, name, learner, split)
				if err != nil {
					return fmt.Errorf("%s, %s, split %d: %w", name, learner, split, err)
				}
				if err := json.NewEncoder(out).Encode(c); err != nil {
					return err
				}
			}
		}
		fmt.Fprintf(os.Stderr, "split %d of %d\n", split+1, *splits)
	}
	return nil
}

// chosen returns the sets of a flag.
func chosen(only string, all []string) []string {
	if only == "" {
		return all
	}
	return strings.Split(only, ",")
}

// open returns a set of the catalogue, with copies of a bag in one group and without its official split; or the generated numbers.
func open(name string) (*mil.Set, error) {
	if name == numbers {
		return drawNumbers()
	}
	set, err := bench.Set(name)
	if err != nil {
		return nil, err
	}
	for i := range set.Bags {
		set.Bags[i].Split = mil.NoSplit
	}
	return set, nil
}

// drawNumbers generates 150 bags of 50 groups. The target is the mean of a group plus noise with heavy tails; instances have it in one
// of five features, under more noise.
func drawNumbers() (*mil.Set, error) {
	random := cv.Rand(1, "numbers")
	set := &mil.Set{Name: numbers, Kind: mil.RealTarget}
	for group := range 50 {
		mean := random.NormFloat64()
		for range 3 {
			target := mean + random.NormFloat64()/(0.5+random.Float64())
			bag := &mil.Dense{Rows: 5, Cols: 5}
			for k := range 25 {
				value := random.NormFloat64()
				if k%5 == 0 {
					value += target
				}
				bag.Values = append(bag.Values, float32(value))
			}
			set.Bags = append(set.Bags, mil.Bag{ID: strconv.Itoa(len(set.Bags)), Group: strconv.Itoa(group), Target: mil.Target{Value: target}, Instances: bag})
		}
	}
	return set, set.Seal()
}

// measure runs one split: everything is learnt from its training part alone, as milbench train does it.
func measure(set *mil.Set, setName, learnerName string, split int) (c cell, err error) {
	settings, err := learners.Settings(false, learnerName)
	if err != nil {
		return c, err
	}
	fits, err := cv.Protocol{Name: cv.HonestProtocol, Folds: 5, Repeats: split + 1}.Fits(set, settings, 1)
	if err != nil {
		return c, err
	}
	fit := fits[slices.IndexFunc(fits, func(f cv.Fit) bool { return f.Repeat == split && f.Fold == 0 })]
	train := *set
	train.Bags = nil
	var targets []float64
	for _, e := range fit.Train {
		train.Bags, targets = append(train.Bags, set.Bags[e.Bag]), append(targets, e.Value)
	}
	if err := train.Seal(); err != nil {
		return c, err
	}
	all := learners.All(learner.Classical{Entries: learners.Classic()}, learners.Resources{Workers: runtime.GOMAXPROCS(0)})
	learnt, err := calibrate.HeldOut{Level: calibrate.DefaultLevel, Learner: all, Setting: settings[0], Seed: uint64(split)}.Learn(context.Background(), &train)
	if err != nil {
		return c, err
	}
	sets := learnt.Conformal
	count := max(sets.Classes, 1)
	c = cell{Set: setName, Learner: learnerName, Split: split, Bags: len(train.Bags), Groups: len(mil.Units(train.Bags)), Covered: make([]int, count), New: make([]int, count)}
	err = all.Learn(context.Background(), cv.NewTask(set, []cv.Fit{fit}), func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		for k, p := range o.Epochs[len(o.Epochs)-1].Test {
			target := set.Bags[fit.Test[k]].Target
			c.New[target.Label]++
			n := float64(sets.Held[target.Label].Units + 1)
			c.Steps += math.Ceil(sets.Level*n-1e-9) / n / float64(len(fit.Test))
			if sets.Classes == 0 {
				if math.Abs(p.Scores[0]-target.Value) <= sets.HalfWidth() {
					c.Covered[0]++
				}
				continue
			}
			inside, err := sets.Set(p.Scores)
			if err != nil {
				return err
			}
			if c.Classes += len(inside); len(inside) == 0 {
				c.Empty++
			}
			if slices.Contains(inside, target.Label) {
				c.Covered[target.Label]++
			}
		}
		return nil
	})
	if sets.Classes == 0 {
		c.Width = 2 * sets.HalfWidth() / stat.StdDev(targets, nil)
	}
	return c, err
}

// share returns the sum of some counts over that of others.
func share(of, all []int) float64 {
	a, b := 0, 0
	for k := range of {
		a, b = a+of[k], b+all[k]
	}
	return float64(a) / float64(b)
}

// table prints a row for each learner and set, and the means over sets.
func table(w io.Writer, cells []cell) error {
	fmt.Fprint(w, "| learner | set | bags | groups | splits | coverage, % | sd over splits | by the steps, % | class 0, % | class 1, % | mean size | empty, % |\n"+
		"|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	var names []string
	for _, c := range cells {
		if !slices.Contains(names, c.Learner) {
			names = append(names, c.Learner)
		}
	}
	for _, name := range names {
		var means, steps, sizes []float64
		for _, set := range sets {
			var coverage, expected, size, width []float64
			covered, fresh, empty, first := [2]int{}, [2]int{}, 0, cell{}
			for _, c := range cells {
				if c.Set != set || c.Learner != name {
					continue
				}
				first = c
				n := 0
				for k := range c.New {
					covered[k], fresh[k], n = covered[k]+c.Covered[k], fresh[k]+c.New[k], n+c.New[k]
				}
				empty += c.Empty
				coverage, expected = append(coverage, 100*share(c.Covered, c.New)), append(expected, 100*c.Steps)
				size, width = append(size, float64(c.Classes)/float64(n)), append(width, c.Width)
			}
			if coverage == nil {
				continue
			}
			mean, sd := stat.MeanStdDev(coverage, nil)
			fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %.1f | %.1f | %.1f ", name, set, first.Bags, first.Groups, len(coverage), mean, sd, stat.Mean(expected, nil))
			if set == numbers {
				fmt.Fprintf(w, "| | | %.2f sd | |\n", stat.Mean(width, nil))
				continue
			}
			fmt.Fprintf(w, "| %.1f | %.1f | %.2f | %.1f |\n", 100*share(covered[:1], fresh[:1]), 100*share(covered[1:], fresh[1:]), stat.Mean(size, nil),
				100*float64(empty)/float64(fresh[0]+fresh[1]))
			means, steps, sizes = append(means, mean), append(steps, stat.Mean(expected, nil)), append(sizes, stat.Mean(size, nil))
		}
		if len(means) > 1 {
			mean, sd := stat.MeanStdDev(means, nil)
			fmt.Fprintf(w, "| %s | mean of %d sets | | | | **%.1f** ± %.1f | | %.1f | | | %.2f | |\n", name, len(means), mean, stat.StdErr(sd, float64(len(means))), stat.Mean(steps, nil), stat.Mean(sizes, nil))
		}
	}
	return nil
}
