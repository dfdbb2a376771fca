package milbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// TestCompare: a comparison without a folder leaves nothing behind, one with a folder trains each fit once, and fits that fail
// leave the others.
func TestCompare(t *testing.T) {
	temporary, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	set, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	svm, err := Setting("statistics-svm", nil)
	if err != nil {
		t.Fatal(err)
	}
	instant := &runtest.Learner{}
	c := Comparison{Sets: []*mil.Set{set}, Settings: []json.RawMessage{svm}, Seed: 1, Learner: instant}
	for range 2 {
		found, err := Compare(t.Context(), c, nil)
		if err != nil || len(found.Results) != 20 || len(found.Table.Rows) != 1 {
			t.Fatalf("%d results, %v", len(found.Results), err)
		}
		c.Dir = dir
	}
	if _, err := Compare(t.Context(), c, nil); err != nil || instant.Trained != 40 {
		t.Errorf("%d fits trained, want 20 twice; %v", instant.Trained, err)
	}
	c.Protocol = cv.Protocol{Name: cv.HonestProtocol, Repeats: 3}
	instant.Spoil = func(o *learner.Outcome) bool { o.Err = errors.New("no luck"); return true }
	found, err := Compare(t.Context(), c, nil)
	if failed := (*FailedError)(nil); !errors.As(err, &failed) || failed.Failed != 10 || failed.Skipped != 20 || !strings.Contains(err.Error(), "no luck") || len(found.Results) != 20 {
		t.Errorf("%d results, error %v", len(found.Results), err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestRuns: the folds are those of the set unless they are given, and portfolios need inner folds.
func TestRuns(t *testing.T) {
	set, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	set.Folds = 4
	for _, c := range []struct {
		protocol                 cv.Protocol
		folds, repeats, settings int
	}{
		{cv.Protocol{}, 4, 2, 10},
		{cv.Protocol{Folds: 3}, 3, 2, 10},
		{cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 5}, 10, 5, 10},
	} {
		runs, err := Comparison{Sets: []*mil.Set{set}, Protocol: c.protocol}.Runs()
		if err != nil {
			t.Fatal(err)
		}
		if p := runs[0].Protocol; p.Folds != c.folds || p.Repeats != c.repeats || len(runs[0].Settings) != c.settings {
			t.Errorf("%+v: %+v with %d settings", c.protocol, p, len(runs[0].Settings))
		}
	}
	inside, err := Comparison{Sets: []*mil.Set{set}, Protocol: cv.Nested()}.Runs()
	if err != nil {
		t.Fatal(err)
	}
	held := cv.Nested()
	held.Inner = 0
	back, err := Comparison{Sets: []*mil.Set{set}, Protocol: held}.Runs()
	if err != nil || len(back[0].Settings) != len(inside[0].Settings)-1 {
		t.Errorf("%d settings without inner folds, %d with them, %v", len(back[0].Settings), len(inside[0].Settings), err)
	}
	if _, err := (Comparison{Sets: []*mil.Set{set}, Protocol: cv.Protocol{Name: cv.HonestProtocol, Folds: 1, Repeats: 1}}).Runs(); err == nil {
		t.Error("one fold is accepted")
	}
}

// TestCompareInstances: for every kind of target, a classical learner and an ensemble of networks have figures of instances, and one
// instance that decides on its bag is found.
func TestCompareInstances(t *testing.T) {
	for _, kind := range []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		set := &mil.Set{Name: "planted", Kind: kind}
		if kind == mil.ClassTarget {
			set.Classes = []string{"a", "b", "c"}
		}
		random := rand.New(rand.NewPCG(2, uint64(kind)))
		for i := range 24 {
			d := &mil.Dense{Rows: 6, Cols: 2}
			for range 12 {
				d.Values = append(d.Values, float32(0.3*random.NormFloat64()))
			}
			amount := float64(i % 3)
			target := mil.Labelled(i % max(2, len(set.Classes)))
			if kind == mil.BinaryTarget || kind == mil.ClassTarget {
				amount = float64(target.Label)
			} else {
				target = mil.Target{Value: 1 + amount + 0.01*float64(i), Event: true}
			}
			labels := make([]float64, 6)
			if amount > 0 {
				labels[2] = 1
				d.Values[4] += float32(3 * amount)
			}
			set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: target, Instances: d})
			set.InstanceLabels = append(set.InstanceLabels, labels)
		}
		if err := set.Seal(); err != nil {
			t.Fatal(err)
		}
		trees, err := Setting("statistics-trees", nil)
		if err != nil {
			t.Fatal(err)
		}
		softmax, err := Setting("softmax", map[string]any{"epochs": 30})
		if err != nil {
			t.Fatal(err)
		}
		two, err := cv.Replace(softmax, map[string]any{"members": 2})
		if err != nil {
			t.Fatal(err)
		}
		settings := []json.RawMessage{two}
		if kind != mil.SurvivalTarget { // trees do not learn it
			settings = []json.RawMessage{trees, two}
		}
		found, err := Compare(t.Context(), Comparison{Sets: []*mil.Set{set}, Settings: settings, Protocol: cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}, Seed: 1}, nil)
		if err != nil || len(found.Table.Rows) != len(settings) {
			t.Fatalf("%v: %d rows, %v", kind, len(found.Table.Rows), err)
		}
		for _, row := range found.Table.Rows {
			l := row.Localised
			if l == nil || row.InstanceAUC == nil || math.Abs(*row.InstanceAUC-l.AUC.Value) > 1e-12 || l.FROC != nil || !(l.AUC.Value > 0.7) {
				t.Errorf("%v: %s has figures of instances %+v", kind, row.Setting, l)
			}
		}
	}
}

// TestFailedCancelled: an error of failed fits says, too, that the context has ended.
func TestFailedCancelled(t *testing.T) {
	err := error(&FailedError{Err: errors.Join(errors.New("musk1: no luck"), context.Canceled)})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q", err)
	}
}

// TestCompareRefuses: what cannot be learnt is refused before anything is trained.
func TestCompareRefuses(t *testing.T) {
	set, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	svm, err := Setting("statistics-svm", nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]Comparison{
		"no sets":                  {},
		"holds the same bags":      {Sets: []*mil.Set{set, set}},
		"c -":                      {Sets: []*mil.Set{set}, Settings: []json.RawMessage{svm, bytes.Replace(svm, []byte(`"c":`), []byte(`"c":-`), 1)}},
		"did you mean \"gated\"":   {Sets: []*mil.Set{set}, Settings: []json.RawMessage{svm, json.RawMessage(`{"pooling":"gatd"}`)}},
		"at least 2 folds":         {Sets: []*mil.Set{set}, Protocol: cv.Protocol{Folds: 1}},
		"only the nested protocol": {Sets: []*mil.Set{set}, Protocol: cv.Protocol{Inner: 3}},
	} {
		done := 0
		c.Dir, c.Progress = t.TempDir(), func(p run.Progress) { done = p.Done }
		if _, err := Compare(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), want) || done > 0 {
			t.Errorf("error %v, want %q in it; %d fits done", err, want, done)
		}
	}
}

// TestPredictFills: a set with missing values is scored alike whether or not it has been filled, and one with other features is
// refused.
func TestPredictFills(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bags.csv")
	text := "bag,label,size,colour\n"
	for i := range 40 {
		size := fmt.Sprint(float64(i%7) + 3*float64(i/2%2))
		if i%9 == 4 {
			size = ""
		}
		text += fmt.Sprintf("b%d,%d,%s,%d.5\n", i/2, i/2%2, size, i*5%11)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := Open(file, Reading{Options: dataset.Options{Median: true}})
	if err != nil {
		t.Fatal(err)
	}
	svm, err := Setting("statistics-svm", nil)
	if err != nil {
		t.Fatal(err)
	}
	model, err := Train(t.Context(), set, Training{Setting: svm, Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := model.Fill(set, file)
	if err != nil {
		t.Fatal(err)
	}
	raw, err1 := model.Predict(t.Context(), set)
	whole, err2 := model.Predict(t.Context(), filled)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for i := range raw.Bags {
		if *raw.Bags[i].Score != *whole.Bags[i].Score {
			t.Errorf("bag %d: %v, filled %v", i, *raw.Bags[i].Score, *whole.Bags[i].Score)
		}
	}
	other := *set
	other.Features = []string{set.Features[1], set.Features[0], set.Features[2]}
	if _, err := model.Predict(t.Context(), &other); err == nil || !strings.Contains(err.Error(), "feature 1 is") {
		t.Errorf("other columns: %v", err)
	}
	if _, err := Open("musk1", Reading{Positive: "1"}); err == nil || !strings.Contains(err.Error(), "--positive is for files") {
		t.Errorf("a named set: %v", err)
	}
	if _, err := Train(t.Context(), set, Training{}, nil); err == nil || !strings.Contains(err.Error(), "no setting") {
		t.Errorf("no setting: %v", err)
	}
	(*Machine)(nil).Close()
}
