package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrSameDifference says that a t-test is undefined because all differences are the same.
var ErrSameDifference = errors.New("all differences are the same")

// roundingSpread is the spread of equal differences that were computed, as a share of the figures.
const roundingSpread = 1e-12

// CorrectedTTest is the outcome of [CorrectedT].
type CorrectedTTest struct {
	Difference float64 // mean of a - b
	SE         float64 // its corrected standard error
	T          float64
	Freedom    int     // degrees of freedom
	P          float64 // two-sided
}

// CorrectedT is the two-sided corrected resampled t-test of figures of two methods on the same resamples, say the AUC of
// each of k folds of r repeats of a cross-validation, J = r k in all:
//
//	t = mean(d) / sqrt((1/J + testToTrain) s^2)
//
// with J-1 degrees of freedom, where d are the differences, s^2 their sample variance and testToTrain the number of test
// bags over that of training bags, 1/(k-1) for k folds. A plain t-test (testToTrain 0) takes folds for
// independent, which share most of their training bags, and finds differences far too often. Nadeau and Bengio,
// "Inference for the generalization error", Machine Learning 52 (2003), equation 21; for repeated k-fold see Bouckaert
// and Frank (2004).
//
// It needs two pairs ([ErrTooFew]) whose differences are not all the same ([ErrSameDifference]). Differences are the same if
// they lie within 1e-12 of the largest figure: so far apart rounding alone may move them, which for a spread would make a t
// without bound, and single bags move no AUC so little.
func CorrectedT(a, b []float64, testToTrain float64) (CorrectedTTest, error) {
	differences, err := resampled(a, b, testToTrain)
	if err != nil {
		return CorrectedTTest{}, err
	}
	mean, variance := stat.MeanVariance(differences, nil)
	if same(a, b, differences, variance) {
		return CorrectedTTest{}, fmt.Errorf("%w: %v", ErrSameDifference, differences[0])
	}
	j := float64(len(differences))
	t := CorrectedTTest{Difference: mean, SE: math.Sqrt((1/j + testToTrain) * variance), Freedom: len(differences) - 1}
	t.T = mean / t.SE
	// The survival of |t|, as a beta distribution: no cancellation in the tail.
	t.P = mathext.RegIncBeta((j-1)/2, 0.5, (j-1)/(j-1+t.T*t.T))
	return t, nil
}

// CorrectedInterval returns the mean of figures of one method on the resamples of [CorrectedT] and its two-sided confidence
// interval at the given level in (0,1):
//
//	mean -+ t(J-1, (1+level)/2) sqrt((1/J + testToTrain) s^2)
//
// It needs two figures: [ErrTooFew].
func CorrectedInterval(figures []float64, testToTrain, level float64) (mean, low, high float64, err error) {
	if _, err := resampled(figures, make([]float64, len(figures)), testToTrain); err != nil {
		return 0, 0, 0, err
	}
	mean, variance := stat.MeanVariance(figures, nil)
	j := float64(len(figures))
	low, high, err = CorrectedTTest{Difference: mean, SE: math.Sqrt((1/j + testToTrain) * variance), Freedom: len(figures) - 1}.Interval(level)
	return mean, low, high, err
}

// resampled returns the differences of figures on the same resamples.
func resampled(a, b []float64, testToTrain float64) ([]float64, error) {
	differences, err := paired(a, b)
	if err != nil {
		return nil, err
	}
	if !(testToTrain >= 0) || math.IsInf(testToTrain, 1) {
		return nil, fmt.Errorf("test bags over training bags: %v; give a number of at least 0", testToTrain)
	}
	return differences, checkSpread(differences)
}

// same reports whether differences of a and b are the same but for rounding.
func same(a, b, differences []float64, variance float64) bool {
	largest := max(slices.Max(a), -slices.Min(a), slices.Max(b), -slices.Min(b))
	return slices.Max(differences)-slices.Min(differences) <= roundingSpread*largest || variance == 0
}

// Interval returns the two-sided confidence interval of the difference at the given level in (0,1), say 0.95.
func (t CorrectedTTest) Interval(level float64) (low, high float64, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, fmt.Errorf("confidence level %v is outside (0,1)", level)
	}
	if t.Freedom < 1 {
		return 0, 0, fmt.Errorf("%w: %d degrees of freedom", ErrTooFew, t.Freedom)
	}
	half := distuv.StudentsT{Sigma: 1, Nu: float64(t.Freedom)}.Quantile((1+level)/2) * t.SE
	return t.Difference - half, t.Difference + half, nil
}
