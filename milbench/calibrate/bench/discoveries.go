package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/internal/bench"
	"synpool/milbench/calibrate"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// rate is the wanted false discovery rate.
const rate = 0.1

// drawn are the generated sets with labels of instances.
var drawn = []string{"needle 5 %", "needle 10 %", "digits"}

// listed is what was measured on one draw of a generated set: 200 bags of training, 400 of digits, and 100 new ones.
type listed struct {
	Set       string `json:"set"`
	Learner   string `json:"learner"`
	Draw      int    `json:"draw"`
	HeldOut   int    `json:"held_out"`  // instances of held-out negative bags
	New       int    `json:"new"`       // instances of the new bags
	Positive  int    `json:"positive"`  // of these
	Selected  int    `json:"selected"`  // of all new ones
	Negatives int    `json:"negatives"` // of the selected ones
}

// draw generates a set with its bags of training, and new bags.
func draw(name string, seed uint64) (train, fresh *mil.Set, err error) {
	if name == "digits" {
		dir := os.Getenv("MILBENCH_DATA")
		all, err := dataset.ReadImages(filepath.Join(dir, "t10k-images-idx3-ubyte.gz"), filepath.Join(dir, "t10k-labels-idx1-ubyte.gz"))
		if err != nil {
			return nil, nil, err
		}
		part := 3 * len(all.Labels) / 4
		first, second := all, all // disjoint images
		first.Labels, second.Labels = all.Labels[:part], all.Labels[part:]
		first.Pixels, second.Pixels = all.Pixels[:part*all.Rows*all.Columns], all.Pixels[part*all.Rows*all.Columns:]
		c := generate.DefaultDigits()
		c.Bags, c.Seed = 400, 2*seed
		if train, err = c.Draw(first); err != nil {
			return nil, nil, err
		}
		c.Bags, c.Seed = 100, 2*seed+1
		fresh, err = c.Draw(second)
		return train, fresh, err
	}
	c := generate.DefaultNeedle()
	c.TestBags, c.Seed = 100, seed
	if name == "needle 10 %" {
		c.Rate = 0.1
	}
	whole, err := generate.DrawNeedle(c)
	if err != nil {
		return nil, nil, err
	}
	if train, err = whole.Part(mil.TrainPart); err != nil {
		return nil, nil, err
	}
	fresh, err = whole.Part(mil.TestPart)
	return train, fresh, err
}

// list runs one draw: the learner is trained as milbench train --calibrate instances does it, and the instances of all new bags are selected together.
func list(set, learnerName string, seed int) (l listed, err error) {
	train, fresh, err := draw(set, uint64(seed))
	if err != nil {
		return l, err
	}
	name, fields, _ := strings.Cut(learnerName, " ")
	setting, err := learners.Override(name, json.RawMessage(cmp.Or(fields, "{}")))
	if err != nil {
		return l, err
	}
	all := learners.All(learner.Classical{Entries: learners.Classic()}, learners.Resources{Workers: runtime.GOMAXPROCS(0)})
	learnt, err := calibrate.HeldOut{Instances: true, Learner: all, Setting: setting, Seed: uint64(seed)}.Learn(context.Background(), train)
	if err != nil {
		return l, err
	}
	fit := cv.Fit{Setting: setting, Train: cv.Examples(train), Seed: uint64(seed)}
	task := cv.NewTask(train, nil)
	var positive []bool
	for b, bag := range fresh.Bags {
		for i := range bag.Instances.Len() {
			one, err := mil.Rows(bag.Instances, []int{i})
			if err != nil {
				return l, err
			}
			fit.Test, task.Bags = append(fit.Test, len(task.Bags)), append(task.Bags, one)
			positive = append(positive, fresh.InstanceLabels[b][i] > 0)
		}
	}
	task.Fits = []cv.Fit{fit}
	l = listed{Set: set, Learner: learnerName, Draw: seed, HeldOut: learnt.Instances.Units, New: len(positive)}
	err = all.Learn(context.Background(), task, func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		var p []float64
		for _, scored := range o.Epochs[len(o.Epochs)-1].Test {
			p = append(p, learnt.Instances.PValue(scored.Scores[0]))
		}
		adjusted, err := stats.BenjaminiHochberg(p)
		for i, v := range adjusted {
			if positive[i] {
				l.Positive++
			}
			if v <= rate {
				if l.Selected++; !positive[i] {
					l.Negatives++
				}
			}
		}
		return err
	})
	return l, err
}

// lists runs the draws that the file does not have.
func lists(path string, sets, names []string, draws int) error {
	done, err := bench.Cells[listed](path)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	for seed := 1; seed <= draws; seed++ {
		for _, set := range sets {
			for _, name := range names {
				if slices.ContainsFunc(done, func(l listed) bool { return l.Set == set && l.Learner == name && l.Draw == seed }) {
					continue
				}
				l, err := list(set, name, seed)
				if err != nil {
					return fmt.Errorf("%s, %s, draw %d: %w", set, name, seed, err)
				}
				if err := json.NewEncoder(out).Encode(l); err != nil {
					return err
				}
			}
		}
		fmt.Fprintf(os.Stderr, "draw %d of %d\n", seed, draws)
	}
	return nil
}

// listTable prints a row for each set and learner.
func listTable(w io.Writer, all []listed) error {
	fmt.Fprint(w, "| set | learner | draws | held-out instances | new instances | positive | selected | false discoveries, % | power, % |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, set := range drawn {
		var names []string
		for _, l := range all {
			if l.Set == set && !slices.Contains(names, l.Learner) {
				names = append(names, l.Learner)
			}
		}
		for _, name := range names {
			var held, fresh, positive, selected, wrong, power []float64
			for _, l := range all {
				if l.Set != set || l.Learner != name {
					continue
				}
				held, fresh = append(held, float64(l.HeldOut)), append(fresh, float64(l.New))
				positive, selected = append(positive, float64(l.Positive)), append(selected, float64(l.Selected))
				wrong = append(wrong, 100*float64(l.Negatives)/float64(max(l.Selected, 1)))
				power = append(power, 100*float64(l.Selected-l.Negatives)/float64(max(l.Positive, 1)))
			}
			n := float64(len(wrong))
			fdr, sd := stat.MeanStdDev(wrong, nil)
			mean, spread := stat.MeanStdDev(power, nil)
			fmt.Fprintf(w, "| %s | %s | %d | %.0f | %.0f | %.0f | %.0f | **%.1f** ± %.1f | %.1f ± %.1f |\n", set, name, len(wrong), stat.Mean(held, nil), stat.Mean(fresh, nil),
				stat.Mean(positive, nil), stat.Mean(selected, nil), fdr, stat.StdErr(sd, n), mean, stat.StdErr(spread, n))
		}
	}
	return nil
}
