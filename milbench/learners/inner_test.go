package learners

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// innerTask returns a task of twelve bags with three fits: one trains on six bags with four inner folds from two cuts,
// one has no inner folds, and one repeats the first with another setting.
func innerTask() cv.Task {
	task := cv.Task{Name: "test", Bags: slices.Repeat([]mil.Instances{&mil.Dense{Rows: 1, Cols: 1, Values: []float32{0}}}, 12)}
	fit := cv.Fit{Seed: 100, Setting: json.RawMessage(`{"pooling":"mean"}`), Test: []int{11, 9}, Inner: [][]int{{0, 2, 4}, {1, 3, 5}, {0, 1}, {2, 5}}, Instances: true}
	for b := range 6 {
		fit.Train = append(fit.Train, cv.Example{Bag: b, Target: mil.Labelled(b % 2)})
	}
	plain := fit
	plain.Seed, plain.Inner, plain.Validation = 200, nil, []int{7}
	other := fit
	other.Setting = json.RawMessage(`{"pooling":"max"}`)
	task.Fits = []cv.Fit{fit, plain, other}
	return task
}

// watched passes a task on and records it.
type watched struct {
	*seeded
	task cv.Task
}

func (w *watched) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	w.task = task
	return w.seeded.Learn(ctx, task, done)
}

// TestInner checks that a fit with inner folds is trained once per fold, on the rest of its training part, and once on
// the whole part. The predictions of held-out bags follow fold by fold.
func TestInner(t *testing.T) {
	w := &watched{seeded: &seeded{}}
	task := innerTask()
	outcomes := learn(t, Inner{Of: w}, task)
	if err := w.task.Validate(); err != nil {
		t.Error(err)
	}
	if len(w.task.Fits) != 11 {
		t.Fatalf("%d trainings", len(w.task.Fits))
	}
	seeds := map[string]bool{}
	for i, fit := range w.task.Fits {
		of, part := task.Fits[0], i
		if i == 5 {
			of, part = task.Fits[1], 4
		} else if i > 5 {
			of, part = task.Fits[2], i-6
		}
		seeds[fmt.Sprint(fit.Seed, string(fit.Setting))] = true
		if len(fit.Inner) > 0 || string(fit.Setting) != string(of.Setting) {
			t.Errorf("training %d: %+v", i, fit)
		}
		if part == 4 { // of the whole
			if fit.Seed != of.Seed || !slices.Equal(fit.Train, of.Train) || !slices.Equal(fit.Test, of.Test) || !fit.Instances {
				t.Errorf("training %d: %+v", i, fit)
			}
			continue
		}
		if !slices.Equal(fit.Validation, of.Inner[part]) || len(fit.Test) > 0 || fit.Instances || fit.Seed != cv.SplitSeed(of.Seed, "inner", part) {
			t.Errorf("training %d: %+v", i, fit)
		}
		var left []int
		for _, e := range fit.Train {
			left = append(left, e.Bag)
			if e.Target != mil.Labelled(e.Bag%2) {
				t.Errorf("training %d: %+v", i, e)
			}
		}
		both := slices.Sorted(slices.Values(append(left, fit.Validation...)))
		if !slices.Equal(both, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("training %d learns from %v and holds out %v", i, left, fit.Validation)
		}
	}
	if len(seeds) != 11 {
		t.Errorf("%d different seeds and settings", len(seeds))
	}
	if &w.task.Fits[0].Train[0] != &w.task.Fits[6].Train[0] {
		t.Error("two settings of one fold have a copy each of what they are trained on")
	}

	for i, fit := range task.Fits {
		o := outcomes[i]
		trainings := 1 + len(fit.Inner)
		if o.Err != nil || o.Fit != i || len(o.Epochs) != 2 || o.Wall != time.Duration(trainings)*time.Second {
			t.Fatalf("fit %d: %+v", i, o)
		}
		for _, e := range o.Epochs {
			want := func(seed uint64, bags []int) (scores []float64) {
				for _, b := range bags {
					scores = append(scores, seededScore(seed, string(fit.Setting), e.Number, b))
				}
				return scores
			}
			held := want(fit.Seed, fit.Validation)
			for k, part := range fit.Inner {
				held = append(held, want(cv.SplitSeed(fit.Seed, "inner", k), part)...)
			}
			got := func(list []mil.Prediction) (scores []float64) {
				for _, p := range list {
					scores = append(scores, p.Scores[0])
				}
				return scores
			}
			if !slices.Equal(got(e.Validation), held) || !slices.Equal(got(e.Test), want(fit.Seed, fit.Test)) || e.Loss != float64(fit.Seed%7) {
				t.Errorf("fit %d, epoch %d: %+v", i, e.Number, e)
			}
		}
	}
}

// TestInnerFails checks that a failed training fails its fit, that the error names the training, and that other fits go
// on.
func TestInnerFails(t *testing.T) {
	boom := errors.New("boom")
	for want, bad := range map[string]uint64{
		"inner fold 3: boom":            cv.SplitSeed(100, "inner", 2),
		"the whole training part: boom": 100,
	} {
		l := &seeded{fail: func(f cv.Fit) error {
			if f.Seed == bad && string(f.Setting) == `{"pooling":"mean"}` {
				return boom
			}
			return nil
		}}
		outcomes := learn(t, Inner{Of: l}, innerTask())
		if err := outcomes[0].Err; !errors.Is(err, boom) || err.Error() != want || outcomes[0].Epochs != nil {
			t.Errorf("%+v, want %q", outcomes[0], want)
		}
		if outcomes[1].Err != nil || outcomes[2].Err != nil {
			t.Errorf("its neighbours: %v, %v", outcomes[1].Err, outcomes[2].Err)
		}
	}
	for want, spoil := range map[string]func(*learner.Outcome){
		"inner fold 2: 1 epochs, on the whole 2":                  func(o *learner.Outcome) { o.Epochs = o.Epochs[:1] },
		"inner fold 2: epoch 9 with 3 scores, not epoch 2 with 3": func(o *learner.Outcome) { o.Epochs[1].Number = 9 },
		"inner fold 2: epoch 1 with 2 scores, not epoch 1 with 3": func(o *learner.Outcome) { o.Epochs[0].Validation = o.Epochs[0].Validation[:2] },
		"the learner returned fit 11 of 11":                       func(o *learner.Outcome) { o.Fit = 11 },
		"the learner returned fit -1 of 11":                       func(o *learner.Outcome) { o.Fit = -1 },
		"the learner returned fit 2 twice":                        func(o *learner.Outcome) { o.Fit = 2 },
	} {
		var failed error
		err := Inner{Of: &spoiling{&seeded{}, 1, spoil}}.Learn(t.Context(), innerTask(), func(o learner.Outcome) error {
			if o.Err != nil {
				failed = o.Err
			}
			return nil
		})
		if err = cmp.Or(err, failed); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := (Inner{Of: &seeded{}}).Learn(t.Context(), innerTask(), func(learner.Outcome) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("what done refuses: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Inner{Of: &seeded{}}).Learn(ctx, cv.Task{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("no fits: %v", err)
	}
}

// spoiling changes the outcome of one training.
type spoiling struct {
	*seeded
	fit   int
	spoil func(*learner.Outcome)
}

func (s *spoiling) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	return s.seeded.Learn(ctx, task, func(o learner.Outcome) error {
		if o.Fit == s.fit {
			s.spoil(&o)
		}
		return done(o)
	})
}

// TestInnerPlan checks that a fit appears in the groups of a plan once per training. Without inner folds, nothing
// changes.
func TestInnerPlan(t *testing.T) {
	task := innerTask()
	plan, err := Inner{Of: &seeded{}}.Plan(task)
	if err != nil || plan.Fits != 3 || plan.Groups[0].Blocks != 11 || !slices.Equal(plan.Groups[0].Fits, []int{0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2}) {
		t.Errorf("%+v, %v", plan, err)
	}
	// Ensembles: once a member of a training.
	task.Fits[0].Setting = json.RawMessage(`{"pooling":"mean","members":2}`)
	plan, err = All(&seeded{}, Resources{Workers: 1}).Plan(task)
	if err != nil || plan.Fits != 3 {
		t.Fatalf("%+v, %v", plan, err)
	}
	times := map[int]int{}
	for _, g := range plan.Groups {
		for _, i := range g.Fits {
			times[i]++
		}
	}
	if !maps.Equal(times, map[int]int{0: 10, 1: 1, 2: 5}) {
		t.Errorf("fits stand in groups so often: %v", times)
	}
	if o := learn(t, All(&seeded{}, Resources{Workers: 1}), task); o[0].Err != nil || len(o[0].Epochs[0].Validation) != 10 || len(o[0].Epochs[0].Test[0].Members) != 2 {
		t.Errorf("%+v", o[0])
	}
	refusal := errors.New("too large")
	if _, err := (Inner{Of: refusing{&seeded{}, refusal}}).Plan(task); !errors.Is(err, refusal) {
		t.Errorf("error %v", err)
	}
}

type refusing struct {
	*seeded
	err error
}

func (r refusing) Plan(cv.Task) (learner.Plan, error) { return learner.Plan{}, r.err }

func ExampleInner() {
	task := innerTask()
	task.Fits = task.Fits[:1]
	err := Inner{Of: &seeded{}}.Learn(context.Background(), task, func(o learner.Outcome) error {
		e := o.Epochs[0]
		fmt.Printf("fit %d: %d scores of bags that inner folds held out, %d of test bags, %v\n", o.Fit, len(e.Validation), len(e.Test), o.Wall)
		return nil
	})
	fmt.Println(err)
	// Output:
	// fit 0: 10 scores of bags that inner folds held out, 2 of test bags, 5s
	// <nil>
}
