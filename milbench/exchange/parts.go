package exchange

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"synpool/milbench"
)

// Bag is a bag of a set, without its instances.
type Bag struct {
	ID, Group string
	Class     int // 0, or 1 of the positive label
}

// Parts are the parts of a protocol on a set with two labels.
type Parts struct {
	Set, Checksum string
	Labels        [2]string // of the classes
	Protocol      string
	Folds, Run    int // of a repeat, 1 for an official split, and how many of them are run
	Seed          uint64
	Bags          []Bag
	Tested        [][]int // [repeats][bags]: the fold that tests the bag, from 0; -1 for none
}

// untested says that no fold tests a bag.
const untested = -1

// Of returns the parts of a protocol on a set, those that milbench run makes of the same seed. Its target must be binary.
func Of(s *milbench.Set, p milbench.Protocol, seed uint64) (*Parts, error) {
	if s.Kind != milbench.BinaryTarget {
		return nil, fmt.Errorf("%s: its targets are of kind %v; parts are written of sets with two labels", s.Name, s.Kind)
	}
	if p.Name == milbench.NestedProtocol {
		return nil, fmt.Errorf("%s: inner folds and validation parts are not written; take the %s protocol and hold bags back yourself", p.Name, milbench.HonestProtocol)
	}
	fits, err := p.Fits(s, []json.RawMessage{[]byte("{}")}, seed)
	if err != nil {
		return nil, err
	}
	parts := &Parts{Set: s.Name, Checksum: s.Checksum, Labels: [2]string{s.ClassName(0), s.ClassName(1)}, Protocol: p.Name, Seed: seed}
	parts.Folds, parts.Run = p.FoldsOf(s)
	for _, b := range s.Bags {
		parts.Bags = append(parts.Bags, Bag{b.ID, b.Group, b.Label})
	}
	for _, fit := range fits {
		if fit.Repeat == len(parts.Tested) {
			parts.Tested = append(parts.Tested, slices.Repeat([]int{untested}, len(s.Bags)))
		}
		for _, i := range fit.Test {
			parts.Tested[fit.Repeat][i] = fit.Fold
		}
	}
	return parts, nil
}

// columns are those of a file of parts.
var columns = []string{"bag", "label", "class", "group", "repeat", "fold", "set", "checksum", "protocol", "folds", "folds_run", "seed"}

// Write writes parts as a CSV table ([Read]).
func (p *Parts) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(columns)
	for repeat, tested := range p.Tested {
		for i, b := range p.Bags {
			fold := ""
			if tested[i] != untested {
				fold = strconv.Itoa(tested[i])
			}
			out.Write([]string{b.ID, p.Labels[b.Class], strconv.Itoa(b.Class), b.Group, strconv.Itoa(repeat), fold,
				p.Set, p.Checksum, p.Protocol, strconv.Itoa(p.Folds), strconv.Itoa(p.Run), strconv.FormatUint(p.Seed, 10)})
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads what [Parts.Write] wrote, perhaps with other columns beside. Errors name the file and the line.
func Read(r io.Reader, name string) (*Parts, error) {
	p := &Parts{}
	number := make(map[string]int) // of the bags
	seen := []map[string]bool{}    // in each repeat
	err := eachLine(r, name, columns, func(line line) error {
		class, err1 := line.integer("class", 0, 1)
		repeat, err2 := line.integer("repeat", 0, len(p.Tested))
		folds, err3 := line.integer("folds", 1, maxFolds)
		run, err4 := line.integer("folds_run", 1, folds)
		seed, err5 := strconv.ParseUint(line.text("seed"), 10, 64)
		if err := cmp.Or(err1, err2, err3, err4); err != nil {
			return err
		}
		if err5 != nil {
			return fmt.Errorf("seed %q; a whole number is needed", line.text("seed"))
		}
		of := Parts{Set: line.text("set"), Checksum: line.text("checksum"), Protocol: line.text("protocol"), Folds: folds, Run: run, Seed: seed}
		switch {
		case len(p.Bags) == 0:
			p.Set, p.Checksum, p.Protocol, p.Folds, p.Run, p.Seed = of.Set, of.Checksum, of.Protocol, of.Folds, of.Run, of.Seed
		case p.Set != of.Set || p.Checksum != of.Checksum || p.Protocol != of.Protocol || p.Folds != of.Folds || p.Run != of.Run || p.Seed != of.Seed:
			return errors.New("set, checksum, protocol, folds, folds_run and seed are not those of the lines before; write the file anew with milbench folds")
		}
		fold := untested
		if line.text("fold") != "" {
			var err error
			if fold, err = line.integer("fold", 0, run-1); err != nil {
				return err
			}
		}
		id := line.text("bag")
		bag := Bag{id, line.text("group"), class}
		if repeat == len(p.Tested) {
			p.Tested, seen = append(p.Tested, slices.Repeat([]int{untested}, len(p.Bags))), append(seen, map[string]bool{})
		}
		i, known := number[id]
		switch {
		case seen[repeat][id]:
			return fmt.Errorf("bag %s stands twice in repeat %d", id, repeat)
		case !known && repeat > 0:
			return fmt.Errorf("bag %s is not in repeat 0", id)
		case !known:
			i = len(p.Bags)
			number[id] = i
			p.Bags, p.Tested[0] = append(p.Bags, bag), append(p.Tested[0], untested)
		case p.Bags[i] != bag:
			return fmt.Errorf("bag %s has another class or group than before", id)
		}
		if l := p.Labels[class]; l != "" && l != line.text("label") {
			return fmt.Errorf("bag %s has label %q, and class %d is %q", id, line.text("label"), class, l)
		}
		p.Labels[class] = line.text("label")
		seen[repeat][id], p.Tested[repeat][i] = true, fold
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, p.check(name, seen)
}

// maxFolds bounds the folds of a repeat.
const maxFolds = 1000

// check reports a repeat that lacks bags, and a fold without bags or with one class alone.
func (p *Parts) check(name string, seen []map[string]bool) error {
	if len(p.Bags) == 0 {
		return fmt.Errorf("%s: no bags", name)
	}
	for repeat, tested := range p.Tested {
		if n := len(seen[repeat]); n != len(p.Bags) {
			return fmt.Errorf("%s: repeat %d has %d of %d bags", name, repeat, n, len(p.Bags))
		}
		counts, groups := make([][2]int, p.Run), map[string]int{}
		for i, fold := range tested {
			group := p.Bags[i].Group
			if other, known := groups[group]; known && group != "" && other != fold {
				return fmt.Errorf("%s: the bags of group %s are in several parts of repeat %d", name, group, repeat)
			}
			groups[group] = fold
			if fold != untested {
				counts[fold][p.Bags[i].Class]++
			}
		}
		for fold, n := range counts {
			if n[0] == 0 || n[1] == 0 {
				return fmt.Errorf("%s: fold %d of repeat %d tests %d and %d bags of the classes; both are needed", name, fold, repeat, n[0], n[1])
			}
		}
	}
	return nil
}
