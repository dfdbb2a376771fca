package milbench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// first scores a bag by its first value, or fails.
type first struct {
	err  error
	fits *int
}

func (first) Takes() learner.Takes { return learner.Takes{} }

func (first) Plan(cv.Task) (learner.Plan, error) { return learner.Plan{}, nil }

func (f first) Learn(_ context.Context, task cv.Task, done func(learner.Outcome) error) error {
	for i, fit := range task.Fits {
		*f.fits++
		e := learner.Epoch{Number: 1}
		row := make([]float32, task.Bags[0].Features())
		for _, b := range fit.Test {
			if err := task.Bags[b].Read(0, 1, row); err != nil {
				return err
			}
			e.Test = append(e.Test, mil.Scored(float64(row[0])))
		}
		if err := done(learner.Outcome{Fit: i, Epochs: []learner.Epoch{e}, Err: f.err}); err != nil {
			return err
		}
	}
	return nil
}

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
	fits := 0
	c := Comparison{Sets: []*mil.Set{set}, Settings: []json.RawMessage{svm}, Seed: 1, Learner: first{nil, &fits}}
	for range 2 {
		found, err := Compare(t.Context(), c, nil)
		if err != nil || len(found.Results) != 20 || len(found.Table.Rows) != 1 {
			t.Fatalf("%d results, %v", len(found.Results), err)
		}
		c.Dir = dir
	}
	if _, err := Compare(t.Context(), c, nil); err != nil || fits != 40 {
		t.Errorf("%d fits trained, want 20 twice; %v", fits, err)
	}
	c.Protocol, c.Learner = cv.Protocol{Name: cv.HonestProtocol, Repeats: 3}, first{errors.New("no luck"), &fits}
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
