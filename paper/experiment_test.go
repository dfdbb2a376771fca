package paper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/classic"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run/runtest"
)

// TestExperiments checks that every experiment is complete: its sets, settings and protocols exist, and the quick form
// is smaller than the full one.
func TestExperiments(t *testing.T) {
	if _, err := FindExperiment("x"); !errors.Is(err, ErrUnknownExperiment) || !strings.Contains(err.Error(), "`milbench study list` shows all") {
		t.Errorf("no such experiment: %v", err)
	}
	names := make(map[string]bool)
	for _, e := range Experiments {
		if names[e.Name] || e.Name == "list" || strings.ToLower(e.Name) != e.Name {
			t.Errorf("%q occurs twice or is no name of an experiment", e.Name)
		}
		names[e.Name] = true
		if !strings.HasSuffix(e.Question, "?") || len(e.Figures) == 0 {
			t.Errorf("%s: question %q, figures %v", e.Name, e.Question, e.Figures)
		}
		if e.Quick.Time > 2*time.Minute || e.Quick.Time >= e.Full.Time {
			t.Errorf("%s: quick form of %v, full of %v", e.Name, e.Quick.Time, e.Full.Time)
		}
		for _, f := range []Form{e.Full, e.Quick} {
			if f.Scope == "" || len(f.Arms) == 0 {
				t.Errorf("%s: scope %q, %d arms", e.Name, f.Scope, len(f.Arms))
			}
			for _, a := range f.Arms {
				for _, name := range a.Sets {
					if _, err := dataset.Find(name); err != nil {
						t.Errorf("%s: %v", e.Name, err)
					}
				}
				p := a.Protocol
				p.Folds = max(p.Folds, 4)
				if a.Change.Draw < 0 || a.Change.Draw > 999 {
					t.Errorf("%s: drawing %d", e.Name, a.Change.Draw)
				}
				if err := p.Validate(); err != nil || len(a.Sets) == 0 || len(a.Settings) == 0 {
					t.Errorf("%s: %d sets, %d settings, %v", e.Name, len(a.Sets), len(a.Settings), err)
				}
				for i, s := range a.Settings {
					if err := checkSetting(s); err != nil {
						t.Errorf("%s: %s: %v", e.Name, s, err)
					}
					if slices.ContainsFunc(a.Settings[:i], func(o json.RawMessage) bool { return string(o) == string(s) }) {
						t.Errorf("%s: %s occurs twice", e.Name, s)
					}
				}
			}
		}
	}
}

// checkSetting reports a setting that no learner understands.
func checkSetting(setting json.RawMessage) error {
	values, err := cv.DecodeSetting(setting)
	if err != nil {
		return err
	}
	delete(values, "members")
	rest, err := json.Marshal(values)
	if err != nil {
		return err
	}
	name := learner.Name(rest)
	if name == learners.AutoName && len(learners.Candidates(rest)) == 0 {
		return errors.New("no candidates")
	} else if name == learners.AutoName {
		return nil
	}
	if entry, err := learners.Find(name); err == nil {
		_, err := entry.Parse(rest)
		return err
	}
	var c neural.Config
	if err := json.Unmarshal(rest, &c); err != nil {
		return err
	}
	return c.Validate()
}

// TestRuns runs a form on the sets that were fetched and checks that the others are named.
func TestRuns(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	list := runtest.Settings(`{"pooling":"mean","iterations":1}`, `{"pooling":"mean","iterations":1,"members":2}`)
	form := Form{Arms: []Arm{
		{Sets: []string{"elephant", "musk1"}, Protocol: protocol("honest", 0, 1), Settings: list},
		{Sets: []string{"elephant", "musk1"}, Change: Change{Kind: Shuffled}, Protocol: protocol("best-epoch", 4, 1), Settings: list},
		{Sets: []string{"musk1"}, Change: Change{Kind: Leaked}, Protocol: protocol("published", 4, 1), Settings: list},
		{Sets: []string{"musk1"}, Change: Change{Kind: "gaussian", Level: 10}, Protocol: protocol("nested", 4, 1), Settings: list, Curves: true},
		{Sets: []string{"musk1"}, Change: Change{Kind: "gaussian-power", Level: 10}, Protocol: protocol("honest", 4, 1), Settings: list},
	}}
	if got := form.Sets(); !slices.Equal(got, []string{"elephant", "musk1"}) {
		t.Errorf("sets %v", got)
	}
	dir := t.TempDir()
	fake := &runtest.Learner{}
	runs, missing, err := form.Runs(dir, learners.All(fake, learners.Resources{Workers: 2}), 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) != 1 || missing[0].Set != "elephant" || !errors.Is(missing[0].Err, dataset.ErrNotFetched) {
		t.Errorf("missing: %v", missing)
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.Sets[0].Name)
		if r.Seed != 5 || r.Dir != dir {
			t.Errorf("seed %d in %s", r.Seed, r.Dir)
		}
		if _, err := r.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if want := "[musk1 musk1-shuffled-4001 musk1+leak musk1+gaussian(10dB) musk1+gaussian-power(10dB)]"; fmt.Sprint(names) != want {
		t.Errorf("sets %v, want %s", names, want)
	}
	found, err := results.Read(dir)
	if err != nil || len(found) != 2*(10+4+1+4+4) {
		t.Errorf("%d results, %v", len(found), err)
	}
	if fake.Trained != 3*23 { // one network and two members
		t.Errorf("%d networks were trained", fake.Trained)
	}
	for _, r := range found {
		if members := strings.Contains(string(r.Config), "members"); (len(r.MemberAUC) == 2) != members {
			t.Errorf("%s: AUCs of members %v", r.Config, r.MemberAUC)
		}
		if r.Leaked != strings.HasSuffix(r.Set, "+leak") || r.Optimistic != (r.Protocol == "published" || r.Protocol == "best-epoch") {
			t.Errorf("%s, %s: leaked %v, optimistic %v", r.Set, r.Protocol, r.Leaked, r.Optimistic)
		}
	}
	if _, _, err := (Form{Arms: []Arm{{Sets: []string{"elephant"}, Protocol: short, Settings: list}}}).Runs(dir, fake, 1); !errors.Is(err, dataset.ErrNotFetched) {
		t.Errorf("no set is there: %v", err)
	}
	if _, _, err := (Form{Arms: []Arm{{Sets: []string{"musk1"}, Change: Change{Kind: "some"}, Protocol: short, Settings: list}}}).Runs(dir, fake, 1); err == nil || !strings.Contains(err.Error(), `noise "some"`) {
		t.Errorf("noise of no kind: %v", err)
	}
}

// TestDrawSeeds checks that seed 1 has the draws from 1 on and shares none with another seed.
func TestDrawSeeds(t *testing.T) {
	seen := make(map[uint64]bool)
	for _, study := range []uint64{0, 1, 2, 3, 11, 1000, 1001, 1 << 40, math.MaxUint64} {
		for draw := range 10 {
			seed := Change{Kind: Redrawn, Draw: draw}.drawSeed(study)
			if seen[seed] || study == 1 && seed != uint64(1+draw) {
				t.Errorf("drawing %d of seed %d has seed %d", draw, study, seed)
			}
			seen[seed] = true
		}
	}
}

// TestLearner checks that the learner of all settings learns those of experiments, of networks and of the instance
// classifier.
func TestLearner(t *testing.T) {
	fake := &runtest.Learner{}
	r := runtest.Run(t.TempDir(), learners.All(fake, learners.Resources{Workers: 2}))
	r.Sets, r.Settings = []*mil.Set{runtest.Set("both", 40)}, slices.Concat(runtest.Settings(`{"pooling":"mean"}`), instanceSettings[:2])
	sum, err := r.Do(context.Background())
	if err != nil || sum.Done != 3*8 || fake.Trained != 8 {
		t.Errorf("%+v, %v, %d fits of the network", sum, err, fake.Trained)
	}
	found, err := results.Read(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	table, err := results.Tabulate(found)
	if err != nil {
		t.Fatal(err)
	}
	classifiers := 0
	for _, row := range table.Rows {
		if !strings.HasPrefix(row.Setting, classic.InstanceEntry().Name) {
			continue
		}
		if classifiers++; row.Mean != 1 { // its instances are separable
			t.Errorf("%s: AUC %g", row.Setting, row.Mean)
		}
	}
	if classifiers != 2 {
		t.Errorf("%d rows of the instance classifier", classifiers)
	}
}

// TestOnly checks that a form restricted to some sets keeps their arms unchanged.
func TestOnly(t *testing.T) {
	e, err := FindExperiment("poolings")
	if err != nil {
		t.Fatal(err)
	}
	some, err := e.Full.Only("web1", "fox")
	if err != nil || !slices.Equal(some.Sets(), []string{"fox", "web1"}) {
		t.Errorf("sets %s, %v", some.Sets(), err)
	}
	all, err := e.Full.Only(e.Full.Sets()...)
	if err != nil || !reflect.DeepEqual(all, e.Full) {
		t.Errorf("on all its sets a form is another (%v)", err)
	}
	for _, a := range e.Full.Arms { // the form itself is unchanged
		if len(a.Sets) == 0 {
			t.Error("an arm has lost its sets")
		}
	}
	if _, err := e.Full.Only(); err == nil || !strings.Contains(err.Error(), "no sets; those of this study are elephant, ") {
		t.Errorf("on no sets: %v", err)
	}
	if _, err := e.Full.Only("fox", "musk3"); err == nil || !strings.Contains(err.Error(), `"musk3" is no set of this study; its sets are `) {
		t.Errorf("an unknown set: %v", err)
	}
}
