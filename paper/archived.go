package paper

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/dataset"
	"synpool/milbench/results"
)

// FormOf returns the form that the results of an archive belong to: the quick form if all results fit it, otherwise the
// full form. It also reports whether the form is the quick one.
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

// Lack describes what is missing on one set.
type Lack struct {
	Set      string
	Fits, Of int // missing, and wanted in all
	Spaces   int
}

// String describes the lack: "musk1: 12 of 50 fits".
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

// Lacking compares an archive with a form of its experiment. It returns the sets without any result, such as sets that
// were not fetched, and what is missing on the other sets for the seeds that the archive has. A finished set is not
// listed.
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
