package calibrate

import (
	"fmt"
	"math"

	"synpool/milbench/stats"
)

// DefaultBins is the usual number of bins for an expected calibration error.
const DefaultBins = 10

// Figures measures how well probabilities are calibrated. Smaller is better. With p the probabilities of a bag and y
// its label:
//
//	Brier    mean of (p − y)², 0 to 1; for classes the mean over bags of the sum over classes, 0 to 2
//	LogLoss  mean of −log(probability of the label), in nats; probabilities are first moved into [ε, 1−ε], ε = 2^−52, as
//	         log_loss of scikit-learn does: a wrong bag with probability 0 adds 36
//	ECE      [stats.CalibrationError] with bins of equal width; for classes, of the largest probability and whether it is right (Guo et al., 2017)
//
// ECE is biased. Even for a perfectly calibrated model it is above 0, more so with fewer bags per bin. Chance shows
// by how much: it is the exact mean ECE if labels are drawn from these probabilities. An ECE near Chance is no
// evidence of poor calibration. Do not compare ECE between different bags or different bins.
type Figures struct {
	Bags    int                    `json:"bags"`
	Brier   float64                `json:"brier"`
	LogLoss float64                `json:"log_loss"`
	ECE     float64                `json:"ece"`
	Chance  float64                `json:"ece_of_perfect"` // mean ECE if labels are drawn from the probabilities
	Width   float64                `json:"bin_width"`
	Bins    []stats.CalibrationBin `json:"bins"` // non-empty bins
}

// Judge computes the figures of probabilities, [bags][1] for a binary target, otherwise [bags][classes], with bins of
// equal width. Its errors name the bag.
func Judge(labels []int, probabilities [][]float64, bins int) (f Figures, err error) {
	if len(labels) != len(probabilities) {
		return f, fmt.Errorf("%d labels and probabilities of %d bags", len(labels), len(probabilities))
	}
	right, sure := make([]int, len(labels)), make([]float64, len(labels)) // the quantities to bin
	n := float64(len(labels))
	for i, p := range probabilities {
		y := labels[i]
		if len(p) != len(probabilities[0]) {
			return f, fmt.Errorf("bag %d has %d probabilities, the first has %d", i, len(p), len(probabilities[0]))
		}
		if len(p) == 1 {
			if y != 0 && y != 1 {
				return f, fmt.Errorf("bag %d has label %d; labels are 0 or 1", i, y)
			}
			right[i], sure[i] = y, p[0]
			off := p[0] - float64(y)
			f.Brier += off * off / n
			f.LogLoss += loss(1-math.Abs(off)) / n
			continue
		}
		if y < 0 || y >= len(p) {
			return f, fmt.Errorf("bag %d has label %d; labels are 0 to %d", i, y, len(p)-1)
		}
		largest, sum := 0, 0.0
		for k, q := range p {
			if !(q >= 0) {
				return f, fmt.Errorf("bag %d has probability %v", i, q)
			}
			if q > p[largest] {
				largest = k
			}
			sum += q
			off := q
			if k == y {
				off--
			}
			f.Brier += off * off / n
		}
		if !(math.Abs(sum-1) < 1e-9) {
			return f, fmt.Errorf("the probabilities of bag %d sum to %v, not to 1", i, sum)
		}
		if sure[i] = min(p[largest], 1); largest == y {
			right[i] = 1
		}
		f.LogLoss += loss(p[y]) / n
	}
	if f.Bins, err = stats.EqualWidthBins(right, sure, bins); err != nil {
		return Figures{}, err
	}
	if f.ECE, err = stats.CalibrationError(f.Bins); err != nil {
		return Figures{}, err
	}
	f.Bags, f.Width, f.Chance = len(labels), 1/float64(bins), chance(sure, f.Bins)
	return f, nil
}

// loss returns −log of a probability.
func loss(p float64) float64 {
	const least = 0x1p-52
	return -math.Log(min(max(p, least), 1-least))
}

// chance returns the mean ECE for labels drawn from the probabilities. For each bin this is the mean of |K − sum of
// p|, where the number K of positives has the Poisson binomial distribution.
func chance(probabilities []float64, bins []stats.CalibrationBin) (ece float64) {
	for k, b := range bins {
		var within []float64
		for _, p := range probabilities {
			if (p > b.Low || k == 0) && p <= b.High {
				within = append(within, p)
			}
		}
		sum, at := 0.0, []float64{1} // at[j] is the probability of j positives
		for _, p := range within {
			sum += p
			at = append(at, 0)
			for j := len(at) - 1; j > 0; j-- {
				at[j] = at[j]*(1-p) + at[j-1]*p
			}
			at[0] *= 1 - p
		}
		for j, q := range at {
			ece += q * math.Abs(float64(j)-sum)
		}
	}
	return ece / float64(len(probabilities))
}
