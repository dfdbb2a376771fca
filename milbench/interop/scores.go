package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// settingOf returns the setting for scores made by another program, under the name given by their author.
func settingOf(name string) (json.RawMessage, error) {
	if strings.TrimSpace(name) != name || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return nil, fmt.Errorf("name %q; give one without spaces around it and control characters", name)
	}
	return json.Marshal(map[string]any{"declared": true, "learner": name})
}

// Results reads a table of scores for the test bags of all folds and returns one result per fold, under the given
// name. The table has the columns bag, repeat, fold and the scores (see the package); other columns are ignored. It
// is an error if a bag is missing, duplicated or in the wrong fold, or if a score is not a finite number.
func (p *Parts) Results(r io.Reader, file, name string) ([]results.Result, error) {
	setting, err := settingOf(name)
	if err != nil {
		return nil, err
	}
	number := make(map[string]int, len(p.Bags))
	for i, b := range p.Bags {
		number[b.ID] = i
	}
	scores := make([][][]float64, len(p.Tested))
	for repeat := range scores {
		scores[repeat] = make([][]float64, len(p.Bags))
	}
	var read func(line) ([]float64, error)
	begin := func(header line) (err error) {
		if err := header.need([]string{"bag", "repeat", "fold"}); err != nil {
			return err
		}
		read, err = p.reader(header)
		return err
	}
	err = eachLine(r, file, begin, func(line line) error {
		id := line.text("bag")
		i, known := number[id]
		if !known {
			return fmt.Errorf("bag %s is not among the %d bags of the parts; these are other folds", id, len(p.Bags))
		}
		repeat, err := line.integer("repeat", 0, len(p.Tested)-1)
		if err != nil {
			return err
		}
		fold, err := line.integer("fold", 0, p.Run-1)
		if err != nil {
			return err
		}
		switch tested := p.Tested[repeat][i]; {
		case tested == cv.Untested:
			return fmt.Errorf("bag %s is tested by no fold of repeat %d; these are other folds", id, repeat)
		case tested != fold:
			return fmt.Errorf("bag %s is tested by fold %d of repeat %d, not by fold %d; these are other folds", id, tested, repeat, fold)
		case scores[repeat][i] != nil:
			return fmt.Errorf("bag %s occurs twice in repeat %d", id, repeat)
		}
		if scores[repeat][i], err = read(line); err != nil {
			return fmt.Errorf("bag %s: %w", id, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []results.Result
	for repeat, tested := range p.Tested {
		folds := make([]results.Result, p.Run)
		for fold := range folds {
			one := results.Result{Set: p.Set, Checksum: p.Checksum, Protocol: p.Protocol, Folds: p.Folds, FoldsRun: p.Run, Splits: p.Splits, Repeat: repeat, Fold: fold,
				Seed: p.Seed, Config: setting, Target: p.Kind, Epoch: 1, Backend: "declared"}
			if p.Kind != mil.BinaryTarget || !slices.Equal(p.Classes, []string{"0", "1"}) {
				one.Classes = p.Classes
			}
			if one.Fit, err = one.ID(); err != nil {
				return nil, err
			}
			folds[fold] = one
		}
		for i, fold := range tested {
			if fold == cv.Untested {
				continue
			}
			if scores[repeat][i] == nil {
				return nil, fmt.Errorf("%s: bag %s has no score in repeat %d, fold %d; score every test bag of every fold", file, p.Bags[i].ID, repeat, fold)
			}
			folds[fold].Bags = append(folds[fold].Bags, results.ScoredBag{ID: p.Bags[i].ID, Target: p.Bags[i].Target, Scores: scores[repeat][i]})
		}
		all = append(all, folds...)
	}
	return all, nil
}

// Add appends results to the file in a folder. Equal existing results stay. If a fit has different scores there, Add
// returns an error and adds nothing.
func Add(folder string, all []results.Result) (added int, err error) {
	for _, r := range all {
		if err := r.Validate(); err != nil {
			return 0, err
		}
	}
	f, err := results.Open(folder)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	there := make(map[string]results.Result)
	for _, r := range f.Results() {
		there[r.Fit] = r
	}
	for _, r := range all {
		if old, known := there[r.Fit]; known && !reflect.DeepEqual(old.Bags, r.Bags) {
			return 0, fmt.Errorf("%s: it has other scores of this name and these folds; take another name or another folder", folder)
		}
	}
	for _, r := range all {
		if _, known := there[r.Fit]; known {
			continue
		}
		if err := f.Append(r); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}
