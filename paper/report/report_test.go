package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
				s = append(s, one)
			}
			return s
		}
		var epochs []learner.Epoch
		for epoch := 1; epoch <= 3; epoch++ {
			if epoch == 3 || f.EveryEpoch {
				e := learner.Epoch{Number: epoch, Loss: 1, Validation: scores(f.HeldOut(), epoch), Test: scores(f.Test, epoch)}
				for k, w := range ways {
					if f.Winners {
						e.Winners = append(e.Winners, learner.Winners{Part: w.part, Way: w.way, Of: []int{epoch * k % 3, k}})
					}
				}
				epochs = append(epochs, e)
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

// TestSections writes pages and figures of every experiment's quick form, and of what a run leaves that was stopped, without a gap.
func TestSections(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	var archives []results.Archive
	for _, e := range paper.Experiments {
		a := archive(t, e, drawn{func(string) float64 { return 1 }})
		archives = append(archives, a)
		text, err := Section(a)
		holds(t, e.Name, text, err, []string{"`milbench study " + e.Name + " --quick --out results`: " + e.Quick.Scope + ".", "|:--|"}, []string{e.Full.Scope + ".", "there lack", "Not run yet"})
		if e.Name == "poolings" {
			holds(t, e.Name, text, err, []string{"(with 5 folds from 64 % of the bags)"}, nil)
		}
		others := a
		others.Results = slices.Clone(a.Results) // those of one more repeat are of the full form
		others.Results[0].Repeat += 4
		if others.Results[0].Repeat < 5 && e.Name != "published" {
			text, err = Section(others)
			holds(t, e.Name+" in full", text, err, []string{"`milbench study " + e.Name + " --out results`: " + e.Full.Scope + ". ", " Of the full form there lack "}, []string{"--quick"})
		}
		for part := 1; part < 8; part += large.Number(3, 1) {
			torn := a
			torn.Results = without(a.Results, func(r results.Result) bool { return r.Fit[0]%8 < byte(part) })
			if part == 7 {
				torn.Results = a.Results[:len(a.Results)/2]
			}
			f, err := newFiller([]results.Archive{torn})
			if err != nil {
				t.Fatalf("%s, a part: %v", e.Name, err)
			}
			for _, name := range []string{pageName, tablesName} {
				text, err := f.page(name)
				holds(t, e.Name+", a part", text, errors.Join(err, f.rewrite()), nil, nil)
			}
		}
		for _, name := range e.Figures {
			figure, err := Plot(a, name)
			if name == "ranks" { // of one set
				if err == nil || !strings.Contains(err.Error(), "figure ranks of "+e.Name+": ") || !strings.Contains(err.Error(), "ranks need two families of sets") {
					t.Errorf("%s of one set: %v", e.Name, err)
				}
				continue
			}
			path := filepath.Join(t.TempDir(), name+".svg")
			if err == nil {
				err = figure.Save(path)
			}
			if drawn, read := os.ReadFile(path); err != nil || read != nil || e.Name == "assumption" && !strings.Contains(string(drawn), "of one drawing") {
				t.Errorf("%s: no figure, or it does not say what its values are of (%v)", e.Name, err)
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
	for _, s := range sections {
		for _, name := range []string{pageName, tablesName} {
			if text := string(files[name]); !strings.Contains(text, "\n## "+s.title+"\n") || strings.Contains(text, "Not run yet") {
				t.Errorf("%s is not in %s", s.experiment, name)
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
	if _, err := Plot(results.Archive{Experiment: "nose"}, "auc"); !errors.Is(err, paper.ErrUnknownExperiment) {
		t.Errorf("no experiment: %v", err)
	}
	if _, err := Section(results.Archive{Experiment: "nose"}); !errors.Is(err, paper.ErrUnknownExperiment) {
		t.Errorf("no experiment: %v", err)
	}
	if text, err := Section(results.Archive{Experiment: "noise"}); err != nil || !strings.Contains(text, notEnough) {
		t.Errorf("no results: %s, %v", text, err)
	}
}

// TestRewrite: a sentence that a full archive does not bear out stands nowhere, and is an error that says what to rewrite; the files are
// written. Of an archive with fewer fits it is none.
func TestRewrite(t *testing.T) {
	var sets []string
	for set := range 3 {
		for draw := range 10 {
			sets = append(sets, fmt.Sprintf("raffholt%d-draw-%d", set+1, draw+1))
		}
	}
	settings := []string{`{"pooling":"instance","c":1}`}
	for width := range 10 {
		settings = append(settings, fmt.Sprintf(`{"pooling":"pool%d"}`, width))
	}
	a := results.Archive{Experiment: "assumption", Results: planted(t, "honest", 1, 1, sets, settings, func(r results.Result) float64 { return 0.8 + 0.01*chance(r) })}
	const says = "The AUC of every pooling is under 0.5 on at least one test."
	dir := t.TempDir()
	err := WriteFiles(dir, []results.Archive{a})
	want := "RESULTS.md.tmpl, section assumption: the paragraph “" + says + " The classifier of instances stays above it on all.” says none, the results now say pool0, pool1, pool2, pool3, pool4, pool5, pool6, pool7, pool8 and pool9: rewrite it"
	if !errors.Is(err, ErrRewrite) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, name := range []string{pageName, tablesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(text), "\n"+says) || name == pageName && !strings.Contains(string(text), leftOut+says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, pageName)); err != nil || !strings.Contains(string(text), "| assumption | 330 | 1 | go |") {
		t.Errorf("the origin of the scores is not on the page (%v)", err)
	}
	a.Results = a.Results[1:]
	if err := WriteFiles(dir, []results.Archive{a}); err != nil {
		t.Errorf("fewer fits: %v", err)
	}
}

// TestMade names all seeds and revisions that an archive has results of.
func TestMade(t *testing.T) {
	fits := planted(t, "honest", 1, 1, []string{"raffholt1"}, []string{`{"pooling":"max"}`}, func(results.Result) float64 { return 0.7 })
	other := fits[0]
	fits[0].Revision, other.Seed, other.Revision = "abcdefgh", 0, "0123456789"
	f := filler{archives: openAll([]results.Archive{{Experiment: "assumption", Results: append(fits, other)}})}
	if m := f.made()[0]; m.Seeds != "0, 1" || m.Backends != "go" || m.Revisions != "0123456, abcdefg" {
		t.Errorf("%+v", m)
	}
}

// TestOrigin: a page says whose γ and layer norm Syn has.
func TestOrigin(t *testing.T) {
	for setting, want := range map[string]string{
		`{"pooling":"syn","gamma":0.5,"norm":true,"width":64}`:  "Syn has " + releasedSetting + ".",
		`{"pooling":"syn","gamma":0.5,"norm":false,"width":64}`: "Syn has γ = 0.5 without layer norm.",
		`{"pooling":"syn","gamma":1,"norm":false,"width":64}`:   "Syn has " + paperSetting + ".",
		`{"pooling":"syn","gamma":1,"norm":true,"width":256}`:   "Syn has γ = 1 with layer norm.",
		`{"pooling":"max","width":64}`:                          "",
	} {
		a := results.Archive{Experiment: "noise", Results: []results.Result{{Set: "musk1", Config: []byte(setting)}}}
		if got := origin(a); got != want {
			t.Errorf("%s: %q, want %q", setting, got, want)
		}
		f := filler{archives: openAll([]results.Archive{a})}
		if got := f.paperSettings(); got != map[bool]string{true: "noise", false: "none"}[strings.Contains(want, paperSetting)] {
			t.Errorf("%s: the setting of the paper is in %s", setting, got)
		}
	}
}

// TestStaleFits: scores of wide networks are older than the change of XLA, and those of narrow ones are not.
func TestStaleFits(t *testing.T) {
	for width, want := range map[int]int{64: 0, 256: 1} {
		config := fmt.Appendf(nil, `{"pooling":"max","width":%d}`, width)
		a := results.Archive{Results: []results.Result{{Set: "musk1", Config: config, Version: "v0.0.0-20261123000000-23763e0f0f0f"}}}
		if older := Stale(a); len(older) != want {
			t.Errorf("width %d: %q", width, older)
		}
	}
}

func TestNotRunYet(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTables(&b, nil); err != nil || strings.Count(b.String(), "Not run yet: `milbench study ") != len(paper.Experiments) {
		t.Errorf("%v:\n%s", err, b.String())
	}
}
