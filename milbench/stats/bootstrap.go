package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Undefined reports whether err means that a figure has no value on some bags, although the bags are valid. A table
// leaves its cell empty then.
func Undefined(err error) bool {
	return slices.ContainsFunc([]error{ErrOneClass, ErrTooFew, ErrNoEvents, ErrNoPairs, ErrAllEqual, ErrBeyondFollowUp, ErrRange},
		func(of error) bool { return errors.Is(err, of) })
}

// bootstrapStream separates the generator of [Bootstrap] from others with the same seed.
const bootstrapStream = 0x626f6f7473747261

// Bootstrap returns the percentile interval of a figure at a level in (0,1), for example 0.95:
//
//	low, high = the quantiles α/2 and 1 − α/2 of the figures of the draws, α = 1 − level
//
// Each draw takes as many units as there are, with replacement. A unit lists its items, for example the indices of a
// patient's bags. Bags of one patient are similar, so they are drawn together; independent bags are units of one
// item. figure gets the items of all drawn units in sequence. Quantiles interpolate linearly between order
// statistics, as numpy.percentile does.
//
// The same seed gives the same draws for every figure, so intervals of several figures can be compared. Draws for
// which the figure is undefined (for example [ErrOneClass]) are left out; left is their number. If more than half are
// left out, or if there are fewer than two units, the error is [ErrTooFew]. With few units the interval is too
// narrow; below about 20 it is only rough.
//
// Sources: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979); for units
// with several items, A. C. Davison and D. V. Hinkley, "Bootstrap methods and their application" (1997), section 3.8.
// With one item per unit it is the method of scipy.stats.bootstrap with method "percentile"; the draws differ.
func Bootstrap(units [][]int, draws int, level float64, seed uint64, figure func(items []int) (float64, error)) (low, high float64, left int, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, 0, fmt.Errorf("level %v; give one between 0 and 1", level)
	}
	if draws < 1 {
		return 0, 0, 0, fmt.Errorf("%d draws; give at least 1", draws)
	}
	if len(units) < 2 {
		return 0, 0, 0, fmt.Errorf("%w: %d units to draw from", ErrTooFew, len(units))
	}
	random := rand.New(rand.NewPCG(seed, bootstrapStream))
	var items []int
	values := make([]float64, 0, min(draws, 1<<20))
	for range draws {
		items = items[:0]
		for range units {
			items = append(items, units[random.IntN(len(units))]...)
		}
		v, err := figure(items)
		switch {
		case err == nil && !math.IsNaN(v):
			values = append(values, v)
		case err == nil || Undefined(err):
			left++
		default:
			return 0, 0, 0, err
		}
	}
	if 2*left > draws {
		return 0, 0, left, fmt.Errorf("%w: the figure is undefined in %d of %d draws", ErrTooFew, left, draws)
	}
	slices.Sort(values)
	return Quantile(values, (1-level)/2), Quantile(values, (1+level)/2), left, nil
}

// Quantile returns a quantile of ascending values by linear interpolation between order statistics, as NumPy does by default.
func Quantile(values []float64, q float64) float64 {
	at := q * float64(len(values)-1)
	below := int(at)
	if below >= len(values)-1 {
		return values[len(values)-1]
	}
	if values[below] == values[below+1] { // also for infinite values
		return values[below]
	}
	return values[below] + (at-float64(below))*(values[below+1]-values[below])
}
