package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"synpool/course/memory"
)

// DigitRow says how well a memory retrieved digits.
type DigitRow struct {
	Digits  string // binary (±1) or grey
	Stored  int    // number of stored digits
	Cue     string // how the cues were made
	Cues    int    // number of cues
	Memory  string
	Wrong   float64 // share of wrong pixels: with the wrong sign, or off by more than a twentieth of the range
	Failed  float64 // share of the digits with a wrong pixel
	Nearest float64 // share of the final states that are nearest to the right digit
	RMS     float64 // root mean square error per pixel; the range of a pixel is 2
	CueRMS  float64 // RMS of the cues
	Updates float64 // mean number of updates
	Fixed   float64 // share of the final states that are fixed
}

// DigitConfig configures the retrieval of corrupted digits.
//
// Digits are similar to each other. With 24 or 100 stored digits, the classical network and power 3 retrieve none, whatever
// the cue. If the corrupted part of the cue carries no information (flipped or random signs, noise, or a half of 0), power
// 20 and the synergetic network retrieve all of 24 and most of 100, and the exponential and the continuous memory retrieve
// all. A black half is misleading, because it says that the digit is dark there: the exponential memory retrieves most, the
// synergetic network nearly all, the continuous memory fewer than half and power 20 fewer than a fifth.
type DigitConfig struct {
	Stored  []int   // numbers of digits to store, each at least 1
	Cues    int     // maximum number of digits to retrieve; at least 1
	Flipped float64 // share of the pixels of a binary digit that change sign
	Noise   float64 // standard deviation of the noise of a grey digit
	Beta    float64 // inverse temperature of the continuous memory
	Updates int     // maximum number of updates; at least 1
	Seed    uint64
}

// DefaultDigits stores up to 900 digits and retrieves 100 of them, with a quarter of the pixels flipped, or noise of half a
// pixel's range.
func DefaultDigits() DigitConfig {
	return DigitConfig{Stored: []int{10, 100, 300, 900}, Cues: 100, Flipped: 0.25, Noise: 1, Beta: 0.25, Updates: 50, Seed: 1}
}

// check requires at least one number of digits to store, and enough digits.
func (c DigitConfig) check(digits [][]float64) error {
	if len(c.Stored) == 0 || slices.Min(c.Stored) < 1 || c.Cues < 1 || c.Updates < 1 {
		return fmt.Errorf("retrieval: %v digits stored and %d brought back in %d updates; give at least 1 of each", c.Stored, c.Cues, c.Updates)
	}
	if most := slices.Max(c.Stored); most > len(digits) {
		return fmt.Errorf("retrieval: %d digits to store of %d; give as many as the largest number of Stored", most, len(digits))
	}
	return nil
}

// MostIndependent is the maximum number of digits for which [DigitConfig.Recall] has rows of the synergetic network: more
// digits are nearly linearly dependent.
const MostIndependent = 300

// spoiling makes a cue of a digit.
type spoiling struct {
	name  string
	spoil func(x []float64, random *rand.Rand) ([]float64, error)
}

// Recall measures how the memories retrieve digits from their upper halves, with the lower half black or without
// information, and from noise. digits, from [Digits], must have at least as many as the largest of c.Stored. Above
// [MostIndependent] digits there are no rows for the synergetic network.
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

// name returns the name of a memory with its setting.
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
