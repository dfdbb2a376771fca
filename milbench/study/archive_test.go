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

// TestArchive reads back what was written: everything but wall times and winners, scores to five digits. The order of the
// results has no effect.
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
		for _, part := range []struct{ got, want []ScoredBag }{{r.Bags, w.Bags}, {r.Validation, w.Validation}} {
			for i := range part.want {
				b := &part.want[i]
				if math.Abs(part.got[i].Score-b.Score) > 5e-5*math.Abs(b.Score) {
					t.Errorf("fit %s: score %g, want %g", r.Fit, part.got[i].Score, b.Score)
				}
				b.Score, b.Winners = part.got[i].Score, nil
			}
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
		{`"format":1`, `"format":2`, "format 2; this version reads format 1"},
		{`"experiment"`, `"experimen"`, "unknown field"},
		{`"config":2`, `"config":3`, "setting 3 of 3"},
		{`"test":[`, `"test":[99,`, "scores of"},
		{`"epoch":4`, `"epoch":0`, "epoch 0"},
		{`"labels":[1`, `"labels":[2`, "label 2"},
		{`"labels":[1,`, `"labels":[`, "labels of 31 bags"},
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
	if err := (Archive{Experiment: "fake"}).Write(&bytes.Buffer{}); err == nil {
		t.Error("an archive of nothing")
	}
	results := archivedRun(t)
	results[1].Bags[0].Label = 1 - results[1].Bags[0].Label
	if err := (Archive{Experiment: "fake", Results: results}).Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "two labels") {
		t.Errorf("a bag with two labels: %v", err)
	}
}
