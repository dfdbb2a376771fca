package calibrate

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// meanFirst is a learner whose score of a bag is its first number, and that looks at what it is given.
type meanFirst struct {
	learner.Learner
	look func(cv.Task)
}

func (l meanFirst) Learn(_ context.Context, task cv.Task, done func(learner.Outcome) error) error {
	l.look(task)
	for i, f := range task.Fits {
		var e learner.Epoch
		for _, b := range f.Test {
			e.Test = append(e.Test, mil.Scored(float64(task.Bags[b].(*mil.Dense).Values[0])))
		}
		if err := done(learner.Outcome{Fit: i, Epochs: []learner.Epoch{e}}); err != nil {
			return err
		}
	}
	return nil
}

// Each bag is held out once, with its group, from what its model is trained on; and targets without probabilities are refused.
func TestHeldOut(t *testing.T) {
	set := &mil.Set{Name: "toy"}
	for i := range 90 {
		set.Bags = append(set.Bags, mil.Bag{ID: strconv.Itoa(i), Target: mil.Labelled(i / 3 % 2), Group: strconv.Itoa(i / 3),
			Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i%7 + 2*(i/3%2))}}})
	}
	set.Seal()
	var told [][2]int
	h := HeldOut{Method: Platt, Seed: 5, Progress: func(done, of int) { told = append(told, [2]int{done, of}) }}
	folds, err := h.Folds(set)
	if err != nil || len(folds) != HeldOutFolds {
		t.Fatalf("%v, %v", folds, err)
	}
	for seed, same := range map[uint64]bool{5: true, 6: false} {
		again, err := HeldOut{Method: Platt, Seed: seed}.Folds(set)
		if err != nil || reflect.DeepEqual(again, folds) != same {
			t.Errorf("folds of seed %d, those of 5 again: %v, want %v (%v)", seed, !same, same, err)
		}
	}
	held := make([]int, len(set.Bags))
	look := func(task cv.Task) {
		for _, f := range task.Fits {
			fold := make([]int, len(set.Bags))
			for _, b := range f.Test {
				held[b]++
				fold[b]++
			}
			positive := 0
			for _, e := range f.Train {
				fold[e.Bag]++
				for _, b := range f.Test {
					if g := set.Bags[b].Group; set.Bags[e.Bag].Group == g {
						t.Errorf("group %s is torn", g)
					}
				}
			}
			for i, n := range fold {
				if n != 1 {
					t.Errorf("bag %d stands %d times in fold %d", i, n, f.Fold)
				}
			}
			for _, b := range f.Test {
				positive += set.Bags[b].Label
			}
			if len(f.Test) != 18 || positive != 9 {
				t.Errorf("%d of %d held-out bags are positive", positive, len(f.Test))
			}
		}
	}
	h.Learner = meanFirst{look: look}
	learnt, err := h.Learn(t.Context(), set)
	must(t, err)
	if len(told) != 6 || told[0] != [2]int{0, 5} || told[5] != [2]int{5, 5} {
		t.Errorf("progress %v", told)
	}
	if c := learnt.Calibration; c.Bags != 90 || learnt.Folds != 5 || c.Sigmoids[0].A <= 0 {
		t.Errorf("%+v", c)
	}
	for i, n := range held {
		if n != 1 {
			t.Errorf("bag %d is held out %d times", i, n)
		}
	}
	for _, kind := range []mil.TargetKind{mil.RealTarget, mil.SurvivalTarget} {
		other := *set
		other.Kind = kind
		if _, err := h.Learn(t.Context(), &other); err == nil || err.Error() != "toy: targets of kind "+kind.String()+" have no probabilities" {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// A fold whose fit fails, or is not scored, is named.
func TestHeldOutFails(t *testing.T) {
	set := &mil.Set{Name: "toy"}
	for i := range 4 {
		set.Bags = append(set.Bags, mil.Bag{ID: strconv.Itoa(i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}}})
	}
	set.Seal()
	untold := HeldOut{Method: "plat", Learner: meanFirst{look: func(cv.Task) { t.Error("trained by an unknown method") }}}
	if _, err := untold.Learn(t.Context(), set); err == nil || !strings.Contains(err.Error(), `did you mean "platt"?`) {
		t.Error(err)
	}
	for want, outcome := range map[string]learner.Outcome{
		"toy, fold 2 of 2: no memory":                                   {Err: errors.New("no memory")},
		"toy, fold 2 of 2: the learner did not score the held-out bags": {Epochs: []learner.Epoch{{}}},
	} {
		h := HeldOut{Method: Platt, Learner: failsLast{meanFirst{look: func(cv.Task) {}}, outcome}}
		if _, err := h.Learn(t.Context(), set); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// failsLast is a learner that ends its last fit with an outcome.
type failsLast struct {
	meanFirst
	outcome learner.Outcome
}

func (l failsLast) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	return l.meanFirst.Learn(ctx, task, func(o learner.Outcome) error {
		if last := len(task.Fits) - 1; o.Fit == last {
			o = l.outcome
			o.Fit = last
		}
		return done(o)
	})
}
