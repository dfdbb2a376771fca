// Command bench measures the portfolio auto on sets of few bags: every set of the study learners cut to 30, 50 and 80 bags,
// and whole. Beside it stand the portfolio as it was before, and each of its candidates. Each cell is a line of JSON; cells that
// the file has are not run again. With -table it prints the tables of README.md instead.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/internal/bench"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// families are the sets of the study learners; those of a family share bags, pages or molecules.
var families = [][]string{
	{"musk1", "musk2"},
	{"elephant", "fox", "tiger"},
	{"brown-creeper", "winter-wren"},
	{"corel-african", "corel-beach"},
	{"mutagenesis1", "mutagenesis2"},
	{"newsgroups1", "newsgroups2", "newsgroups3"},
	{"protein"},
	{"web1", "web2", "web3", "web4", "web5", "web6", "web7", "web8", "web9"},
}

// cell is what was measured on a set.
type cell struct {
	Set     string             `json:"set"`
	Bags    int                `json:"bags"` // 0 for the whole set
	Draw    int                `json:"draw"`
	Pooled  map[string]float64 `json:"pooled"` // AUC of all test scores of a repeat together, by setting
	Folds   map[string]float64 `json:"folds"`  // mean AUC of the folds
	Seconds float64            `json:"seconds"`
}

// The names of the portfolios; candidates by their place in its setting.
const (
	before = "before" // with neither of the two
	slope  = "slope"  // with a prior of the slope of the logit
	after  = "after"  // with that, and with and without class weights
)

func main() {
	if err := measureAll(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measureAll() error {
	path := flag.String("out", "results.jsonl", "file of the cells")
	sizes := flag.String("bags", "30,50,80", "numbers of bags; 0 is the whole set")
	draws := flag.Int("draws", 5, "draws of each cut")
	only := flag.String("sets", "", "sets, by comma (default all)")
	show := flag.Bool("table", false, "print the tables and run nothing")
	flag.Parse()
	cells, err := bench.Cells[cell](*path)
	if err != nil || *show {
		return errors.Join(err, tables(os.Stdout, cells))
	}
	out, err := os.OpenFile(*path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		for _, name := range slices.Concat(families...) {
			if *only != "" && !slices.Contains(strings.Split(*only, ","), name) {
				continue
			}
			whole, err := bench.Set(name)
			if err != nil {
				return err
			}
			for draw := range *draws {
				known := slices.ContainsFunc(cells, func(c cell) bool { return c.Set == name && c.Bags == n && c.Draw == draw })
				if known || n >= len(whole.Bags) || n == 0 && draw > 0 {
					continue
				}
				c, err := measure(name, whole, n, draw)
				if err != nil {
					return fmt.Errorf("%s, %d bags, draw %d: %w", name, n, draw, err)
				}
				if err := json.NewEncoder(out).Encode(c); err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "%s %d %d: %.3f, was %.3f, %.0f s\n", name, n, draw, c.Folds[after], c.Folds[before], c.Seconds)
			}
		}
	}
	return nil
}

// cut returns at most n bags drawn at random, with the classes in the shares of the whole set but at least six bags of each. Groups stay
// whole. The official split is dropped.
func cut(s *mil.Set, n, draw int) (*mil.Set, error) {
	groups, bags := make(map[string][]int), [2]int{}
	groupOf := func(i int) string {
		if g := s.Bags[i].Group; g != "" {
			return g
		}
		return "\x00" + strconv.Itoa(i)
	}
	for i, b := range s.Bags {
		groups[groupOf(i)] = append(groups[groupOf(i)], i)
		bags[b.Label]++
	}
	const least = 6
	positive := min(max((2*n*bags[1]+len(s.Bags))/(2*len(s.Bags)), least), n-least)
	room, taken := [2]int{n - positive, positive}, make(map[int]bool)
	for _, i := range cv.Rand(1, "cut", n, draw).Perm(len(s.Bags)) {
		if taken[i] {
			continue
		}
		count := [2]int{}
		for _, k := range groups[groupOf(i)] {
			count[s.Bags[k].Label]++
		}
		if count[0] > room[0] || count[1] > room[1] {
			continue
		}
		for _, k := range groups[groupOf(i)] {
			taken[k] = true
		}
		room[0], room[1] = room[0]-count[0], room[1]-count[1]
	}
	some := *s
	some.Name, some.Bags = fmt.Sprintf("%s-%d-%d", s.Name, n, draw), nil
	for i, b := range s.Bags {
		if taken[i] {
			b.Split = mil.NoSplit
			some.Bags = append(some.Bags, b)
		}
	}
	return &some, some.Seal()
}

// settings returns the portfolios and, of a cut set, their candidates, by name.
func settings(candidates bool) (names []string, list []json.RawMessage, err error) {
	add := func(name string, setting json.RawMessage) { names, list = append(names, name), append(list, setting) }
	for _, name := range []string{before, slope, after} {
		p := learners.DefaultPortfolio()
		p.Unweighted = name == after
		if name == before {
			p.Prior = 0
		}
		setting, err := p.Setting()
		if err != nil {
			return nil, nil, err
		}
		add(name, setting)
	}
	for i, c := range learners.DefaultPortfolio().Candidates {
		if candidates {
			add(strconv.Itoa(i), c)
		}
	}
	return names, list, nil
}

// measure runs one cell: the nested protocol with 5 inner folds, 5 folds of a cut or large set, otherwise 10 or the official split.
func measure(name string, set *mil.Set, n, draw int) (c cell, err error) {
	c = cell{Set: name, Bags: n, Draw: draw, Pooled: make(map[string]float64), Folds: make(map[string]float64)}
	start := time.Now()
	protocol := cv.Protocol{Name: cv.NestedProtocol, Folds: 5, Repeats: 1, Inner: 5}
	if n > 0 {
		if set, err = cut(set, n, draw); err != nil {
			return c, err
		}
	} else if entry, err := dataset.Find(name); err != nil {
		return c, err
	} else if instances := set.NumInstances(); instances <= 7500 {
		protocol.Folds = entry.Folds
	}
	names, list, err := settings(n > 0)
	if err != nil {
		return c, err
	}
	fits, err := protocol.Fits(set, list, 1)
	if err != nil {
		return c, err
	}
	byText := make(map[string]string)
	for i, s := range list {
		byText[string(s)] = names[i]
	}
	type scored struct {
		labels  []int
		scores  []float64
		figures []float64
	}
	found := make(map[string]*scored)
	all := learners.All(learner.Classical{Entries: learners.Classic()}, learners.Resources{Workers: runtime.GOMAXPROCS(0)})
	err = all.Learn(context.Background(), cv.NewTask(set, fits), func(o learner.Outcome) error {
		fit := fits[o.Fit]
		if o.Err != nil {
			return fmt.Errorf("%s: %w", fit.Setting, o.Err)
		}
		name := byText[string(fit.Setting)]
		if found[name] == nil {
			found[name] = new(scored)
		}
		s := found[name]
		from := len(s.labels)
		for k, test := range o.Epochs[len(o.Epochs)-1].Test {
			s.labels, s.scores = append(s.labels, set.Bags[fit.Test[k]].Label), append(s.scores, test.Scores[0])
		}
		figure, err := stats.AUC(s.labels[from:], s.scores[from:])
		if err == nil {
			s.figures = append(s.figures, figure)
		} else if !errors.Is(err, stats.ErrOneClass) {
			return err
		}
		return nil
	})
	for name, s := range found {
		c.Folds[name] = stat.Mean(s.figures, nil)
		pooled, poolErr := stats.AUC(s.labels, s.scores)
		c.Pooled[name], err = pooled, errors.Join(err, poolErr)
	}
	c.Seconds = time.Since(start).Seconds()
	return c, err
}

// tables prints a table of the cut sets and one of the whole sets.
func tables(w io.Writer, cells []cell) error {
	fmt.Fprint(w, "| bags | families | sets | cells | figure | before | slope | after | after less before | best candidate on average | best in hindsight |\n|--:|--:|--:|--:|:--|--:|--:|--:|:--|:--|--:|\n")
	for _, n := range []int{30, 50, 80} {
		for _, figure := range []string{"pooled", "folds"} {
			of := func(name string) func(cell) float64 {
				return func(c cell) float64 {
					if figure == "pooled" {
						return c.Pooled[name]
					}
					return c.Folds[name]
				}
			}
			some := slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.Bags != n })
			if len(some) == 0 {
				continue
			}
			var sets []string
			for _, c := range some {
				if !slices.Contains(sets, c.Set) {
					sets = append(sets, c.Set)
				}
			}
			best, most := "", 0.0
			for name := range some[0].Pooled {
				if mean := stat.Mean(byFamily(some, of(name)), nil); isCandidate(name) && mean > most {
					best, most = name, mean
				}
			}
			hindsight := func(c cell) float64 {
				top := 0.0
				for name := range c.Pooled {
					if isCandidate(name) {
						top = max(top, of(name)(c))
					}
				}
				return top
			}
			if i, err := strconv.Atoi(best); err == nil {
				best = string(learners.DefaultPortfolio().Candidates[i])
			}
			gain := byFamily(some, of(after))
			floats.Sub(gain, byFamily(some, of(before)))
			mean, sd := stat.MeanStdDev(gain, nil)
			fmt.Fprintf(w, "| %d | %d | %d | %d | %s | %.3f | %.3f | %.3f | %+.4f ± %.4f | %.3f %s | %.3f |\n", n, len(gain), len(sets), len(some), figure,
				stat.Mean(byFamily(some, of(before)), nil), stat.Mean(byFamily(some, of(slope)), nil), stat.Mean(byFamily(some, of(after)), nil),
				mean, stat.StdErr(sd, float64(len(gain))), most, best, stat.Mean(byFamily(some, hindsight), nil))
		}
	}
	fmt.Fprint(w, "\n| whole set | before | after | difference | pooled before | pooled after |\n|:--|--:|--:|--:|--:|--:|\n")
	for _, c := range cells {
		if c.Bags == 0 {
			fmt.Fprintf(w, "| %s | %.4f | %.4f | %+.4f | %.4f | %.4f |\n", c.Set, c.Folds[before], c.Folds[after], c.Folds[after]-c.Folds[before], c.Pooled[before], c.Pooled[after])
		}
	}
	return nil
}

// isCandidate reports whether a name is that of a candidate.
func isCandidate(name string) bool { return name != before && name != slope && name != after }

// byFamily returns the mean of a figure in each family that has cells: over the draws of a set, then over the sets.
func byFamily(cells []cell, of func(cell) float64) (means []float64) {
	for _, family := range families {
		var sets []float64
		for _, set := range family {
			var draws []float64
			for _, c := range cells {
				if c.Set == set {
					draws = append(draws, of(c))
				}
			}
			if len(draws) > 0 {
				sets = append(sets, stat.Mean(draws, nil))
			}
		}
		if len(sets) > 0 {
			means = append(means, stat.Mean(sets, nil))
		}
	}
	return means
}
