package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/paper"
)

// drawn is a learner whose scores are drawn at random and shifted, for positive bags, by a shift of the setting; it is told
// the labels by their order in the set.
type drawn struct{ shift func(setting string) float64 }

func (drawn) Takes() learner.Takes {
	return learner.Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
}

func (drawn) Plan(task cv.Task) (learner.Plan, error) {
	return learner.Plan{Fits: len(task.Fits)}, nil
}

func (l drawn) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	labels := make(map[int]float64) // of the training bags of all fits
	for _, f := range task.Fits {
		for _, e := range f.Train {
			labels[e.Bag] = float64(e.Label)
		}
	}
	for i, f := range task.Fits {
		scores := func(bags []int, epoch int) (s []mil.Prediction) {
			for _, b := range bags {
				score := labels[b]*l.shift(string(f.Setting)) + cv.Rand(f.Seed, string(f.Setting), epoch, b).NormFloat64()
				one := mil.Prediction{Scores: []float64{score}, Winners: []int{epoch * b % 3}}
				if f.Instances {
					for i := range task.Bags[b].Len() {
						one.Instances = append(one.Instances, cv.Rand(f.Seed, "weight", i, b).Float64())
					}
				}
				if strings.Contains(string(f.Setting), "members") {
					for m := range 10 {
						one.Members = append(one.Members, []float64{score + cv.Rand(f.Seed, "member", m, b).NormFloat64()})
					}
				}
				s = append(s, one)
			}
			return s
		}
		var epochs []learner.Epoch
		for epoch := 1; epoch <= 3; epoch++ {
			if epoch == 3 || f.EveryEpoch {
				epochs = append(epochs, learner.Epoch{Number: epoch, Loss: 1, Validation: scores(f.HeldOut(), epoch), Test: scores(f.Test, epoch)})
			}
		}
		if err := done(learner.Outcome{Fit: i, Epochs: epochs}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// archive runs the quick form of an experiment on the sets that need no download.
func archive(t *testing.T, e paper.Experiment, learner learner.Learner) results.Archive {
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
	fits, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := results.Archive{Experiment: e.Name, Results: fits}
	if curves, err := results.ReadCurves(dir); err == nil {
		if a.Curves, err = results.MeanCurves(curves); err != nil {
			t.Fatal(err)
		}
	}
	if e.Quick.Spaces { // made up: nothing is trained here
		random := cv.Rand(1, "spaces")
		spaces := []results.Space{{Of: results.OfInstances}, {Of: results.OfMeans}}
		var settings []string
		for _, r := range fits {
			if !slices.Contains(settings, string(r.Config)) {
				settings = append(settings, string(r.Config))
				spaces = append(spaces, results.Space{Of: results.OfPooled, Config: r.Config})
			}
		}
		for _, s := range spaces {
			s.Set, s.Checksum, s.TrainSilhouette, s.TestSilhouette = fits[0].Set, fits[0].Checksum, 0.3, 0.2
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
	var archives []results.Archive
	for _, e := range paper.Experiments {
		a := archive(t, e, learner)
		archives = append(archives, a)
		text, err := Section(a)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		head, err := ran(a)
		holds(t, e.Name, head, err, []string{"`milbench study " + e.Name + " --quick --out results`: " + e.Quick.Scope + "."}, []string{e.Full.Scope + ".", "there lack"})
		others := a
		others.Results = slices.Clone(a.Results) // those of one more repeat are of the full form
		others.Results[0].Repeat += 4
		if others.Results[0].Repeat < 5 && e.Name != "published" {
			head, err = ran(others)
			holds(t, e.Name+" in full", head, err, []string{"`milbench study " + e.Name + " --out results`: " + e.Full.Scope + ". ", " Of the full form there lack "}, []string{"--quick"})
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
	if text, err := Section(archives[0]); err != nil || !strings.Contains(text, "(with 5 folds from 64 % of the bags)") {
		t.Errorf("the quick form of poolings learns from (%v)\n%s", err, text)
	}
	for _, a := range archives { // what a run leaves that was stopped
		for part := 1; part < 8; part += large.Number(3, 1) {
			torn := a
			torn.Results = slices.DeleteFunc(slices.Clone(a.Results), func(r results.Result) bool { return r.Fit[0]%8 < byte(part) })
			if part == 7 {
				torn.Results = a.Results[:len(a.Results)/2]
			}
			text, err := Section(torn)
			if err != nil && !errors.Is(err, errIncomplete) {
				t.Errorf("%s, a part: %v", a.Experiment, err)
			}
			first, err := page([]results.Archive{torn}, nil)
			if err != nil {
				t.Errorf("%s, the first page of a part: %v", a.Experiment, err)
			}
			for _, gap := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(text+first, gap) {
					t.Errorf("%s, a part: %q in\n%s%s", a.Experiment, gap, first, text)
				}
			}
		}
	}
	for _, a := range archives {
		if a.Experiment != "witness" {
			continue
		}
		if _, err := witnessPlot(a, true); err != nil {
			t.Errorf("AUCs of instances: %v", err)
		}
	}
	for _, a := range archives {
		e, err := paper.FindExperiment(a.Experiment)
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
			path := filepath.Join(t.TempDir(), name+".svg")
			if err := figure.Save(path); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
			if drawn, err := os.ReadFile(path); err != nil || e.Name == "assumption" && !strings.Contains(string(drawn), "of one drawing") {
				t.Errorf("%s: the figure does not say what its values are of (%v)", e.Name, err)
			}
		}
		if _, err := Plot(a, "none"); err == nil || !strings.Contains(err.Error(), `has no figure "none"; use one of `+e.Figures[0]) {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	files, err := Files(archives)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range paper.Experiments {
		for _, name := range []string{pageName, tablesName} {
			if text := string(files[name]); !strings.Contains(text, "\n## "+titleOf(e.Name)+"\n") || strings.Contains(text, "Not run yet") {
				t.Errorf("%s is not in %s", e.Name, name)
			}
		}
	}
	if files[pictureName("published")] == nil || files[pictureName("poolings")] != nil { // ranks of one set
		t.Errorf("%d files", len(files))
	}
	dir := t.TempDir()
	if err := WriteFiles(dir, archives); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if written, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(written, data) {
			t.Errorf("%s, written again, differs (%v)", name, err)
		}
	}
	if _, err := Section(results.Archive{Experiment: "nose"}); !errors.Is(err, paper.ErrUnknownExperiment) {
		t.Errorf("no experiment: %v", err)
	}
	if _, err := Section(results.Archive{Experiment: "noise"}); !errors.Is(err, errIncomplete) {
		t.Errorf("no results: %v", err)
	}
}

// TestOrigins names all seeds and revisions that an archive has results of.
func TestOrigins(t *testing.T) {
	fits := planted(t, "honest", 1, 1, []string{"raffholt1"}, []string{`{"pooling":"max"}`}, func(results.Result) float64 { return 0.7 })
	other := fits[0]
	other.Seed, other.Revision = 0, "0123456789"
	text := origins([]results.Archive{{Experiment: "assumption", Results: append(fits, other)}})
	holds(t, "two seeds", text, nil, []string{"| assumption | 2 | 0, 1 | go | " + fits[0].Revision[:min(7, len(fits[0].Revision))] + ", 0123456 |"}, nil)
}

// TestOriginWords: a page says whose γ and layer norm Syn has, and that wide networks of some revisions are in doubt.
func TestOriginWords(t *testing.T) {
	for setting, want := range map[string]string{
		`{"pooling":"syn","gamma":0.5,"norm":true,"width":64}`:  "Syn has " + releasedSetting + ".",
		`{"pooling":"syn","gamma":0.5,"norm":false,"width":64}`: "Syn has γ = 0.5 without layer norm.",
		`{"pooling":"syn","gamma":1,"norm":false,"width":64}`:   "Syn has " + paperSetting + ".",
		`{"pooling":"syn","gamma":1,"norm":true,"width":256}`:   "Syn has γ = 1 with layer norm. These scores are older than a fix",
		`{"pooling":"max","width":64}`:                          "",
	} {
		a := results.Archive{Experiment: "noise", Results: []results.Result{{Config: []byte(setting), Revision: "23763e0f"}}}
		got, err := originWords(a, "")
		if before, _, _ := strings.Cut(got, ": ["); err != nil || before != want {
			t.Errorf("%s: %q, %v; want %q", setting, got, err, want)
		}
		run := map[bool]string{true: "is in noise.", false: "has not been run yet."}[strings.Contains(want, paperSetting)]
		if got, err := whose([]results.Archive{a}); err != nil || !strings.Contains(got, run) {
			t.Errorf("%s: %q, %v; want %q", setting, got, err, run)
		}
	}
}

func TestNotRunYet(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTables(&b, nil); err != nil || strings.Count(b.String(), "Not run yet: `milbench study ") != len(paper.Experiments) {
		t.Errorf("%v:\n%s", err, b.String())
	}
}
