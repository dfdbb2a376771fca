package study

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/dataset"
	"synpool/milbench/results"
)

// FormOf returns the form of its experiment that the results of an archive are of: the quick one where all of them are, else the
// full one.
func FormOf(a results.Archive) (form Form, quick bool, err error) {
	e, err := FindExperiment(a.Experiment)
	if err != nil {
		return Form{}, false, err
	}
	holds, err := e.Quick.holds()
	if err != nil {
		return Form{}, false, err
	}
	if slices.ContainsFunc(a.Results, func(r results.Result) bool { return !holds(r) }) {
		return e.Full, false, nil
	}
	return e.Quick, true, nil
}

// Lack is what of a form of an experiment is not there on one set.
type Lack struct {
	Set      string
	Fits, Of int // so many fits of so many
	Spaces   int
}

// String says it: "musk1: 12 of 50 fits".
func (l Lack) String() string {
	var parts []string
	if l.Fits > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d fits", l.Fits, l.Of))
	}
	if l.Spaces > 0 {
		parts = append(parts, fmt.Sprintf("%d spaces", l.Spaces))
	}
	return l.Set + ": " + strings.Join(parts, " and ")
}

// Lacking says what of a form of its experiment an archive does not have: the sets without any result, as those that had not
// been fetched, and of the other sets what is missing for the seeds that it has, nothing of a finished one.
func Lacking(a results.Archive, form Form) (absent []string, lacks []Lack, err error) {
	holds, err := form.holds()
	if err != nil {
		return nil, nil, err
	}
	seeds := make(map[uint64]bool)
	for _, r := range a.Results {
		seeds[r.Seed] = true
	}
	for _, set := range form.Sets() {
		fits := make(map[uint64]map[string]bool) // of each seed, by id
		for _, r := range a.Results {
			if !isOf(r.Set, set) {
				continue
			}
			if fits[r.Seed] == nil {
				fits[r.Seed] = make(map[string]bool)
			}
			if holds(r) {
				fits[r.Seed][r.Fit] = true
			}
		}
		if len(fits) == 0 {
			absent = append(absent, set)
			continue
		}
		entry, err := dataset.Find(set)
		if err != nil {
			return nil, nil, err
		}
		want, spaces := 0, 2 // of instances and of means
		for _, arm := range form.Arms {
			if slices.Contains(arm.Sets, set) {
				want += len(arm.Settings) * max(arm.Protocol.Repeats, 1) * arm.foldsRun(entry)
				spaces += len(arm.Settings)
			}
		}
		for _, s := range a.Spaces {
			if isOf(s.Set, set) {
				spaces--
			}
		}
		l := Lack{Set: set, Of: want * len(seeds)}
		l.Fits = l.Of
		for _, done := range fits {
			l.Fits -= min(len(done), want)
		}
		if form.Spaces {
			l.Spaces = max(spaces, 0)
		}
		if l.Fits > 0 || l.Spaces > 0 {
			lacks = append(lacks, l)
		}
	}
	return absent, lacks, nil
}
