package memory

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Criterion is the kind of retrieval error that a capacity limits.
type Criterion int

const (
	WrongComponents Criterion = iota // share of the components that are retrieved wrong
	FailedDraws                      // share of the draws with a pattern that is retrieved with a wrong component
)

// AllCues is the value of [CapacityConfig.Cues] that retrieves every pattern of a draw.
const AllCues = math.MaxInt

// CapacityConfig configures a measurement of the capacity of a memory with components ±1: the largest number of random
// patterns whose retrieval error is within a threshold.
type CapacityConfig struct {
	Criterion Criterion
	Threshold float64 // largest error allowed, in [0, 1)
	Updates   int     // most updates per retrieval, which ends earlier at a fixed state
	Draws     int     // number of sets of patterns that the error is averaged over
	Cues      int     // most patterns that are retrieved per draw; AllCues for all
	Limit     int     // largest number of patterns to try
	Seed      uint64
}

// CapacityPoint is the retrieval error at one number of patterns.
type CapacityPoint struct {
	Patterns int
	Error    float64
}

// Capacity measures the capacity of m for patterns of d components, retrieved from the patterns themselves: it doubles the number of patterns until the error
// exceeds the threshold, then bisects. Within a draw, a smaller set is always the start of a larger one. It returns the
// largest number found within the threshold, or 0 if one pattern is too many, and the measured points ordered by number of
// patterns. The patterns stored in m before are lost. It is an error if the memory is still within the threshold at Limit
// patterns.
func (c CapacityConfig) Capacity(m Memory, d int) (patterns int, curve []CapacityPoint, err error) {
	switch {
	case c.Limit < 1:
		return 0, nil, fmt.Errorf("memory: capacity from at most %d patterns; give at least 1", c.Limit)
	case !(c.Threshold >= 0 && c.Threshold < 1):
		return 0, nil, fmt.Errorf("memory: capacity at error %v; give a number in [0, 1)", c.Threshold)
	}
	within := func(n int) (bool, error) {
		e, err := c.retrievalError(m, d, n)
		curve = append(curve, CapacityPoint{n, e})
		return e <= c.Threshold, err
	}
	low, high := 0, 1
	for {
		ok, err := within(high)
		if err != nil {
			return 0, nil, err
		}
		if !ok {
			break
		}
		if high == c.Limit {
			return 0, nil, fmt.Errorf("memory: the error at %d patterns of %d components is still within %v; raise Limit", high, d, c.Threshold)
		}
		low, high = high, high+min(high, c.Limit-high)
	}
	for high-low > 1 {
		middle := (low + high) / 2
		ok, err := within(middle)
		if err != nil {
			return 0, nil, err
		}
		if ok {
			low = middle
		} else {
			high = middle
		}
	}
	slices.SortFunc(curve, func(a, b CapacityPoint) int { return cmp.Compare(a.Patterns, b.Patterns) })
	return low, curve, nil
}

// retrievalError returns the retrieval error of m with n random patterns of d components.
func (c CapacityConfig) retrievalError(m Memory, d, n int) (float64, error) {
	switch {
	case d < 1:
		return 0, fmt.Errorf("memory: error of patterns of %d components; give at least 1", d)
	case c.Draws < 1 || c.Cues < 1:
		return 0, fmt.Errorf("memory: error of %d draws with %d cues; give at least 1 of each, and AllCues for all", c.Draws, c.Cues)
	case c.Criterion < WrongComponents || c.Criterion > FailedDraws:
		return 0, fmt.Errorf("memory: error by the criterion %d; give WrongComponents or FailedDraws", c.Criterion)
	}
	sum := 0.0
	for draw := range c.Draws {
		patterns := RandomSigns(n, d, rand.New(rand.NewPCG(c.Seed, uint64(draw))))
		if err := m.Store(patterns); err != nil {
			return 0, err
		}
		cues := min(n, c.Cues)
		wrong := 0.0
		for _, x := range patterns[:cues] {
			end, _, _, err := settle(m, x, c.Updates, 0, nil)
			if err != nil {
				return 0, err
			}
			off := 0
			for l := range x {
				if end[l] != x[l] {
					off++
				}
			}
			if c.Criterion == WrongComponents {
				wrong += float64(off) / float64(cues*d)
			} else if off > 0 {
				wrong = 1
				break
			}
		}
		sum += wrong
	}
	return sum / float64(c.Draws), nil
}

// ClassicalCapacity returns 0.138 d, the classical network's capacity for large d (Amit, Gutfreund and Sompolinsky 1985). Up
// to that many random patterns have a fixed point near them, with about 1.6 % of the components wrong. Without a wrong
// component, most patterns are fixed up to d/(2 ln d), and all up to d/(4 ln d) (McEliece et al. 1987). d must be at least 1.
func ClassicalCapacity(d int) (float64, error) {
	return inRange(0.138*float64(d), checkComponents(d))
}

// PolynomialCapacity returns the capacity of the polynomial memory of power a: the largest number of random patterns of d
// components at which an update at a pattern gets at most the share wrong of its components wrong (Krotov and Hopfield
// 2016). By the normal approximation it is
//
//	N = α dᵃ⁻¹,  α = 1/((2a−3)!! q²),  wrong = Φ(−q)
//
// a must be at least 2, d at least 1 and wrong in (0, ½). At a = 2 and wrong = 0.0036 it equals [ClassicalCapacity].
func PolynomialCapacity(power, d int, wrong float64) (float64, error) {
	if !(wrong > 0 && wrong < 0.5) {
		return 0, fmt.Errorf("memory: capacity with a share %v of components wrong; give a number in (0, ½)", wrong)
	}
	q := distuv.UnitNormal.Quantile(wrong)
	return inRange(math.Pow(float64(d), float64(power-1))/(oddFactorial(power)*q*q), checkPower(power), checkComponents(d))
}

// ExponentialCapacityAll returns the largest number of random patterns of d components at which, in all but the share failed
// of the draws, all are fixed points of the exponential memory. A pattern is not fixed if another differs from it in a
// single component, because their terms cancel there and the rest decides. N patterns have N²d/2^(d+1) such pairs on
// average, so
//
//	N = √(2 ln(1/(1−failed))/d) 2^(d/2)
//
// d must be at least 1 and failed in [0, 1).
func ExponentialCapacityAll(d int, failed float64) (float64, error) {
	if !(failed >= 0 && failed < 1) {
		return 0, fmt.Errorf("memory: capacity with a share %v of failed draws; give a number in [0, 1)", failed)
	}
	return inRange(math.Sqrt(-2*math.Log1p(-failed)/float64(d))*math.Exp2(float64(d)/2), checkComponents(d))
}

// inRange returns a capacity, or an error if one of from is not nil or the capacity is outside the range of float64.
func inRange(capacity float64, from ...error) (float64, error) {
	if err := cmp.Or(from...); err != nil {
		return 0, err
	}
	if math.IsNaN(capacity) || math.IsInf(capacity, 0) {
		return 0, errors.New("memory: the capacity is beyond the range of float64; give fewer components or a smaller power")
	}
	return capacity, nil
}

func checkPower(power int) error {
	if power < 2 {
		return fmt.Errorf("memory: power %d of a polynomial memory; give 2 or more", power)
	}
	return nil
}

func checkComponents(d int) error {
	if d < 1 {
		return fmt.Errorf("memory: capacity of %d components; give at least 1", d)
	}
	return nil
}

// oddFactorial is (2a−3)!!.
func oddFactorial(a int) float64 {
	product := 1.0
	for k := 2; k <= a && product < math.Inf(1); k++ {
		product *= 2*float64(k) - 3
	}
	return product
}
