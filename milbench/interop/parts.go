package interop

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Bag is a bag of a set, without its instances.
type Bag struct {
	ID, Group string
	mil.Target
}

// Parts has the training and test parts of a protocol on a set.
type Parts struct {
	Set, Checksum string
	Kind          mil.TargetKind
	Classes       []string // names in the set, or numbers; nil if the kind of target has no classes
	Protocol      string
	Folds, Run    int // folds per repeat (1 for an official split), and the number of folds run
	Seed          uint64
	Bags          []Bag
	Tested        [][]int // [repeats][bags]: the fold that tests the bag, from 0; [cv.Untested] for none
	Splits        string  // sum of given folds ([cv.Splits.Sum]), whose groups may be divided; empty if the protocol cut them
}

// Of returns the parts of a protocol on a set. They are the same that milbench run uses with this seed.
func Of(s *mil.Set, p cv.Protocol, seed uint64) (*Parts, error) {
	if p.Name == cv.NestedProtocol {
		return nil, fmt.Errorf("%s: inner folds and validation parts are not written; take the %s protocol and hold bags back yourself", p.Name, cv.HonestProtocol)
	}
	if p.Shots > 0 {
		return nil, fmt.Errorf("--shots: the bags of %d shots are not written; draw them from the training part yourself", p.Shots)
	}
	fits, err := p.Fits(s, []json.RawMessage{[]byte("{}")}, seed)
	if err != nil {
		return nil, err
	}
	parts := &Parts{Set: s.Name, Checksum: s.Checksum, Kind: s.Kind, Protocol: p.Name, Seed: seed}
	parts.Folds, parts.Run = p.FoldsOf(s)
	if p.Splits != nil {
		parts.Splits = p.Splits.Sum()
	}
	for class := range s.NumClasses() {
		parts.Classes = append(parts.Classes, s.ClassName(class))
	}
	for _, b := range s.Bags {
		parts.Bags = append(parts.Bags, Bag{b.ID, b.Group, b.Target})
	}
	for _, fit := range fits {
		if fit.Repeat == len(parts.Tested) {
			parts.Tested = append(parts.Tested, slices.Repeat([]int{cv.Untested}, len(s.Bags)))
		}
		for _, i := range fit.Test {
			parts.Tested[fit.Repeat][i] = fit.Fold
		}
	}
	return parts, parts.check(s.Name)
}

// shared lists the columns in every file of parts, apart from the target.
var shared = []string{"bag", "group", "repeat", "fold", "set", "checksum", "target", "protocol", "folds", "folds_run", "seed"}

// targetColumns lists the columns for each kind of target.
var targetColumns = map[mil.TargetKind][]string{
	mil.BinaryTarget:   {"label", "class"},
	mil.ClassTarget:    {"label", "class"},
	mil.RealTarget:     {"label"},
	mil.SurvivalTarget: {"time", "event"},
}

// target returns the target columns of a bag.
func (p *Parts) target(b Bag) []string {
	value := strconv.FormatFloat(b.Value, 'g', -1, 64)
	switch p.Kind {
	case mil.RealTarget:
		return []string{value}
	case mil.SurvivalTarget:
		event := "0"
		if b.Event {
			event = "1"
		}
		return []string{value, event}
	}
	return []string{p.Classes[b.Label], strconv.Itoa(b.Label)}
}

// readTarget parses the columns written by target, and learns the names of classes.
func (p *Parts) readTarget(l line) (t mil.Target, err error) {
	switch p.Kind {
	case mil.RealTarget:
		t.Value, err = l.number("label")
		return t, err
	case mil.SurvivalTarget:
		event := 0
		if t.Value, err = l.number("time"); err == nil && t.Value < 0 {
			err = fmt.Errorf("time %v; times are 0 or more", t.Value)
		}
		if err == nil {
			event, err = l.integer("event", 0, 1)
		}
		t.Event = event == 1
		return t, err
	}
	most := maxClasses - 1
	if p.Kind == mil.BinaryTarget {
		most = 1
	}
	if t.Label, err = l.integer("class", 0, most); err != nil {
		return t, err
	}
	label := l.text("label")
	if label == "" {
		return t, errors.New("no label")
	}
	if more := t.Label + 1 - len(p.Classes); more > 0 {
		p.Classes = append(p.Classes, make([]string, more)...)
	}
	if known := p.Classes[t.Label]; known != "" && known != label {
		return t, fmt.Errorf("label %q, and class %d is %q", label, t.Label, known)
	}
	p.Classes[t.Label] = label
	return t, nil
}

// splitsColumn is a column of given folds alone.
const splitsColumn = "splits"

// Write writes parts as a CSV table; see [Read].
func (p *Parts) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	var given, sum []string
	if p.Splits != "" {
		given, sum = []string{splitsColumn}, []string{p.Splits}
	}
	out.Write(slices.Concat(shared[:1], targetColumns[p.Kind], shared[1:], given))
	for repeat, tested := range p.Tested {
		for i, b := range p.Bags {
			fold := ""
			if tested[i] != cv.Untested {
				fold = strconv.Itoa(tested[i])
			}
			out.Write(slices.Concat([]string{b.ID}, p.target(b), []string{b.Group, strconv.Itoa(repeat), fold,
				p.Set, p.Checksum, p.Kind.String(), p.Protocol, strconv.Itoa(p.Folds), strconv.Itoa(p.Run), strconv.FormatUint(p.Seed, 10)}, sum))
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads a table written by [Parts.Write]. Additional columns are ignored. Errors name the file and the line.
func Read(r io.Reader, name string) (*Parts, error) {
	p := &Parts{}
	number := make(map[string]int) // index of each bag
	seen := []map[string]bool{}    // for each repeat
	begin := func(header line) error { return header.need(shared) }
	err := eachLine(r, name, begin, func(line line) error {
		repeat, err1 := line.integer("repeat", 0, len(p.Tested))
		folds, err2 := line.integer("folds", 1, maxFolds)
		run, err3 := line.integer("folds_run", 1, folds)
		seed, err4 := strconv.ParseUint(line.text("seed"), 10, 64)
		if err := cmp.Or(err1, err2, err3); err != nil {
			return err
		}
		if err4 != nil {
			return fmt.Errorf("seed %q; a whole number is needed", line.text("seed"))
		}
		of := Parts{Set: line.text("set"), Checksum: line.text("checksum"), Protocol: line.text("protocol"), Folds: folds, Run: run, Seed: seed}
		if err := of.Kind.UnmarshalText([]byte(line.text("target"))); err != nil {
			return err
		}
		if line.has(splitsColumn) {
			of.Splits = line.text(splitsColumn)
		}
		switch {
		case len(p.Bags) == 0:
			*p = of
			if err := line.need(targetColumns[p.Kind]); err != nil {
				return err
			}
		case p.Set != of.Set || p.Checksum != of.Checksum || p.Kind != of.Kind || p.Protocol != of.Protocol || p.Folds != of.Folds || p.Run != of.Run || p.Seed != of.Seed || p.Splits != of.Splits:
			return errors.New("set, checksum, target, protocol, folds, folds_run, splits and seed are not those of the lines before; write the file again with milbench folds")
		}
		fold := cv.Untested
		if line.text("fold") != "" {
			var err error
			if fold, err = line.integer("fold", 0, run-1); err != nil {
				return err
			}
		}
		id := line.text("bag")
		target, err := p.readTarget(line)
		if err != nil {
			return fmt.Errorf("bag %s: %w", id, err)
		}
		bag := Bag{id, line.text("group"), target}
		if repeat == len(p.Tested) {
			p.Tested, seen = append(p.Tested, slices.Repeat([]int{cv.Untested}, len(p.Bags))), append(seen, map[string]bool{})
		}
		i, known := number[id]
		switch {
		case seen[repeat][id]:
			return fmt.Errorf("bag %s occurs twice in repeat %d", id, repeat)
		case !known && repeat > 0:
			return fmt.Errorf("bag %s is not in repeat 0", id)
		case !known:
			i = len(p.Bags)
			number[id] = i
			p.Bags, p.Tested[0] = append(p.Bags, bag), append(p.Tested[0], cv.Untested)
		case p.Bags[i] != bag:
			return fmt.Errorf("bag %s has another target or group than before", id)
		}
		seen[repeat][id], p.Tested[repeat][i] = true, fold
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.Bags) == 0 {
		return nil, fmt.Errorf("%s: no bags", name)
	}
	for repeat := range p.Tested {
		if n := len(seen[repeat]); n != len(p.Bags) {
			return nil, fmt.Errorf("%s: repeat %d has %d of %d bags", name, repeat, n, len(p.Bags))
		}
	}
	if err := p.check(name); err != nil {
		return nil, err
	}
	return p, nil
}

// Limits for what a file may claim: folds per repeat, and classes.
const (
	maxFolds   = 1000
	maxClasses = 1000
)

// check returns an error if classes are indistinguishable, or if a cut of our own divides a group.
func (p *Parts) check(name string) error {
	for class, label := range p.Classes {
		switch {
		case label == "":
			return fmt.Errorf("%s: no bag of class %d, and one of class %d", name, class, len(p.Classes)-1)
		case slices.Index(p.Classes, label) < class:
			return fmt.Errorf("%s: classes %d and %d are both called %q", name, slices.Index(p.Classes, label), class, label)
		}
	}
	if p.Splits != "" {
		return nil
	}
	for repeat, tested := range p.Tested {
		groups := map[string]int{}
		for i, fold := range tested {
			b := p.Bags[i]
			if other, known := groups[b.Group]; known && b.Group != "" && other != fold {
				return fmt.Errorf("%s: the bags of group %s are in several parts of repeat %d", name, b.Group, repeat)
			}
			groups[b.Group] = fold
		}
	}
	return nil
}
