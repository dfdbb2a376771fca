package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// attempt returns what a calculation gives, or what it fails with.
func attempt[T any](of func() T) (v T, err error) {
	defer caught(&err)
	return of(), nil
}

// planted makes up results whose AUC is what auc says, to a 400th, under a protocol of so many folds (Web: one) and repeats.
func planted(t *testing.T, protocol string, folds, repeats int, sets, configs []string, auc func(r results.Result) float64) []results.Result {
	t.Helper()
	var fits []results.Result
	for _, set := range sets {
		cut, run := folds, folds
		if isWeb(set) {
			cut, run = 1, 1
		}
		if protocol == cv.PublishedProtocol {
			run = 1
		}
		for _, c := range configs {
			for repeat := range repeats {
				for k := range run {
					r := results.Result{Set: set, Checksum: "of " + set, Protocol: protocol, Folds: cut, FoldsRun: run, Repeat: repeat, Fold: k, Seed: 1,
						Config: json.RawMessage(c), Epoch: 1, Backend: "go", Version: "1"}
					above := int(math.Round(400 * min(1, max(0, auc(r))))) // pairs in which the positive bag scores higher
					for i := range 20 {
						n := above / 20
						if i < above%20 {
							n++
						}
						r.Bags = append(r.Bags, results.ScoredBag{ID: fmt.Sprint("n", i), Scores: []float64{float64(i)}}, results.ScoredBag{ID: fmt.Sprint("p", i), Target: mil.Labelled(1), Scores: []float64{float64(n) - 0.5}})
					}
					if protocol == cv.NestedProtocol {
						r.Validation = r.Bags
					}
					var err error
					if r.Fit, err = r.ID(); err != nil {
						t.Fatal(err)
					}
					fits = append(fits, r)
				}
			}
		}
	}
	return fits
}

// chance is a normal number of a fold and setting.
func chance(r results.Result) float64 {
	return cv.Rand(r.Seed, r.Set+r.Protocol+string(r.Config), r.Repeat, r.Fold).NormFloat64()
}

// syn is a setting of Syn.
func syn(i int, more string) string {
	return fmt.Sprintf(`{"pooling":"syn","iterations":%d,"gamma":0.5,"scale":10,"heads":4,"norm":true,"dropout":0.75%s}`, i, more)
}

func iOf(t *testing.T, r results.Result) float64 {
	t.Helper()
	return float64(configOf(r).steps())
}

func TestFigures(t *testing.T) {
	fits := planted(t, "honest", 3, 2, []string{"a", "b", "web1"}, []string{syn(-3, ""), syn(0, ""), syn(3, "")}, func(r results.Result) float64 {
		return 0.5 + 0.01*float64(r.Fold) + 0.1*float64(r.Repeat) + 0.05*iOf(t, r)
	})
	slices.Reverse(fits) // the order says nothing
	f := newFigures(fits, config.steps)
	if !slices.Equal(f.sets, []string{"a", "b", "web1"}) || !slices.Equal(f.settings, []int{-3, 0, 3}) || len(f.notes) > 0 {
		t.Fatalf("%v, %v, %v", f.sets, f.settings, f.notes)
	}
	if got := f.folds["a"][0]; !slices.Equal(got, []float64{0.5, 0.51, 0.52, 0.6, 0.61, 0.62}) {
		t.Errorf("folds %v", got)
	}
	if f.mean("a", 3) != 0.71 {
		t.Errorf("mean %v", f.mean("a", 3))
	}

	f = newFigures(without(fits, func(r results.Result) bool {
		return r.Set == "a" && (iOf(t, r) == 3 && r.Repeat == 0 && r.Fold == 1 || iOf(t, r) == 0 && r.Repeat == 1 && r.Fold == 2) ||
			r.Set == "b" && (iOf(t, r) == 3 && r.Fold == 1 || iOf(t, r) == 0 && r.Repeat == 0)
	}), config.steps)
	if !slices.Equal(f.sets, []string{"b", "web1"}) || len(f.folds["b"]) != 2 || !slices.Equal(f.folds["b"][-3], []float64{0.45, 0.46, 0.47}) || len(f.folds["b"][0]) != 3 {
		t.Errorf("a partial archive: %v, %v", f.sets, f.folds)
	}
	if text := f.Incomplete(); !strings.Contains(text, "a: 2 of 2 repeats left out") || !strings.Contains(text, "b: 1 of 3 settings left out") || !strings.Contains(text, "b: 1 of 2 repeats left out") {
		t.Errorf("notes: %s", text)
	}

	for name, c := range map[string]struct {
		damage func(*results.Result)
		want   string
	}{
		"protocols": {func(r *results.Result) { r.Protocol = "nested" }, "under honest of 3 folds (0 inner) and under nested of 3 (0 inner); archive one of them alone"},
		"folds":     {func(r *results.Result) { r.Folds = 5 }, "of 3 folds (0 inner) and under honest of 5"},
		"inner":     {func(r *results.Result) { r.Inner = 5 }, "(0 inner) and under honest of 3 (5 inner); archive"},
		"contents":  {func(r *results.Result) { r.Checksum = "other" }, "with checksums of a and other; archive"},
		"settings":  {func(r *results.Result) { r.Config = json.RawMessage(`{"pooling":"mean"}`) }, "has no I"},
		"no JSON":   {func(r *results.Result) { r.Config = json.RawMessage(`{`) }, `setting "{"`},
	} {
		more := slices.Clone(fits)
		i := slices.IndexFunc(more, func(r results.Result) bool { return r.Set == "a" })
		last := len(more) - 1
		if more[last].Set != "a" || i == last {
			t.Fatal("no results of a")
		}
		c.damage(&more[last])
		if _, err := attempt(func() figures[int] { return newFigures(more, config.steps) }); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDrawings puts drawings of one set together, each a repeat.
func TestDrawings(t *testing.T) {
	sets := []string{"needle-0.05-draw-1", "needle-0.05-draw-2", "needle-0.05-draw-10"}
	fits := planted(t, "honest", 1, 1, sets, []string{syn(0, ""), syn(3, "")}, func(r results.Result) float64 {
		_, draw := drawingOf(r.Set)
		return 0.5 + 0.01*float64(draw)
	})
	f := newFigures(fits, config.steps)
	if !slices.Equal(f.sets, []string{"needle-0.05"}) || !slices.Equal(f.folds["needle-0.05"][3], []float64{0.51, 0.52, 0.6}) {
		t.Errorf("%v", f)
	}
	rows := pooledTable(fits)
	if len(rows) != 2 || rows[0].Set != "needle-0.05" || rows[0].N != 3 || rows[0].Low == nil || math.Abs(rows[0].Mean-1.63/3) > 1e-12 {
		t.Errorf("%+v", rows)
	}
	for name, want := range map[string]struct {
		name string
		draw uint64
		base string
	}{
		"web1-shuffled-10": {"web1-shuffled", 10, "web1"}, "needle-0.05": {"needle-0.05", 0, "needle-0.05"}, "web1+leak": {"web1+leak", 0, "web1"},
		"raffholt1-draw-3": {"raffholt1", 3, "raffholt1"}, "musk1": {"musk1", 0, "musk1"}, "my-3": {"my-3", 0, "my-3"},
		"raffholt1-draw-18446744073709550617": {"raffholt1", 1<<64 - 999, "raffholt1"}, // of seed 0
	} {
		set, draw := drawingOf(name)
		base, _ := changed(name)
		if set != want.name || draw != want.draw || base != want.base {
			t.Errorf("%s: %q, %d, %q", name, set, draw, base)
		}
	}
}
