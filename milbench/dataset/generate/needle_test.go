package generate

import (
	"fmt"
	"math"
	"testing"

	"synpool/milbench/mil"
)

func TestDrawNeedle(t *testing.T) {
	for _, rate := range []float64{0.001, 0.05, 0.125, 0.5, 1} {
		c := DefaultNeedle()
		c.Rate, c.Size, c.Features, c.Seed = rate, 40, 32, 5
		c.Background, c.Witness = Normal{-1, 2}, Normal{2, 0.5}
		s, err := DrawNeedle(c)
		must(t, err)
		want := map[float64]int{0.001: 1, 0.05: 2, 0.125: 5, 0.5: 20, 1: 40}[rate]
		var sums, squares, numbers [2]float64 // of the values, by instance label
		front := 0
		for i, b := range s.Bags {
			if part := map[bool]mil.Split{true: mil.TrainPart, false: mil.TestPart}[i < 200]; b.Split != part || b.Label != 1-i%2 || b.Instances.Len() != 40 {
				t.Fatalf("bag %s of label %d and %d instances in the part %s", b.ID, b.Label, b.Instances.Len(), b.Split)
			}
			witnesses := 0
			for k := range b.Instances.Len() {
				label := int(s.InstanceLabels[i][k])
				witnesses += label
				for _, v := range rowAt(b.Instances, k) {
					sums[label], squares[label], numbers[label] = sums[label]+v, squares[label]+v*v, numbers[label]+1
				}
			}
			if witnesses != want*b.Label {
				t.Fatalf("rate %v: %d witnesses in a bag of label %d, want %d", rate, witnesses, b.Label, want*b.Label)
			}
			front += int(s.InstanceLabels[i][0])
		}
		for label, d := range []Normal{c.Background, c.Witness} {
			n := numbers[label]
			mean := sums[label] / n
			sd := math.Sqrt(squares[label]/n - mean*mean)
			if math.Abs(mean-d.Mean) > 5*d.SD/math.Sqrt(n) || math.Abs(sd-d.SD) > 5*d.SD/math.Sqrt(2*n) {
				t.Errorf("rate %v: instances of label %d have mean %v and deviation %v, want %+v", rate, label, mean, sd, d)
			}
		}
		// The first instance is a witness with probability equal to their share.
		if p := float64(want) / 40; math.Abs(float64(front)-300*p) > 5*math.Sqrt(300*p*(1-p)) {
			t.Errorf("rate %v: %d of 300 positive bags begin with a witness", rate, front)
		}
	}
}

func TestDrawNeedleWithoutSplit(t *testing.T) {
	c := DefaultNeedle()
	c.TrainBags, c.TestBags, c.Size = 11, 0, 3
	s, err := DrawNeedle(c)
	if err != nil || s.HasSplit() || len(s.Bags) != 11 || s.NumPositive() != 6 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestDrawNeedleRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*NeedleConfig){
		"witness rate 0; give more than 0":    func(c *NeedleConfig) { c.Rate = 0 },
		"witness rate 1.1":                    func(c *NeedleConfig) { c.Rate = 1.1 },
		"witness rate NaN":                    func(c *NeedleConfig) { c.Rate = math.NaN() },
		"bags of 0 instances":                 func(c *NeedleConfig) { c.Size = 0 },
		"0 features":                          func(c *NeedleConfig) { c.Features = 0 },
		"200 training and 1 test bags":        func(c *NeedleConfig) { c.TestBags = 1 },
		"200 training and -2 test bags":       func(c *NeedleConfig) { c.TestBags = -2 },
		"mean NaN and standard deviation 1":   func(c *NeedleConfig) { c.Witness.Mean = math.NaN() },
		"standard deviation -1; give":         func(c *NeedleConfig) { c.Background.SD = -1 },
		"standard deviation +Inf":             func(c *NeedleConfig) { c.Background.SD = math.Inf(1) },
		fmt.Sprint("more than ", maxDrawn):    func(c *NeedleConfig) { c.Size = math.MaxInt },
		fmt.Sprint("than ", maxDrawn, " val"): func(c *NeedleConfig) { c.Features = math.MaxInt / 2 },
	} {
		c := DefaultNeedle()
		spoil(&c)
		_, err := DrawNeedle(c)
		requireOneLine(t, err, "needle", want)
	}
}
