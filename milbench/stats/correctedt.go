package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrSameDifference is wrapped by the error returned if a t-test is undefined because all differences are equal.
var ErrSameDifference = errors.New("all differences are the same")

// roundingSpread is the spread that rounding may cause among equal differences, relative to the figures.
const roundingSpread = 1e-12

// CorrectedTTest is the result of [CorrectedT].
type CorrectedTTest struct {
	Difference float64 // mean of a - b
	SE         float64 // corrected standard error of Difference
	T          float64
	Freedom    int     // degrees of freedom
	P          float64 // two-sided
}

// CorrectedT is the two-sided corrected resampled t-test for figures of two methods on the same resamples. For
// example, the resamples are the k folds in r repeats of a cross-validation, J = r k in all:
//
//	t = mean(d) / sqrt((1/J + testToTrain) s^2)
//
// It has J-1 degrees of freedom. Here d are the differences, s^2 is their sample variance, and testToTrain is the
// number of test bags divided by that of training bags, 1/(k-1) for k folds. Folds share most of their training bags.
// A plain t-test (testToTrain 0) treats them as independent and finds differences far too often. See Nadeau and
// Bengio, "Inference for the generalization error", Machine Learning 52 (2003), equation 21; for repeated k-fold,
// Bouckaert and Frank (2004).
//
// It needs two pairs ([ErrTooFew]) with differences that are not all equal ([ErrSameDifference]). Differences within
// 1e-12 of the largest figure count as equal: rounding alone can cause them and would make t unbounded. A change in a
// single bag moves an AUC by much more.
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
	// Tail of |t|, as a beta distribution to avoid cancellation.
	t.P = mathext.RegIncBeta((j-1)/2, 0.5, (j-1)/(j-1+t.T*t.T))
	return t, nil
}

// CorrectedInterval returns the mean of one method's figures on the resamples of [CorrectedT], and its two-sided
// confidence interval at a level in (0,1):
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

// same reports whether the differences of a and b are equal up to rounding.
func same(a, b, differences []float64, variance float64) bool {
	largest := max(slices.Max(a), -slices.Min(a), slices.Max(b), -slices.Min(b))
	return slices.Max(differences)-slices.Min(differences) <= roundingSpread*largest || variance == 0
}

// Interval returns the two-sided confidence interval of the difference at a level in (0,1), for example 0.95.
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
