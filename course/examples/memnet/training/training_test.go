package training_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"synpool/backend/backendtest"
	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/memnet/training"
	"synpool/course/sequence"
	"synpool/internal/large"
)

// TestHops: two hops answer what needs two facts, one hop does not, and with Syn steps two still do.
func TestHops(t *testing.T) {
	type arm struct {
		hops        int
		steps       int
		least, most float64
	}
	arms := []arm{{2, 2, 0.95, 1.001}}
	if large.Asked() {
		arms = append(arms, arm{1, 0, 0, 0.6}, arm{2, 0, 0.95, 1.001})
	}
	for _, c := range arms {
		s := training.Quick()
		s.Epochs, s.Hops = 8, c.hops
		s.Adjust = sequence.Adjustment{Iterations: c.steps, Gamma: 0.5}
		data := fittest.Must(s.Prepare())
		network := fittest.Must(s.Train(t.Context(), backendtest.Chosen(t), data, io.Discard))
		right, onSupport, err := network.Evaluate(data.Test)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d hops, %d Syn steps: %.3f right of %d, %.2f of the weight on the fact that matters", c.hops, c.steps, right, len(data.Test), onSupport)
		if right < c.least || right > c.most {
			t.Errorf("%d hops, %d Syn steps: %.3f right, want between %g and %g", c.hops, c.steps, right, c.least, c.most)
		}
		for _, r := range fittest.Must(network.Read(data.Test[:3])) {
			if len(r.Weights) != c.hops || len(r.Weights[0]) != len(data.Test[0].Facts) {
				t.Errorf("weights %v", r.Weights)
			}
		}
	}
}

// TestPrepare: no story is for training and test at once, be they of one seed or of neighbours.
func TestPrepare(t *testing.T) {
	text := func(s corpus.Story) string { return strings.Join(append(slices.Clip(s.Facts), s.Question), "\n") }
	s := training.Quick()
	d := fittest.Must(s.Prepare())
	trained := map[string]bool{}
	for _, story := range d.Train {
		trained[text(story)] = true
	}
	for _, story := range d.Test {
		if trained[text(story)] {
			t.Errorf("trained on %q", text(story))
		}
	}
	// Some 5 % of 400.
	if n := len(d.Test); n < 360 || n > 395 {
		t.Errorf("%d stories to test", n)
	}
	for range 3 {
		s.Seed++
		next := fittest.Must(s.Prepare())
		if text(next.Train[0]) == text(d.Test[0]) && text(next.Train[1]) == text(d.Test[1]) {
			t.Errorf("seed %d trains on the test stories of another", s.Seed)
		}
	}
}

func TestRefusals(t *testing.T) {
	s := training.Quick()
	s.Count, s.Epochs = 100, 1
	try := func(s training.Settings) error {
		d, err := s.Prepare()
		if err == nil {
			_, err = s.Train(t.Context(), backendtest.Chosen(t), d, io.Discard)
		}
		return err
	}
	fittest.RequireRefused(t, s, try, map[string]func(*training.Settings){
		"no batch":       func(s *training.Settings) { s.Batch = 0 },
		"no stories":     func(s *training.Settings) { s.Count = 0 },
		"no new stories": func(s *training.Settings) { s.Stories = corpus.Stories{Entities: 2}; s.Count = 2000 },
		"no hops":        func(s *training.Settings) { s.Hops = 0 },
		"no width":       func(s *training.Settings) { s.Width = 0 },
	})
	s = training.Quick()
	s.Count, s.Epochs, s.Batch, s.LinearEpochs = 10, 1, 64, 0
	d := fittest.Must(s.Prepare())
	network, err := s.Train(t.Context(), backendtest.Chosen(t), d, io.Discard)
	if err != nil {
		t.Fatalf("fewer stories than a batch: %v", err)
	}
	if _, _, err := network.Evaluate(nil); err == nil {
		t.Error("no error of no stories")
	}
	// Unknown words and another number of facts have an answer, and weights for each fact.
	r := fittest.Must(network.Read([]corpus.Story{{Facts: []string{"zoe ate"}, Question: "why"}, {Question: "where is the lamp"}}))
	if len(r) != 2 || len(r[0].Weights[0]) != 1 || len(r[1].Weights[0]) != 0 || !slices.Contains(d.Answers, r[1].Answer) {
		t.Errorf("%+v", r)
	}
}
