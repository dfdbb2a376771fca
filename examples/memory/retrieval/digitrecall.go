package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"synpool/synlayer/memory"
)

// DigitRow is how a memory brought digits back.
type DigitRow struct {
	Digits  string // binary (±1) or grey
	Stored  int    // number of digits
	Cue     string // what was done to those brought back
	Cues    int    // number of them
	Memory  string
	Wrong   float64 // share of the pixels that are off: of the other sign, or by more than a twentieth of the range
	Failed  float64 // share of the digits with such a pixel
	Nearest float64 // share of the ends that are nearest to the right digit
	RMS     float64 // root mean square error of a pixel, whose range is 2
	CueRMS  float64 // that of the cues
	Updates float64 // mean number
	Fixed   float64 // share of the ends that are fixed
}

// DigitConfig says how to spoil digits and bring them back.
//
// Digits are alike. With 24 or 100 of them stored the classical network and power 3 bring none back, whatever the cue. From
// cues whose spoilt part says nothing (flipped or random signs, noise, or a half of 0) power 20 brings all of 24 back and most
// of 100, the exponential and the continuous memory all, and the synergetic network all of 24 and most of 100. A black half
// says that the digit is dark there, and misleads: the exponential memory brings most back, the synergetic network nearly
// all, the continuous memory fewer than half and power 20 fewer than a fifth.
type DigitConfig struct {
	Stored  []int   // numbers of digits stored, each at least 1
	Cues    int     // digits brought back, at most; at least 1
	Flipped float64 // share of the pixels of a binary digit that change sign
	Noise   float64 // standard deviation of the noise of a grey digit
	Beta    float64 // of the continuous memory
	Updates int     // at most; at least 1
	Seed    uint64
}

// DefaultDigits has up to 900 digits, 100 of them brought back, a quarter of the pixels flipped, or noise of half the
// range of a pixel.
func DefaultDigits() DigitConfig {
	return DigitConfig{Stored: []int{10, 100, 300, 900}, Cues: 100, Flipped: 0.25, Noise: 1, Beta: 0.25, Updates: 50, Seed: 1}
}

// check wants at least one number of digits to store, and as many digits.
func (c DigitConfig) check(digits [][]float64) error {
	if len(c.Stored) == 0 || slices.Min(c.Stored) < 1 || c.Cues < 1 || c.Updates < 1 {
		return fmt.Errorf("retrieval: %v digits stored and %d brought back in %d updates; give at least 1 of each", c.Stored, c.Cues, c.Updates)
	}
	if most := slices.Max(c.Stored); most > len(digits) {
		return fmt.Errorf("retrieval: %d digits to store of %d; give as many as the largest number of Stored", most, len(digits))
	}
	return nil
}

// MostIndependent is the number of digits up to which [DigitConfig.Recall] has rows of the synergetic network: more are nearly
// linearly dependent.
const MostIndependent = 300

// spoiling makes a cue of a digit.
type spoiling struct {
	name  string
	spoil func(x []float64, random *rand.Rand) ([]float64, error)
}

// Recall measures how the memories bring digits back from their upper halves, the lower being black or without
// information, and from noise. digits are of [Digits], at least as many as the largest of c.Stored. Above [MostIndependent]
// digits the synergetic network has no rows.
func (c DigitConfig) Recall(digits [][]float64) ([]DigitRow, error) {
	if err := c.check(digits); err != nil {
		return nil, err
	}
	black := spoiling{"lower half black", func(x []float64, _ *rand.Rand) ([]float64, error) { return memory.MaskHalf(x, -1), nil }}
	var table []DigitRow
	for _, n := range c.Stored {
		grey := digits[:n]
		binary := make([][]float64, n)
		for i, x := range grey {
			binary[i] = memory.Signs(x, 0)
		}
		rows, err := c.recall("binary", binary, 0,
			[]memory.Memory{&memory.Hopfield{ZeroDiagonal: true}, &memory.Polynomial{Power: 3}, &memory.Polynomial{Power: 20}, &memory.Exponential{Log: true}},
			[]spoiling{black, {"lower half random", func(x []float64, random *rand.Rand) ([]float64, error) {
				return append(append([]float64{}, x[:len(x)/2]...), memory.RandomSigns(1, len(x)-len(x)/2, random)[0]...), nil
			}}, {fmt.Sprintf("%g flipped", c.Flipped), func(x []float64, random *rand.Rand) ([]float64, error) {
				return memory.Flip(x, c.Flipped, random)
			}}})
		if err != nil {
			return nil, err
		}
		table = append(table, rows...)
		memories := []memory.Memory{&memory.Continuous{Beta: c.Beta}}
		if n <= MostIndependent {
			memories = append(memories, &memory.Synergetic{Gamma: 1})
		}
		rows, err = c.recall("grey", grey, 0.1, memories,
			[]spoiling{black, {"lower half 0", func(x []float64, _ *rand.Rand) ([]float64, error) {
				return memory.MaskHalf(x, 0), nil
			}}, {fmt.Sprintf("noise of %g", c.Noise), func(x []float64, random *rand.Rand) ([]float64, error) {
				return memory.AddNoise(x, c.Noise, random)
			}}})
		if err != nil {
			return nil, err
		}
		table = append(table, rows...)
	}
	return table, nil
}

// recall measures every memory on every cue.
func (c DigitConfig) recall(kind string, patterns [][]float64, off float64, memories []memory.Memory, spoilings []spoiling) ([]DigitRow, error) {
	var table []DigitRow
	for _, m := range memories {
		if err := m.Store(patterns); err != nil {
			return nil, fmt.Errorf("%s, %d digits: %w", name(m), len(patterns), err)
		}
		for _, s := range spoilings {
			random := rand.New(rand.NewPCG(c.Seed, 0))
			cues := make([][]float64, min(len(patterns), c.Cues))
			for i := range cues {
				var err error
				if cues[i], err = s.spoil(patterns[i], random); err != nil {
					return nil, err
				}
			}
			r, err := memory.MeasureRecall(m, patterns, cues, c.Updates, off)
			if err != nil {
				return nil, fmt.Errorf("%s, %d digits, %s: %w", name(m), len(patterns), s.name, err)
			}
			given, err := memory.MeasureRecall(m, patterns, cues, 0, off)
			if err != nil {
				return nil, err
			}
			table = append(table, DigitRow{Digits: kind, Stored: len(patterns), Cue: s.name, Cues: len(cues), Memory: name(m),
				Wrong: r.WrongComponents, Failed: r.FailedPatterns, Nearest: r.Nearest, RMS: r.RMS, CueRMS: given.RMS, Updates: r.Updates, Fixed: r.Fixed})
		}
	}
	return table, nil
}

// name is that of a memory with its setting.
func name(m memory.Memory) string {
	switch m := m.(type) {
	case *memory.Hopfield:
		return "classical"
	case *memory.Polynomial:
		return fmt.Sprintf("polynomial of power %d", m.Power)
	case *memory.Exponential:
		return "exponential"
	case *memory.Continuous:
		return fmt.Sprintf("continuous at beta %g", m.Beta)
	case *memory.Synergetic:
		return fmt.Sprintf("synergetic at gamma %g", m.Gamma)
	}
	return fmt.Sprintf("%T", m)
}
