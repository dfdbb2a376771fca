package paper

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/milbench/cv"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// spaceSet returns 24 bags of three instances with two features. The first feature of the last instance determines the
// label.
func spaceSet() *mil.Set {
	s := runtest.Set("plane", 24)
	for i := range s.Bags {
		b := &s.Bags[i]
		random := cv.Rand(1, "plane", i)
		x := &mil.Dense{Rows: 3, Cols: 2}
		for range 6 {
			x.Values = append(x.Values, float32(random.NormFloat64()))
		}
		x.Values[4] = 6*float32(b.Label) - 3
		b.Instances = x
	}
	return s
}

func spaceRun(t *testing.T, dir string) run.Run {
	t.Helper()
	r := runtest.Run(dir, &runtest.Learner{})
	r.Sets, r.Settings = []*mil.Set{spaceSet()}, nil
	for _, pooling := range []string{"max", "mean"} {
		c, err := neural.DefaultConfig(pooling)
		if err != nil {
			t.Fatal(err)
		}
		c.Width, c.Epochs, c.Dropout, c.LR = 4, 20, 0, 0.05
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		r.Settings = append(r.Settings, text)
	}
	return r
}

// TestKeepSpaces makes the spaces of a set, and checks that training separates the classes further and that no space is
// made twice.
func TestKeepSpaces(t *testing.T) {
	b, err := compute.NewWithConfig("go")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	trainer := neural.Trainer{Backend: b, Workers: 1}
	r := spaceRun(t, t.TempDir())
	trained := 0
	keep := func(r run.Run) error {
		return KeepSpaces(context.Background(), r, trainer, func(set string, setting json.RawMessage) { trained++ })
	}
	if err := keep(r); err != nil {
		t.Fatal(err)
	}
	spaces, err := results.ReadSpaces(r.Dir)
	if err != nil || len(spaces) != 4 || trained != 2 {
		t.Fatalf("%d spaces, %d networks, %v", len(spaces), trained, err)
	}
	for i, want := range []struct {
		of      string
		vectors int
	}{{results.OfInstances, 72}, {results.OfMeans, 24}, {results.OfPooled, 24}, {results.OfPooled, 24}} {
		s := spaces[i]
		held := 0
		for _, test := range s.Test {
			if test {
				held++
			}
		}
		if s.Of != want.of || len(s.Vectors) != want.vectors || held != want.vectors/4 || s.Set != "plane" {
			t.Errorf("space %d: %s of %s, %d vectors, %d held out", i, s.Of, s.Set, len(s.Vectors), held)
		}
	}
	if raw, pooled := spaces[0].TestSilhouette, spaces[2].TestSilhouette; !(pooled > raw+0.2) {
		t.Errorf("silhouette of the test part %.3f after training, %.3f before", pooled, raw)
	}

	// A torn last line is made again, the others are kept.
	path := filepath.Join(r.Dir, results.SpacesName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := keep(r); err != nil || trained != 3 {
		t.Errorf("%d networks, %v", trained, err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(whole) {
		t.Errorf("made again it differs; %v", err)
	}
	if times, err := results.ReadTimes(filepath.Join(r.Dir, results.TimesName)); err != nil || len(times) != 2 || times[0].Spaces != 4 || times[1].Spaces != 1 || times[0].Seconds <= 0 {
		t.Errorf("times %+v, %v", times, err)
	}
	if _, err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	found, err := results.Read(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := (results.Archive{Experiment: "features", Results: found, Spaces: spaces}).Write(&text); err != nil {
		t.Fatal(err)
	}
	back, err := results.ReadArchive(strings.NewReader(text.String()))
	if err != nil || len(back.Spaces) != 4 || fmt.Sprint(back.Spaces[0].Vectors) != fmt.Sprint(spaces[0].Vectors) {
		t.Errorf("%d spaces from the archive, %v", len(back.Spaces), err)
	}

	if err := os.WriteFile(path, []byte("{\"set\":\"plane\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := results.ReadSpaces(r.Dir); err == nil || !strings.Contains(err.Error(), "line 1 is damaged") {
		t.Errorf("%v", err)
	}
	if err := keep(r); err == nil || !strings.Contains(err.Error(), "line 1 is damaged") {
		t.Errorf("%v", err)
	}
	if spaces, err := results.ReadSpaces(t.TempDir()); err != nil || spaces != nil {
		t.Errorf("no file: %d spaces, %v", len(spaces), err)
	}
}

// TestPrincipal checks that all distances are kept if there are as many components as features, and that the first two
// components recover a plane in a space with many features.
func TestPrincipal(t *testing.T) {
	random := cv.Rand(1, "principal")
	var low, high [][]float64
	for range 30 {
		x, y := 3*random.NormFloat64(), random.NormFloat64()
		low = append(low, []float64{x, y, 5})
		v := make([]float64, 40)
		for j := range v {
			v[j] = x*math.Sin(float64(j)) + y*math.Cos(float64(j)) + 7
		}
		high = append(high, v)
	}
	for _, vectors := range [][][]float64{low, high} {
		places, err := principal(vectors, 20)
		if err != nil {
			t.Fatal(err)
		}
		if len(places[0]) != 2 { // further ones have no spread
			t.Fatalf("%d components of a plane", len(places[0]))
		}
		for i := range vectors {
			for k := range i {
				got, want := floats.Distance(places[i], places[k], 2), floats.Distance(vectors[i], vectors[k], 2)
				if math.Abs(got-want) > 1e-2 { // places have four digits
					t.Fatalf("vectors %d and %d: distance %g, want %g", i, k, got, want)
				}
			}
		}
	}
	if places, err := principal([][]float64{{1, 2}, {1, 2}}, 20); err != nil || fmt.Sprint(places) != "[[0] [0]]" {
		t.Errorf("%v, %v", places, err)
	}
}
