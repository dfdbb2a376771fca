package generate

import (
	"fmt"
	"math"

	"synpool/milbench/mil"
)

// NeedleConfig configures [DrawNeedle].
type NeedleConfig struct {
	Rate       float64 // the witness rate: the share of positive instances in a positive bag, in (0, 1]
	TrainBags  int     // bags in the training part, at least 2; every other one is positive
	TestBags   int     // bags in the test part, at least 2; 0 for a set without an official split
	Size       int     // instances per bag, at least 1
	Features   int     // at least 1
	Background Normal  // features of a negative instance
	Witness    Normal  // features of a positive instance
	Seed       uint64
}

// DefaultNeedle returns bags with 100 instances of 16 features. A positive bag has 5 witnesses N(0.75,1) among 95
// background instances N(0,1). There are 200 training and 400 test bags, and the seed is 1.
func DefaultNeedle() NeedleConfig {
	return NeedleConfig{
		Rate: 0.05, TrainBags: 200, TestBags: 400, Size: 100, Features: 16,
		Background: Normal{0, 1}, Witness: Normal{0.75, 1}, Seed: 1,
	}
}

// Witnesses returns the number of positive instances in a positive bag: Rate times Size, rounded to the nearest
// integer (halves up), and at least 1.
func (c NeedleConfig) Witnesses() int {
	return min(max(1, int(math.Round(c.Rate*float64(c.Size)))), c.Size)
}

// DrawNeedle generates bags with a known witness rate (Carbonneau et al. 2018). A negative bag has only background
// instances. In a positive bag, [NeedleConfig.Witnesses] of the instances are witnesses. The instance labels mark
// the witnesses. Instances are in random order. The seed fixes everything, bit-identical on every machine. Each bag
// has a random stream of its own.
func DrawNeedle(c NeedleConfig) (*mil.Set, error) {
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
	return drawSplit("needle", c.TrainBags, c.TestBags, c.Features, c.Size, c.Seed, func(_ mil.Split, positive bool, _ *normals) []drawn {
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
