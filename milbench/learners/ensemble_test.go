package learners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/classic"
	"synpool/milbench/mil"
)

// seeded is a learner whose scores are functions of seed, setting, epoch and bag. It returns the outcome of the last
// fit first.
type seeded struct {
	settings []string
	fail     func(cv.Fit) error
}

func seededScore(seed uint64, setting string, epoch, bag int) float64 {
	return cv.Rand(seed, setting, epoch, bag).NormFloat64()
}

func (l *seeded) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	for i := len(task.Fits) - 1; i >= 0; i-- {
		fit := task.Fits[i]
		l.settings = append(l.settings, string(fit.Setting))
		o := learner.Outcome{Fit: i, Wall: time.Second}
		if l.fail != nil {
			o.Err = l.fail(fit)
		}
		scores := func(bags []int, epoch int) (s []mil.Prediction) {
			for _, b := range bags {
				s = append(s, mil.Prediction{Scores: []float64{seededScore(fit.Seed, string(fit.Setting), epoch, b)}, Winners: []int{b}})
			}
			return s
		}
		for epoch := 1; epoch <= 2 && o.Err == nil; epoch++ {
			o.Epochs = append(o.Epochs, learner.Epoch{Number: epoch, Loss: float64(fit.Seed % 7), Validation: scores(fit.Validation, epoch), Test: scores(fit.Test, epoch)})
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *seeded) Takes() learner.Takes {
	return learner.Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
}

// Plan returns one group of all fits, with one block per fit.
func (l *seeded) Plan(task cv.Task) (learner.Plan, error) {
	g := learner.Group{Members: 1, Blocks: len(task.Fits), Block: 1, Memory: 5}
	for i := range task.Fits {
		g.Fits = append(g.Fits, i)
	}
	return learner.Plan{Fits: len(task.Fits), Blocks: len(task.Fits), Members: 1, Workers: 1, Memory: 5, Groups: []learner.Group{g}}, nil
}

func learn(t *testing.T, l learner.Learner, task cv.Task) []learner.Outcome {
	t.Helper()
	outcomes := make([]learner.Outcome, len(task.Fits))
	seen := make([]bool, len(task.Fits))
	if err := l.Learn(context.Background(), task, func(o learner.Outcome) error {
		if seen[o.Fit] {
			t.Errorf("fit %d was handed over twice", o.Fit)
		}
		outcomes[o.Fit], seen[o.Fit] = o, true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(seen, false) {
		t.Fatalf("handed over: %v", seen)
	}
	return outcomes
}

func ensembleTask(settings ...string) cv.Task {
	task := cv.Task{Name: "test", Bags: slices.Repeat([]mil.Instances{&mil.Dense{Rows: 1, Cols: 1, Values: []float32{0}}}, 6)}
	for i, s := range settings {
		task.Fits = append(task.Fits, cv.Fit{Seed: uint64(100 + i), Setting: json.RawMessage(s), Validation: []int{0, 1}, Test: []int{2, 5, 3}})
	}
	return task
}

func TestEnsemble(t *testing.T) {
	l := &seeded{}
	outcomes := learn(t, ensemble{l}, ensembleTask(`{"pooling":"mean"}`, `{"pooling":"mean","members":3}`, `{"pooling":"mean","members":1}`, `{"note":"\"members\""}`))
	for _, s := range l.settings {
		if strings.Contains(s, `members":`) {
			t.Errorf("the learner was handed %s", s)
		}
	}
	for i, n := range []int{1, 3, 1, 1} {
		setting := `{"pooling":"mean"}`
		if i == 3 {
			setting = `{"note":"\"members\""}`
		}
		o := outcomes[i]
		if o.Err != nil || o.Fit != i || len(o.Epochs) != 2 || o.Wall != time.Duration(n)*time.Second {
			t.Fatalf("fit %d: %+v", i, o)
		}
		for _, e := range o.Epochs {
			loss := 0.0
			for m := range n {
				seed := uint64(100 + i)
				if m > 0 {
					seed = cv.SplitSeed(seed, "member", m)
				}
				loss += float64(seed%7) / float64(n)
			}
			if math.Abs(e.Loss-loss) > 1e-12 {
				t.Errorf("fit %d: loss %g, want %g", i, e.Loss, loss)
			}
			for part, bags := range map[string][]int{"validation": {0, 1}, "test": {2, 5, 3}} {
				scores := e.Test
				if part == "validation" {
					scores = e.Validation
				}
				for k, b := range bags {
					want := 0.0
					if ensemble := i == 1 || i == 2; (len(scores[k].Members) == n) != (ensemble && part == "test") {
						t.Errorf("fit %d, %s: scores of %d members", i, part, len(scores[k].Members))
					}
					for m := range n {
						seed := uint64(100 + i)
						if m > 0 {
							seed = cv.SplitSeed(seed, "member", m)
						}
						own := seededScore(seed, setting, e.Number, b)
						want += own / float64(n)
						if scores[k].Members != nil && scores[k].Members[m][0] != own {
							t.Errorf("fit %d, member %d: score %g, want %g", i, m, scores[k].Members[m][0], own)
						}
					}
					if math.Abs(scores[k].Scores[0]-want) > 1e-12 {
						t.Errorf("fit %d, epoch %d, %s bag %d: %g, want %g", i, e.Number, part, b, scores[k].Scores[0], want)
					}
					if single := i == 0 || i == 3; (scores[k].Winners != nil) != single {
						t.Errorf("fit %d: winners %v", i, scores[k].Winners)
					}
				}
			}
		}
	}
}

// TestEnsembleSurvival checks that an ensemble's curve is the mean of the members' curves, and that there is none if
// their times differ.
func TestEnsembleSurvival(t *testing.T) {
	outcome := func(times, alive []float64) learner.Outcome {
		p := mil.Prediction{Scores: []float64{1}, Survival: &mil.Survival{Times: times, Alive: alive}}
		return learner.Outcome{Epochs: []learner.Epoch{{Number: 1, Test: []mil.Prediction{p}}}}
	}
	first := outcome([]float64{2, 3}, []float64{1, 0.5})
	joined := join([]learner.Outcome{first, outcome([]float64{2, 3}, []float64{0.5, 0})})
	if joined.Err != nil || !slices.Equal(joined.Epochs[0].Test[0].Survival.Alive, []float64{0.75, 0.25}) {
		t.Errorf("%+v", joined)
	}
	if joined := join([]learner.Outcome{first, outcome([]float64{2, 4}, []float64{0.5, 0})}); joined.Err == nil {
		t.Error("no error of other times")
	}
}

func TestEnsembleFails(t *testing.T) {
	boom := errors.New("boom")
	second := cv.SplitSeed(100, "member", 1)
	l := &seeded{fail: func(f cv.Fit) error {
		if f.Seed == second {
			return boom
		}
		return nil
	}}
	outcomes := learn(t, ensemble{l}, ensembleTask(`{"members":3}`, `{"members":2}`, `{"members":0}`, `{"members":"two"}`, `{"members":1001}`, `["members"`))
	if err := outcomes[0].Err; !errors.Is(err, boom) || !strings.Contains(err.Error(), "member 2: ") {
		t.Errorf("an ensemble with a failed member: %v", err)
	}
	if err := outcomes[1].Err; err != nil {
		t.Errorf("its neighbour: %v", err)
	}
	for i, want := range map[int]string{2: "members 0: an integer from 1 to 1000", 3: `members "two"`, 4: "members 1001", 5: "no JSON object"} {
		if err := outcomes[i].Err; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("fit %d: error %v, want one with %q", i, err, want)
		}
	}
	if len(l.settings) != 5 {
		t.Errorf("%d members were learnt, want 5", len(l.settings))
	}
	if err := (ensemble{l}).Learn(context.Background(), ensembleTask(`{"members":2}`), func(learner.Outcome) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("what done refuses: %v", err)
	}
}

func ExampleMembers() {
	n, of, err := Members([]byte(`{"pooling":"mean","members":10}`))
	fmt.Println(n, string(of), err)
	// Output: 10 {"pooling":"mean"} <nil>
}

func TestEnsemblePlan(t *testing.T) {
	plan, err := ensemble{&seeded{}}.Plan(ensembleTask(`{"pooling":"mean"}`, `{"pooling":"mean","members":3}`))
	if err != nil || plan.Fits != 2 || !slices.Equal(plan.Groups[0].Fits, []int{0, 1, 1, 1}) || plan.Groups[0].Blocks != 4 {
		t.Errorf("%+v, %v", plan, err)
	}
	// A fit whose setting is wrong is in no group, and Learn says why.
	plan, err = ensemble{&seeded{}}.Plan(ensembleTask(`{"members":0}`, `{"pooling":"mean"}`))
	if err != nil || plan.Fits != 2 || !slices.Equal(plan.Groups[0].Fits, []int{1}) {
		t.Errorf("%+v, %v", plan, err)
	}
}

// TestAll checks that networks, the instance classifier and ensembles of both reach their learner under the numbers of
// their fits.
func TestAll(t *testing.T) {
	set := &mil.Set{Name: "ten"}
	for i := range 10 {
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i % 2)}}})
	}
	instance := must(classic.InstanceEntry().Setting(&classic.Instance{Loss: classic.Hinge, C: 1, Weighted: true}))
	joined := append(instance[:len(instance)-1:len(instance)-1], `,"members":2}`...)
	var fits []cv.Fit
	for i, s := range []string{`{"pooling":"mean"}`, string(instance), `{"pooling":"mean","members":3}`, string(joined)} {
		fit := cv.Fit{Seed: uint64(i), Setting: json.RawMessage(s), Test: []int{8, 9}}
		for b := range 8 {
			fit.Train = append(fit.Train, cv.Example{Bag: b, Target: set.Bags[b].Target})
		}
		fits = append(fits, fit)
	}
	networks := &seeded{}
	all := All(networks, Resources{Workers: 2})
	task := cv.NewTask(set, fits)
	plan, err := all.Plan(task)
	if err != nil || plan.Fits != 4 {
		t.Fatalf("%+v, %v", plan, err)
	}
	networksOf := map[int]int{}
	for _, g := range plan.Groups {
		for _, i := range g.Fits {
			networksOf[i]++
		}
	}
	if !maps.Equal(networksOf, map[int]int{0: 1, 1: 1, 2: 3, 3: 2}) || plan.Blocks != 7 || plan.Time <= 0 {
		t.Errorf("planned %v, %+v", networksOf, plan)
	}
	outcomes := learn(t, all, task)
	for i, members := range []int{0, 0, 3, 2} {
		o := outcomes[i]
		if o.Err != nil || len(o.Epochs) == 0 || len(o.Epochs[0].Test) != 2 || len(o.Epochs[0].Test[0].Members) != members {
			t.Errorf("fit %d: %+v", i, o)
		}
	}
	if len(networks.settings) != 4 {
		t.Errorf("%d networks were learnt", len(networks.settings))
	}
	for _, i := range []int{1, 3} { // which tells the classes apart
		if s := outcomes[i].Epochs[0].Test; !(s[0].Scores[0] < 0 && s[1].Scores[0] > 0) {
			t.Errorf("fit %d: %+v", i, s)
		}
	}
	task.Kind, task.Classes = mil.ClassTarget, 3
	if err := Check(networks, task); err == nil || !strings.Contains(err.Error(), "ten: instance cannot learn targets of kind classes; it learns: binary") {
		t.Errorf("error %v", err)
	}
	task.Fits = []cv.Fit{{Setting: json.RawMessage(`{"learner":"auto","inner":5,"candidates":[{"learner":"statistics-svm"}]}`)}}
	if err := Check(networks, task); err != nil {
		t.Errorf("error %v", err)
	}
	task.Kind, task.Classes = mil.SurvivalTarget, 0
	if err := Check(networks, task); err == nil || err.Error() != "ten: no candidate of auto learns targets of kind survival; take a network: --pooling gated" {
		t.Errorf("error %v", err)
	}
	task.Fits = []cv.Fit{{Setting: json.RawMessage(`{"learner":"auto","inner":5,"candidates":[{"pooling":"mean"}]}`)}}
	if err := Check(noNetworks{}, task); err == nil || err.Error() != "ten: networks cannot be trained here" {
		t.Errorf("error %v", err)
	}
	if takes := all.Takes(); !slices.Equal(takes.Kinds, []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget}) {
		t.Errorf("%+v", takes)
	}
}
