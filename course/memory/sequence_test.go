package memory_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
	"synpool/internal/goldenfile"
)

// recall returns the states of the updates from a cue.
func recall(t testing.TB, update func([]float64) ([]float64, error), cue []float64, updates int) [][]float64 {
	t.Helper()
	states := make([][]float64, updates)
	for i := range states {
		cue = must(update(cue))(t)
		states[i] = cue
	}
	return states
}

// hebbian returns the update of a network without hidden neurons, sgn(Wx) with W = Σ x(t+1) xᵀ(t).
func hebbian(sequence [][]float64) func([]float64) ([]float64, error) {
	return func(state []float64) ([]float64, error) {
		field := make([]float64, len(state))
		for t, x := range sequence[:len(sequence)-1] {
			floats.AddScaled(field, floats.Dot(x, state), sequence[t+1])
		}
		return memory.Signs(field, 0), nil
	}
}

// TestGoldenSequence compares learnt weights with NumPy, which applies the rules to one weight after another. Rates
// are powers of two, so that both are exact.
func TestGoldenSequence(t *testing.T) {
	for i, c := range goldenfile.Read[[]struct {
		Sequence, P, U, V [][]float64
		Margin, Rate      float64
		Epochs            int
	}](t, "golden/sequence.json") {
		s := &memory.Sequence{Hidden: len(c.P), Margin: c.Margin, Rate: c.Rate, Epochs: c.Epochs}
		u, v, err := memory.LearnTargets(s, c.Sequence, c.P)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2][][]float64{"U": {u, c.U}, "V": {v, c.V}} {
			for k, row := range pair[0] {
				floats.Scale(c.Rate, row)
				if !slices.Equal(row, pair[1][k]) {
					t.Fatalf("case %d: row %d of %s is %v, want %v", i, k, name, row, pair[1][k])
				}
			}
		}
		if got := recall(t, s.Update, c.Sequence[0], len(c.Sequence)-1); !slices.EqualFunc(got, c.Sequence[1:], slices.Equal) {
			t.Errorf("case %d: the sequence is not recalled", i)
		}
	}
}

// TestSequenceWithRepeats: random sequences of 30 patterns lead into a cycle at their pattern 10, which so has two
// predecessors. They come back, for two rounds, and in the second round also from a start with a tenth of its signs flipped.
// The Hebb rule, which keeps three patterns, loses all of them.
func TestSequenceWithRepeats(t *testing.T) {
	const draws, length, repeated, d = 10, 30, 10, 60
	noisy, hebb := 0, 0
	for seed := range uint64(draws) {
		random := rand.New(rand.NewPCG(seed, 31))
		sequence := memory.RandomSigns(length, d, random)
		sequence = append(sequence, sequence[repeated])
		s := &memory.Sequence{Hidden: 200, Margin: 1, Rate: 0.001, Epochs: 500}
		if err := s.Learn(sequence, random); err != nil {
			t.Fatal(err)
		}
		want := append(slices.Clone(sequence[1:]), sequence[repeated+1:]...)
		if got := recall(t, s.Update, sequence[0], len(want)); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("seed %d: the sequence is not recalled", seed)
		}
		cue := must(memory.Flip(sequence[0], 0.1, random))(t)
		if got := recall(t, s.Update, cue, len(want)); slices.EqualFunc(got[length:], want[length:], slices.Equal) {
			noisy++
		}
		if got := recall(t, hebbian(sequence), sequence[0], len(want)); slices.EqualFunc(got, want, slices.Equal) {
			hebb++
		}
	}
	few := memory.RandomSigns(3, d, rand.New(rand.NewPCG(1, 31)))
	if got := recall(t, hebbian(few), few[0], 2); !slices.EqualFunc(got, few[1:], slices.Equal) {
		t.Error("the Hebb rule loses three patterns")
	}
	if noisy < draws || hebb > 0 {
		t.Errorf("%d of %d from a noisy start, %d by the Hebb rule", noisy, draws, hebb)
	}
}

// TestSequenceOfParity: hidden neurons learn a cycle that no network without them has. Its second component becomes the
// product of the last two, which is not a linearly separable function.
func TestSequenceOfParity(t *testing.T) {
	sequence := [][]float64{{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}, {1, 1, 1}}
	for seed := range uint64(20) {
		s := &memory.Sequence{Hidden: 100, Margin: 1, Rate: 0.01, Epochs: 500}
		if err := s.Learn(sequence, rand.New(rand.NewPCG(seed, 32))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := recall(t, s.Update, sequence[0], 4); !slices.EqualFunc(got, sequence[1:], slices.Equal) {
			t.Errorf("seed %d: %v", seed, got)
		}
	}
}

// TestSequenceIsDeterministic: the same seed learns the same, another one something else, and a common factor of margin and
// rate changes nothing.
func TestSequenceIsDeterministic(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 1))
	sequence, probes := memory.RandomSigns(12, 20, random), memory.RandomSigns(40, 20, random)
	ends := func(seed uint64, factor float64) (states [][]float64) {
		s := &memory.Sequence{Hidden: 60, Margin: factor, Rate: factor / 64, Epochs: 500}
		if err := s.Learn(sequence, rand.New(rand.NewPCG(seed, 1))); err != nil {
			t.Fatal(err)
		}
		for _, x := range probes {
			states = append(states, must(s.Update(x))(t))
		}
		return states
	}
	first := ends(1, 1)
	if !slices.EqualFunc(first, ends(1, 1), slices.Equal) || !slices.EqualFunc(first, ends(1, 8), slices.Equal) {
		t.Error("the same seed learns something else")
	}
	if slices.EqualFunc(first, ends(2, 1), slices.Equal) {
		t.Error("another seed learns the same")
	}
}

// TestBadSequences: what cannot be learnt, and what was learnt stays.
func TestBadSequences(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 1))
	good := memory.Sequence{Hidden: 20, Margin: 1, Rate: 0.1, Epochs: 100}
	sequence := [][]float64{{1, 1, -1}, {1, -1, 1}, {-1, 1, 1}}
	for _, c := range []struct {
		spoil    func(s *memory.Sequence)
		sequence [][]float64
		want     string
	}{
		{nil, nil, "no patterns"},
		{nil, sequence[:1], "a sequence of 1 pattern"},
		{nil, [][]float64{{1, 1}, {1}}, "pattern 1 has 1 components, not 2"},
		{nil, [][]float64{{1, 1}, {1, 0}}, "component 1 of pattern 1 is 0"},
		{nil, [][]float64{{1, 1}, {1, -1}, {1, 1}, {-1, 1}}, "patterns 0 and 2 are equal, but patterns 1 and 3 after them differ"},
		{func(s *memory.Sequence) { s.Hidden = 0 }, sequence, "0 hidden neurons and 100 epochs"},
		{func(s *memory.Sequence) { s.Epochs = 0 }, sequence, "20 hidden neurons and 0 epochs"},
		{func(s *memory.Sequence) { s.Margin = 0 }, sequence, "margin 0 and learning rate 0.1"},
		{func(s *memory.Sequence) { s.Margin = math.Inf(1) }, sequence, "margin +Inf"},
		{func(s *memory.Sequence) { s.Rate = math.NaN() }, sequence, "learning rate NaN"},
		{func(s *memory.Sequence) { s.Hidden = 1 }, memory.RandomSigns(20, 10, random), "transitions are wrong after 100 epochs; give more hidden neurons or epochs"},
	} {
		s := good
		if err := s.Learn(sequence, random); err != nil {
			t.Fatal(err)
		}
		learnt := s
		if c.spoil != nil {
			c.spoil(&s)
		}
		requireError(t, "learning", s.Learn(c.sequence, random), c.want)
		if !slices.Equal(must(s.Update(sequence[0]))(t), must(learnt.Update(sequence[0]))(t)) {
			t.Errorf("%s: the memory changed", c.want)
		}
		requireErrors(t, failure{failed(s.Update([]float64{1, 1})), "the state has 2 components, not 3"}, failure{failed(s.Update([]float64{1, 0, 1})), "component 1 of the state is 0"})
	}
	requireError(t, "nothing learnt", failed(new(memory.Sequence).Update([]float64{1})), "call Learn first")
}
