package training_test

import (
	"context"
	"io"
	"testing"

	"synpool/backend/backendtest"
	"synpool/examples/memnet/training"
	"synpool/synlayer/sequence"
)

// TestHops: two hops answer what needs two facts, one hop does not, and with Syn steps two still do.
func TestHops(t *testing.T) {
	for _, c := range []struct {
		hops        int
		steps       int
		least, most float64
	}{{1, 0, 0, 0.6}, {2, 0, 0.95, 1.001}, {2, 2, 0.95, 1.001}} {
		s := training.Quick()
		s.Epochs, s.Hops = 8, c.hops
		s.Adjust = sequence.Adjustment{Iterations: c.steps, Gamma: 0.5}
		network, err := s.Train(context.Background(), backendtest.Chosen(t), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		right, onSupport, err := network.Test()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d hops, %d Syn steps: %.3f right, %.2f of the weight on the fact that matters", c.hops, c.steps, right, onSupport)
		if right < c.least || right > c.most {
			t.Errorf("%d hops, %d Syn steps: %.3f right, want between %g and %g", c.hops, c.steps, right, c.least, c.most)
		}
		if look, err := network.Look(); err != nil || len(look.Weights) != c.hops {
			t.Errorf("%v, %v", look, err)
		}
	}
}
