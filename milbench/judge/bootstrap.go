package judge

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// undefined are the errors of figures that a draw of a bootstrap may leave without a value.
var undefined = []error{ErrOneClass, ErrTooFew, ErrNoEvents, ErrNoPairs, ErrAllEqual}

// bootstrapStream separates the generator of [Bootstrap] from others of the same seed.
const bootstrapStream = 0x626f6f7473747261

// Bootstrap returns the percentile interval of a figure at a level in (0,1), say 0.95:
//
//	low, high = the quantiles α/2 and 1 − α/2 of the figures of the draws, α = 1 − level
//
// A draw takes as many units as there are, with replacement. units has the items of each unit, such as the indices of the bags of each
// patient: bags of one patient are alike, so they are drawn together; where bags are independent, a unit is a bag. figure is handed the
// items of all drawn units, one unit after the other. Quantiles interpolate linearly between order statistics, as numpy.percentile does.
//
// The same seed gives the same draws, whatever the figure, so that the intervals of several figures belong together. A draw in which
// the figure is undefined ([ErrOneClass], say) is left out; left says how many were. Where more than half are, and of fewer than two units, there
// is no interval: [ErrTooFew]. The interval is too narrow for few units, and rough below about 20.
//
// Sources: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979); on units of several items A. C. Davison
// and D. V. Hinkley, "Bootstrap methods and their application" (1997), section 3.8. For units of one item it is scipy.stats.bootstrap with
// method "percentile".
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
		case err == nil || slices.ContainsFunc(undefined, func(u error) bool { return errors.Is(err, u) }):
			left++
		default:
			return 0, 0, 0, err
		}
	}
	if 2*left > draws {
		return 0, 0, left, fmt.Errorf("%w: the figure is undefined in %d of %d draws", ErrTooFew, left, draws)
	}
	slices.Sort(values)
	return quantile(values, (1-level)/2), quantile(values, (1+level)/2), left, nil
}

// quantile returns a quantile of ascending values, between order statistics by linear interpolation.
func quantile(values []float64, q float64) float64 {
	at := q * float64(len(values)-1)
	below := int(at)
	if below >= len(values)-1 {
		return values[len(values)-1]
	}
	if values[below] == values[below+1] { // infinite ones, too
		return values[below]
	}
	return values[below] + (at-float64(below))*(values[below+1]-values[below])
}
