package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/results"
	"synpool/milbench/run/runtest"
)

// quickArchive returns the archive of the quick form of an experiment, without spaces.
func quickArchive(t *testing.T, name string) (Experiment, results.Archive) {
	t.Helper()
	e, err := FindExperiment(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runs, _, err := e.Quick.Runs(dir, &runtest.Learner{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if _, err := r.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	found, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e, results.Archive{Experiment: name, Results: found}
}

// TestLacking checks which form results belong to, and what is missing.
func TestLacking(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	e, a := quickArchive(t, "features")
	lacking := func(a results.Archive, form Form) (absent []string, said string) {
		t.Helper()
		absent, lacks, err := Lacking(a, form)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, l := range lacks {
			list = append(list, l.String())
		}
		return absent, strings.Join(list, "; ")
	}
	form, quick, err := FormOf(a)
	if err != nil || !quick || form.Scope != e.Quick.Scope {
		t.Errorf("the quick form is %q, quick %v, %v", form.Scope, quick, err)
	}
	if absent, said := lacking(a, form); len(absent) != 0 || said != fmt.Sprintf("musk1: %d spaces", 2+len(e.Quick.Arms[0].Settings)) {
		t.Errorf("without spaces: absent %v, %q", absent, said)
	}
	for range 2 + len(e.Quick.Arms[0].Settings) {
		a.Spaces = append(a.Spaces, results.Space{Set: "musk1"})
	}
	if absent, said := lacking(a, form); len(absent) != 0 || said != "" {
		t.Errorf("whole: absent %v, %q", absent, said)
	}
	part := a
	part.Results = slices.Clone(a.Results[:len(a.Results)-3])
	if _, said := lacking(part, form); said != fmt.Sprintf("musk1: 3 of %d fits", len(a.Results)) {
		t.Errorf("a part: %q", said)
	}
	part.Spaces = a.Spaces[1:]
	if _, said := lacking(part, form); said != fmt.Sprintf("musk1: 3 of %d fits and 1 spaces", len(a.Results)) {
		t.Errorf("a part, and spaces: %q", said)
	}

	// One more repeat, or another setting, belongs to the full form.
	more := a
	more.Results = slices.Clone(a.Results)
	more.Results[0].Repeat += 4
	full, quick, err := FormOf(more)
	if err != nil || quick || full.Scope != e.Full.Scope {
		t.Errorf("the full form is %q, quick %v, %v", full.Scope, quick, err)
	}
	if absent, said := lacking(more, full); slices.Contains(absent, "musk1") || len(absent) != len(full.Sets())-1 || !strings.HasPrefix(said, "musk1: ") {
		t.Errorf("of the full form: absent %v, %q", absent, said)
	}
	reseeded := a
	reseeded.Results = slices.Clone(a.Results)
	for _, r := range a.Results[:len(a.Results)-2] {
		r.Seed = 2
		reseeded.Results = append(reseeded.Results, r)
	}
	if _, said := lacking(reseeded, form); said != fmt.Sprintf("musk1: 2 of %d fits", 2*len(a.Results)) {
		t.Errorf("two seeds: %q", said)
	}
	if _, _, err := FormOf(results.Archive{Experiment: "nose"}); err == nil || !strings.Contains(err.Error(), `no study "nose"`) {
		t.Errorf("no experiment: %v", err)
	}
}
