package generate

import (
	"fmt"
	"math"

	"synpool/milbench"
)

// NeedleConfig says how to draw bags with a known witness rate.
type NeedleConfig struct {
	Rate       float64 // the witness rate: the share of positive instances in a positive bag, in (0, 1]
	TrainBags  int     // bags of the training part, every other one positive; at least 2
	TestBags   int     // of the test part, at least 2; 0 for a set without an official split
	Size       int     // instances of a bag, at least 1
	Features   int     // at least 1
	Background Normal  // of the features of a negative instance
	Witness    Normal  // of those of a positive one
	Seed       uint64
}

// DefaultNeedle returns 5 witnesses N(0.75,1) among 95 background instances N(0,1), of 16 features, in each positive bag,
// 200 training and 400 test bags, and seed 1.
func DefaultNeedle() NeedleConfig {
	return NeedleConfig{
		Rate: 0.05, TrainBags: 200, TestBags: 400, Size: 100, Features: 16,
		Background: Normal{0, 1}, Witness: Normal{0.75, 1}, Seed: 1,
	}
}

// Witnesses returns the number of positive instances of a positive bag: Rate times Size, rounded to the nearest integer,
// halves up, and at least 1.
func (c NeedleConfig) Witnesses() int {
	return min(max(1, int(math.Round(c.Rate*float64(c.Size)))), c.Size)
}

// DrawNeedle draws bags in which the witness rate (Carbonneau et al. 2018) is known: a negative bag has background
// instances alone, a positive bag so many witnesses among them as [NeedleConfig.Witnesses] says. Instance labels tell
// them apart. Instances stand in random order. The seed fixes everything, to the bit, each bag from a stream of its own.
func DrawNeedle(c NeedleConfig) (*milbench.Set, error) {
	if !(c.Rate > 0 && c.Rate <= 1) {
		return nil, fmt.Errorf("needle: witness rate %v; give more than 0 and at most 1", c.Rate)
	}
	if c.Size < 1 {
		return nil, fmt.Errorf("needle: bags of %d instances; give at least 1", c.Size)
	}
	for _, d := range []Normal{c.Background, c.Witness} {
		if err := d.validate(); err != nil {
			return nil, fmt.Errorf("needle: %w", err)
		}
	}
	return drawSplit("needle", c.TrainBags, c.TestBags, c.Features, c.Size, c.Seed, func(_ milbench.Split, positive bool, _ *normals) []drawn {
		witnesses := 0
		if positive {
			witnesses = c.Witnesses()
		}
		instances := make([]drawn, c.Size)
		for i := range instances {
			instances[i] = drawn{c.Background, 0}
			if i < witnesses {
				instances[i] = drawn{c.Witness, 1}
			}
		}
		return instances
	})
}
