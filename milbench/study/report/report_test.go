package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"synpool/milbench"
	"synpool/milbench/study"
)

// drawn is a learner whose scores are drawn at random and shifted, for positive bags, by a shift of the setting; it is told
// the labels by their order in the set.
type drawn struct{ shift func(setting string) float64 }

func (l drawn) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	labels := make(map[int]float64) // of the training bags of all fits
	for _, f := range task.Fits {
		for _, e := range f.Train {
			labels[e.Bag] = float64(e.Label)
		}
	}
	for i, f := range task.Fits {
		scores := func(bags []int, epoch int) (s []milbench.BagScore) {
			for _, b := range bags {
				s = append(s, milbench.BagScore{
					Score:   labels[b]*l.shift(string(f.Setting)) + milbench.Rand(f.Seed, string(f.Setting), epoch, b).NormFloat64(),
					Winners: []int{epoch * b % 3},
				})
			}
			return s
		}
		var epochs []milbench.Epoch
		for epoch := 1; epoch <= 3; epoch++ {
			if epoch == 3 || f.EveryEpoch {
				epochs = append(epochs, milbench.Epoch{Number: epoch, Loss: 1, Validation: scores(f.Validation, epoch), Test: scores(f.Test, epoch)})
			}
		}
		if err := done(milbench.Outcome{Fit: i, Epochs: epochs}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// archive runs the quick form of an experiment on the sets that need no download.
func archive(t *testing.T, e study.Experiment, learner milbench.Learner) study.Archive {
	t.Helper()
	dir := t.TempDir()
	runs, _, err := e.Quick.Runs(dir, learner, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if _, err := r.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	results, err := study.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := study.Archive{Experiment: e.Name, Results: results}
	if curves, err := study.ReadCurves(dir); err == nil {
		if a.Curves, err = study.MeanCurves(curves); err != nil {
			t.Fatal(err)
		}
	}
	if e.Quick.Spaces { // made up: nothing is trained here
		random := milbench.Rand(1, "spaces")
		for _, of := range []string{study.OfInstances, study.OfMeans, study.OfPooled} {
			s := study.Space{Set: results[0].Set, Checksum: results[0].Checksum, Of: of, TrainSilhouette: 0.3, TestSilhouette: 0.2}
			if of == study.OfPooled {
				s.Config = results[0].Config
			}
			for i := range 40 {
				s.Vectors = append(s.Vectors, []float64{random.NormFloat64(), float64(i % 2)})
				s.Labels, s.Test = append(s.Labels, i%2), append(s.Test, i%4 > 1)
			}
			a.Spaces = append(a.Spaces, s)
		}
	}
	return a
}

// TestSections checks that every experiment has a section that can be written from its results, without a gap.
func TestSections(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	learner := drawn{func(string) float64 { return 1 }}
	var archives []study.Archive
	for _, e := range study.Experiments {
		a := archive(t, e, learner)
		archives = append(archives, a)
		text, err := Section(a)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		for _, gap := range []string{"NaN", "Inf", "%!"} {
			if strings.Contains(text, gap) {
				t.Errorf("%s: %q in\n%s", e.Name, gap, text)
			}
		}
		if !strings.Contains(text, ".\n") || !strings.Contains(text, "|:--|") {
			t.Errorf("%s: no table or no sentence in\n%s", e.Name, text)
		}
	}
	for _, a := range archives {
		e, err := study.FindExperiment(a.Experiment)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range e.Figures {
			figure, err := Plot(a, name)
			if name == "ranks" { // of one set
				if err == nil || !strings.Contains(err.Error(), "figure ranks of "+e.Name+": ranks need two sets") {
					t.Errorf("%s of one set: %v", e.Name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			if err := figure.Save(filepath.Join(t.TempDir(), name+".svg")); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
		if _, err := Plot(a, "none"); err == nil || !strings.Contains(err.Error(), `has no figure "none"; use one of `+e.Figures[0]) {
			t.Errorf("%s: %v", e.Name, err)
		}
		if _, err := PlotTable(a.Results); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	var all, again bytes.Buffer
	if err := Write(&all, archives); err != nil {
		t.Fatal(err)
	}
	for _, e := range study.Experiments {
		if !strings.Contains(all.String(), "\n## "+e.Question+"\n") || strings.Contains(all.String(), "Not run yet") {
			t.Errorf("%s is not in the report", e.Name)
		}
	}
	if err := Write(&again, archives); err != nil || again.String() != all.String() {
		t.Errorf("a second report differs (%v)", err)
	}
	if _, err := Section(study.Archive{Experiment: "nose"}); !errors.Is(err, study.ErrUnknownExperiment) {
		t.Errorf("no experiment: %v", err)
	}
	if _, err := Section(study.Archive{Experiment: "noise"}); !errors.Is(err, errIncomplete) {
		t.Errorf("no results: %v", err)
	}
}

func TestNotRunYet(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, nil); err != nil || strings.Count(b.String(), "Not run yet: `milbench study ") != len(study.Experiments) {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// fits returns results of two settings on five sets, ten folds each, whose AUC is what auc says but for chance.
func fits(t *testing.T, configs []string, shift func(set, config string) float64) []study.Result {
	t.Helper()
	var results []study.Result
	for _, set := range []string{"a", "b", "c", "d", "e", "f"} {
		for _, c := range configs {
			for fold := range 10 {
				r := study.Result{Set: set, Checksum: set, Protocol: "honest", Folds: 10, FoldsRun: 10, Fold: fold, Seed: 1, Config: json.RawMessage(c), Epoch: 1}
				for i := range 40 {
					label := i % 2
					score := milbench.Rand(uint64(fold), set, i).NormFloat64() + float64(label)*shift(set, c)
					r.Bags = append(r.Bags, study.ScoredBag{ID: string(rune('A' + i)), Label: label, Score: score})
				}
				var err error
				if r.Fit, err = r.ID(); err != nil {
					t.Fatal(err)
				}
				results = append(results, r)
			}
		}
	}
	return results
}

// TestAgainst finds a planted difference and no other.
func TestAgainst(t *testing.T) {
	configs := []string{
		`{"pooling":"syn","iterations":3,"gamma":0.5,"scale":10,"heads":4,"norm":true,"dropout":0.75}`,
		`{"pooling":"syn","iterations":3,"gamma":1,"scale":10,"heads":4,"norm":true,"dropout":0.75}`,
		`{"pooling":"mean","dropout":0.75}`,
	}
	results := fits(t, configs, func(set, c string) float64 {
		if set == "c" && c == configs[1] {
			return 3
		}
		if c == configs[2] {
			return 1.001
		}
		return 1
	})
	text, err := ablation(study.Archive{Experiment: "ablation", Results: results})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(text, " *") != 2 || !strings.Contains(text, "Differences that hold: I = 3, γ = 1 on c (+0.") { // one cell, one legend
		t.Errorf("the planted difference:\n%s", text)
	}
	if !strings.Contains(text, "No set has all of these settings") { // of I = -3
		t.Errorf("a base that was not run:\n%s", text)
	}
}

// TestRanked tells methods apart that differ on every set, and does not where they take turns.
func TestRanked(t *testing.T) {
	names := []string{"good", "fair", "bad"}
	var apart, turns [][]float64
	for i := range 12 {
		apart = append(apart, []float64{0.9, 0.8, 0.7})
		row := []float64{0.7, 0.7, 0.7}
		row[i%3], row[(i+1)%3] = 0.9, 0.8
		turns = append(turns, row)
	}
	text, err := ranked(names, apart)
	if err != nil || !strings.Contains(text, "good is ahead of bad") || !strings.Contains(text, "good 1.00, fair 2.00, bad 3.00") || !strings.Contains(text, "p < 0.001") {
		t.Errorf("%v: %s", err, text)
	}
	text, err = ranked(names, turns)
	if err != nil || !strings.Contains(text, "do not tell the methods apart") {
		t.Errorf("%v: %s", err, text)
	}
	text, err = ranked(names, apart[:1])
	if err != nil || !strings.Contains(text, "two sets with all of them") {
		t.Errorf("%v: %s", err, text)
	}
}
