package retrieval

import (
	"math/rand/v2"
	"slices"

	"synpool/course/memory"
)

// BetaSweep retrieves noisy grey digits over a range of inverse temperatures, from states that are the mean of all digits to
// single digits. The number of stored digits is the largest of c.Stored; digits, from [Digits], must have at least as many.
func (c DigitConfig) BetaSweep(digits [][]float64) ([]memory.BetaPoint, error) {
	if err := c.check(digits); err != nil {
		return nil, err
	}
	digits = digits[:slices.Max(c.Stored)]
	random := rand.New(rand.NewPCG(c.Seed, 1))
	cues := make([][]float64, min(len(digits), c.Cues))
	for i := range cues {
		var err error
		if cues[i], err = memory.AddNoise(digits[i], c.Noise, random); err != nil {
			return nil, err
		}
	}
	betas := []float64{0, 1e-4, 3e-4, 1e-3, 3e-3, 5e-3, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1}
	return memory.BetaSweep(digits, cues, betas, c.Updates)
}
