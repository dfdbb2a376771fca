package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench"
)

// archivedRun returns the results of a run under two protocols.
func archivedRun(t *testing.T) []Result {
	t.Helper()
	dir := t.TempDir()
	for _, p := range []string{"honest", "nested", "published"} {
		r := fakeRun(dir, &fakeLearner{})
		r.Protocol.Name = p
		if _, err := r.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	results, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// archivedCurves are curves of which every number has at most five digits.
var archivedCurves = []MeanCurve{{Set: "first", Config: json.RawMessage(`{"pooling":"syn"}`), Fits: 2, Loss: []float64{0.71234, 3e-7}, WinnersChanged: []float64{0.5}, Least: 0.25}}

func writeArchive(t *testing.T, results []Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := (Archive{Experiment: "fake", Results: results, Curves: archivedCurves}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestArchive reads back what was written: everything but wall times and winners, scores to five digits, and of a validation
// part its AUC and loss. The order of the results has no effect.
func TestArchive(t *testing.T) {
	results := archivedRun(t)
	text := writeArchive(t, results)
	back, err := ReadArchive(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if back.Experiment != "fake" || len(back.Results) != len(results) {
		t.Fatalf("%s: %d results of %d", back.Experiment, len(back.Results), len(results))
	}
	if !reflect.DeepEqual(back.Curves, archivedCurves) {
		t.Errorf("curves %+v", back.Curves)
	}
	want := make(map[string]Result)
	for _, r := range results {
		r.WallS = 0
		want[r.Fit] = r
	}
	for _, r := range back.Results {
		w := want[r.Fit]
		for i := range w.Bags {
			b := &w.Bags[i]
			if math.Abs(r.Bags[i].Score-b.Score) > 5e-5*math.Abs(b.Score) {
				t.Errorf("fit %s: score %g, want %g", r.Fit, r.Bags[i].Score, b.Score)
			}
			b.Score, b.Winners = r.Bags[i].Score, nil
		}
		if (r.Inside != nil) != (w.Protocol == "nested") {
			t.Errorf("fit %s of protocol %s: inside %v", r.Fit, w.Protocol, r.Inside)
		}
		if r.Inside != nil {
			inside, err := w.ValidationFigures()
			if err != nil || math.Abs(r.Inside.AUC-inside.AUC) > 1e-9 || math.Abs(r.Inside.LogLoss-inside.LogLoss) > 1e-8*inside.LogLoss {
				t.Errorf("fit %s: inside %v, want %v, %v", r.Fit, *r.Inside, inside, err)
			}
			w.Validation, w.Inside = nil, r.Inside
		}
		config, err := milbench.CanonicalSetting(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		w.Config = config
		if !reflect.DeepEqual(r, w) {
			t.Errorf("read back as\n%+v, want\n%+v", r, w)
		}
	}
	if again := writeArchive(t, back.Results); again != text {
		t.Error("an archive of what an archive holds is another")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	shuffled := append(results, results[:5]...) // some twice
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if again := writeArchive(t, shuffled); again != text {
		t.Error("the order of the results shows")
	}
	raw := 0
	for _, r := range results {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		raw += len(line)
	}
	if len(text) > raw/3 {
		t.Errorf("%d bytes of %d: not compact", len(text), raw)
	}
}

func TestReadArchives(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadArchives(os.DirFS(dir)); !errors.Is(err, ErrNoResults) {
		t.Errorf("an empty folder: %v", err)
	}
	text := writeArchive(t, archivedRun(t))
	for name, text := range map[string]string{"b.json": text, "a.json": text, "notes.txt": "none"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	archives, err := ReadArchives(os.DirFS(dir))
	if err != nil || len(archives) != 2 || len(archives[0].Results) != len(archives[1].Results) {
		t.Errorf("%d archives, %v", len(archives), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.json"), []byte(text[:100]), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadArchives(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "c.json: ") {
		t.Errorf("a torn archive: %v", err)
	}
}

func TestReadArchiveRefuses(t *testing.T) {
	text := writeArchive(t, archivedRun(t))
	for _, change := range []struct{ old, new, want string }{
		{`"format":2`, `"format":1`, "format 1; this version reads format 2"},
		{`"experiment"`, `"experimen"`, "unknown field"},
		{`"config":2`, `"config":3`, "setting 3 of 3"},
		{`"test":[`, `"test":[99,`, "scores of"},
		{`"epoch":4`, `"epoch":0`, "epoch 0"},
		{`"labels":[1`, `"labels":[2`, "label 2"},
		{`"labels":[1,`, `"labels":[`, "labels of 31 bags"},
		{`"inside":{"auc":`, `"inside":{"auc":1`, "AUC of the validation part"},
		{`"test":"`, `"test":"!`, "not float32 values in base64"},
		{`"test":"`, `"test":"AAAA`, "not float32 values in base64"},
		{`"log_loss":`, `"log_loss":-`, "loss of the validation part"},
		{`]}`, ``, "cannot be read"},
	} {
		if !strings.Contains(text, change.old) {
			t.Fatalf("no %s in the archive", change.old)
		}
		_, err := ReadArchive(strings.NewReader(strings.Replace(text, change.old, change.new, 1)))
		if err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s for %s: error %v, want %q in it", change.new, change.old, err, change.want)
		}
	}
	at := strings.Index(text, `"test":"`) + len(`"test":"`)
	nan := "AADAfwAAwH8AAMB/" // three of them
	if _, err := ReadArchive(strings.NewReader(text[:at] + nan + text[at+len(nan):])); err == nil || !strings.Contains(err.Error(), "has score NaN; scores are finite") {
		t.Errorf("a score that is no number: %v", err)
	}
	if err := (Archive{Experiment: "fake"}).Write(&bytes.Buffer{}); err == nil {
		t.Error("an archive of nothing")
	}
	results := archivedRun(t)
	results[1].Bags[0].Label = 1 - results[1].Bags[0].Label
	if err := (Archive{Experiment: "fake", Results: results}).Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "two labels") {
		t.Errorf("a bag with two labels: %v", err)
	}
}

// TestArchiveAdd: sets that were finished one after another make the archive that they make together.
func TestArchiveAdd(t *testing.T) {
	results := archivedRun(t)
	third := slices.Clone(results[:2])
	for i := range third {
		r := &third[i]
		r.Set, r.Checksum = "third", "of the third"
		*r = withID(*r)
	}
	curve := archivedCurves[0]
	curve.Set = "third"
	var together bytes.Buffer
	if err := (Archive{Experiment: "fake", Results: slices.Concat(results, third), Curves: append(slices.Clone(archivedCurves), curve)}).Write(&together); err != nil {
		t.Fatal(err)
	}
	want := together.String()
	a := Archive{Experiment: "fake", Results: results, Curves: archivedCurves, Times: []Time{{Fits: 1}}}
	b := Archive{Experiment: "fake", Results: third, Curves: []MeanCurve{curve}, Times: []Time{{Fits: 2}, {Fits: 2}}}
	for _, both := range [][2]Archive{{a, b}, {b, a}} {
		sum, err := both[0].Add(both[1])
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := sum.Write(&text); err != nil || text.String() != want {
			t.Errorf("added, an archive of %d results is another than of both at once (%v)", len(sum.Results), err)
		}
		if len(sum.Times) != 3 {
			t.Errorf("times %+v", sum.Times)
		}
		if again, err := sum.Add(both[1]); err != nil || !slices.Equal(again.Times, sum.Times) {
			t.Errorf("added again, times %+v, %v", again.Times, err)
		}
	}
	again := slices.Clone(results)
	again[0].Bags = slices.Clone(again[0].Bags)
	again[0].Bags[0].Score = 12.5
	sum, err := a.Add(Archive{Experiment: "fake", Results: again})
	if err != nil || len(sum.Results) != len(results) || len(sum.Curves) != 0 || !slices.ContainsFunc(sum.Results, func(r Result) bool { return r.Fit == again[0].Fit && r.Bags[0].Score == 12.5 }) {
		t.Errorf("a set that both hold: %d results, %d curves, %v", len(sum.Results), len(sum.Curves), err)
	}
	if _, err := a.Add(Archive{Experiment: "other"}); err == nil || !strings.Contains(err.Error(), "results of other do not go into an archive of fake") {
		t.Errorf("another experiment: %v", err)
	}
}
