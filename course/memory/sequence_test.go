package memory_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
)

// TestSequence: from a noisy pattern the ones after it come back in order, the last staying or leading to the first; every
// update is the mean of the followers by the weights of the continuous memory.
func TestSequence(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	patterns := units(random, 12, 40)
	continuous := store(t, &memory.Continuous{Beta: 40}, patterns)
	for _, closed := range []bool{false, true} {
		s := &memory.Sequence{Beta: 40, Closed: closed}
		if err := s.Store(patterns); err != nil {
			t.Fatal(err)
		}
		cue := must(memory.AddNoise(patterns[4], 0.05, random))(t)
		states := must(s.Recall(cue, 20))(t)
		if len(states) != 21 {
			t.Fatalf("%d states", len(states))
		}
		for i, state := range states[1:] {
			k := 5 + i
			if closed {
				k %= 12
			} else {
				k = min(k, 11)
			}
			if far := floats.Distance(state, patterns[k], 2); far > 1e-3 {
				t.Errorf("closed %v: state %d is at %g from pattern %d", closed, i+1, far, k)
			}
			want := make([]float64, 40)
			for j, w := range must(continuous.OrderParameters(states[i]))(t) {
				follower := j + 1
				if follower == 12 {
					follower = map[bool]int{true: 0, false: 11}[closed]
				}
				floats.AddScaled(want, w, patterns[follower])
			}
			requireClose(t, "update", state, want, 1e-14)
		}
	}
	_, err := new(memory.Sequence).Update(patterns[0])
	requireError(t, "before Store", err, "call Store first")
	requireError(t, "unequal", new(memory.Sequence).Store([][]float64{{1}, {1, 2}}), "pattern 1 has 2 components")
	s := &memory.Sequence{Beta: 1}
	if err := s.Store(patterns); err != nil {
		t.Fatal(err)
	}
	_, err = s.Recall(patterns[0], -1)
	requireError(t, "updates", err, "negative number of updates")
	_, err = s.Recall([]float64{1}, 2)
	requireError(t, "state", err, "has 1 components, not 40")
	// A course without an update is checked as others are, and is no part of the cue.
	_, err = new(memory.Sequence).Recall(patterns[0], 0)
	requireError(t, "recall before Store", err, "call Store first")
	_, err = s.Recall([]float64{1}, 0)
	requireError(t, "state without an update", err, "has 1 components, not 40")
	cue := slices.Clone(patterns[0])
	states := must(s.Recall(cue, 0))(t)
	if len(states) != 1 || !slices.Equal(states[0], cue) {
		t.Errorf("without an update: %v", states)
	}
	states[0][0]++
	if cue[0] != patterns[0][0] {
		t.Error("the first state is the cue itself")
	}
	s.Closed = true
	_, err = s.Update(patterns[0])
	requireError(t, "another end", err, "call Store again")
	_, err = s.Recall(patterns[0], 0)
	requireError(t, "another end", err, "call Store again")
	s.Closed = false
	s.Beta = -1
	_, err = s.Update(patterns[0])
	requireError(t, "beta", err, "inverse temperature -1")
}

// TestConcurrentUpdates: one memory updates many states at once; the race detector looks on.
func TestConcurrentUpdates(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	signs, reals := memory.RandomSigns(8, 30, random), units(random, 8, 30)
	sequence := &memory.Sequence{Beta: 3}
	if err := sequence.Store(reals); err != nil {
		t.Fatal(err)
	}
	updates := map[string]func([]float64) ([]float64, error){"sequence": sequence.Update}
	for name, m := range each() {
		patterns := reals
		if name == "hopfield" || name == "polynomial" || name == "exponential" {
			patterns = signs
		}
		updates[name] = store(t, m, patterns).Update
	}
	for name, update := range updates {
		want := must(update(signs[3]))(t)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if got, err := update(signs[3]); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %v (%v), want %v", name, got, err, want)
				}
			})
		}
		group.Wait()
	}
}
