package retrieval

import (
	"math/rand/v2"
	"slices"

	"synpool/synlayer/memory"
)

// BetaSweep brings noisy grey digits back, of which as many are stored as the largest of c.Stored says, at inverse
// temperatures between the mean of all digits and a single one. digits are of [Digits], at least as many as are stored.
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
