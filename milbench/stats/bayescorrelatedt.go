package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// BayesCorrelatedT is the Bayesian correlated t-test for figures of two methods on the same resamples of one set. For
// example, the resamples are the k folds in r repeats of a cross-validation, J = r k in all. The posterior of the
// mean difference is a Student distribution with J-1 degrees of freedom and
//
//	location mean(d), scale sqrt((1/J + testToTrain) s^2)
//
// Here d are the differences, s^2 is their sample variance, and testToTrain is the number of test bags divided by
// that of training bags, 1/(k-1) for k folds. These are the t and the correction of [CorrectedT]. The result is the
// posterior mass above rope, from -rope to rope, and below -rope. With rope 0, Equal is 0. If all differences are
// equal (see [CorrectedT]), the posterior is a point; for a point at 0 with rope 0, half counts as better.
//
// It needs two pairs ([ErrTooFew]). See Corani and Benavoli, "A Bayesian approach for comparing cross-validated
// algorithms on multiple data sets", Machine Learning 100 (2015), section 2.1; checked against baycomp.
func BayesCorrelatedT(a, b []float64, testToTrain, rope float64) (Posterior, error) {
	if err := checkRope(rope); err != nil {
		return Posterior{}, err
	}
	differences, err := resampled(a, b, testToTrain)
	if err != nil {
		return Posterior{}, err
	}
	mean, variance := stat.MeanVariance(differences, nil)
	if same(a, b, differences, variance) {
		return point(mean, rope), nil
	}
	j := float64(len(differences))
	scale := math.Sqrt((1/j + testToTrain) * variance)
	p := Posterior{Better: studentAbove((rope-mean)/scale, j-1), Worse: studentAbove((rope+mean)/scale, j-1)}
	if rope > 0 {
		p.Equal = max(0, 1-p.Better-p.Worse)
	}
	return p, nil
}

// point returns the posterior for a known difference.
func point(difference, rope float64) Posterior {
	switch {
	case difference > rope:
		return Posterior{Better: 1}
	case difference < -rope:
		return Posterior{Worse: 1}
	case rope > 0:
		return Posterior{Equal: 1}
	}
	return Posterior{Better: 0.5, Worse: 0.5}
}

// studentAbove returns the probability that a Student variable with the given degrees of freedom is above t. It
// avoids cancellation in the tail.
func studentAbove(t, freedom float64) float64 {
	tail := mathext.RegIncBeta(freedom/2, 0.5, freedom/(freedom+t*t)) / 2
	if t < 0 {
		return 1 - tail
	}
	return tail
}
