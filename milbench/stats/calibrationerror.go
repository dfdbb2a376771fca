package stats

import (
	"errors"
	"fmt"
	"math"
)

// CalibrationError returns the expected calibration error of bins made by [EqualWidthBins]:
//
//	ECE = sum over bins of N / total × |Positive − Probability|
//
// It is from 0 to 1; smaller is better. The ECE is biased in two ways. Chance increases it: with few bags even a
// perfectly calibrated model has an ECE above 0, about 0.3 √(bins / bags) if probabilities are spread evenly; package
// calibrate estimates how much. Bins decrease it: within a bin, too large and too small probabilities cancel. So
// compare only values from the same bags and number of bins. [BrierScore] and [LogLoss] need no bins.
//
// Sources: M. P. Naeini, G. F. Cooper and M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
// binning", AAAI (2015); on the bias, J. Bröcker, "Estimating reliability and resolution of probability forecasts
// through decomposition of the empirical score", Climate Dynamics 39 (2012), and A. Kumar, P. Liang and T. Ma,
// "Verified uncertainty calibration", NeurIPS (2019).
func CalibrationError(bins []CalibrationBin) (float64, error) {
	if len(bins) == 0 {
		return 0, errors.New("no bins")
	}
	sum, total := 0.0, 0.0
	for i, b := range bins {
		off := math.Abs(b.Positive - b.Probability)
		if b.N < 1 || !(off <= 1) {
			return 0, fmt.Errorf("bin %d has %d bags, probability %v and share of positives %v", i, b.N, b.Probability, b.Positive)
		}
		sum += float64(b.N) * off
		total += float64(b.N)
	}
	return sum / total, nil
}
