package milbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// seeded is a learner whose scores are functions of seed, setting, epoch and bag. It hands over the last fit first.
type seeded struct {
	settings []string
	fail     func(Fit) error
}

func seededScore(seed uint64, setting string, epoch, bag int) float64 {
	return Rand(seed, setting, epoch, bag).NormFloat64()
}

func (l *seeded) Learn(ctx context.Context, task Task, done func(Outcome) error) error {
	for i := len(task.Fits) - 1; i >= 0; i-- {
		fit := task.Fits[i]
		l.settings = append(l.settings, string(fit.Setting))
		o := Outcome{Fit: i, Wall: time.Second}
		if l.fail != nil {
			o.Err = l.fail(fit)
		}
		scores := func(bags []int, epoch int) (s []BagScore) {
			for _, b := range bags {
				s = append(s, BagScore{Score: seededScore(fit.Seed, string(fit.Setting), epoch, b), Winners: []int{b}})
			}
			return s
		}
		for epoch := 1; epoch <= 2 && o.Err == nil; epoch++ {
			o.Epochs = append(o.Epochs, Epoch{Number: epoch, Loss: float64(fit.Seed % 7), Validation: scores(fit.Validation, epoch), Test: scores(fit.Test, epoch)})
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func learn(t *testing.T, l Learner, task Task) []Outcome {
	t.Helper()
	outcomes := make([]Outcome, len(task.Fits))
	seen := make([]bool, len(task.Fits))
	if err := l.Learn(context.Background(), task, func(o Outcome) error {
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

func ensembleTask(settings ...string) Task {
	task := Task{Name: "test", Bags: make([]Matrix, 6)}
	for i, s := range settings {
		task.Fits = append(task.Fits, Fit{Seed: uint64(100 + i), Setting: json.RawMessage(s), Validation: []int{0, 1}, Test: []int{2, 5, 3}})
	}
	return task
}

func TestEnsemble(t *testing.T) {
	l := &seeded{}
	outcomes := learn(t, Ensemble{l}, ensembleTask(`{"pooling":"mean"}`, `{"pooling":"mean","members":3}`, `{"pooling":"mean","members":1}`, `{"note":"\"members\""}`))
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
					seed = SplitSeed(seed, "member", m)
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
							seed = SplitSeed(seed, "member", m)
						}
						own := seededScore(seed, setting, e.Number, b)
						want += own / float64(n)
						if scores[k].Members != nil && scores[k].Members[m] != own {
							t.Errorf("fit %d, member %d: score %g, want %g", i, m, scores[k].Members[m], own)
						}
					}
					if math.Abs(scores[k].Score-want) > 1e-12 {
						t.Errorf("fit %d, epoch %d, %s bag %d: %g, want %g", i, e.Number, part, b, scores[k].Score, want)
					}
					if single := i == 0 || i == 3; (scores[k].Winners != nil) != single {
						t.Errorf("fit %d: winners %v", i, scores[k].Winners)
					}
				}
			}
		}
	}
}

func TestEnsembleFails(t *testing.T) {
	boom := errors.New("boom")
	second := SplitSeed(100, "member", 1)
	l := &seeded{fail: func(f Fit) error {
		if f.Seed == second {
			return boom
		}
		return nil
	}}
	outcomes := learn(t, Ensemble{l}, ensembleTask(`{"members":3}`, `{"members":2}`, `{"members":0}`, `{"members":"two"}`, `{"members":1001}`, `["members"`))
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
	if err := (Ensemble{l}).Learn(context.Background(), ensembleTask(`{"members":2}`), func(Outcome) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("what done refuses: %v", err)
	}
}

func ExampleEnsemble() {
	task := ensembleTask(`{"pooling":"syn","members":10}`)
	err := Ensemble{&seeded{}}.Learn(context.Background(), task, func(o Outcome) error {
		fmt.Printf("fit %d: %d epochs, %d test scores, %v\n", o.Fit, len(o.Epochs), len(o.Epochs[0].Test), o.Wall)
		return nil
	})
	fmt.Println(err)
	// Output:
	// fit 0: 2 epochs, 3 test scores, 10s
	// <nil>
}
