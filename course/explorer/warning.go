package explorer

import (
	"fmt"
	"math"
)

// Kind is a kind of failure in float32.
type Kind string

const (
	Printed   Kind = "printed"   // equation 11 as printed in the paper
	Underflow Kind = "underflow" // a weight becomes 0
)

// Warning says where float32 would fail.
type Warning struct {
	Kind   Kind
	Step   int     // first failing step or, for Printed, the worst one
	Weight int     // from 1
	Error  float64 // for Printed: relative error; NaN if the result is NaN, +Inf if the right value is 0
	Text   string  // description in words
}

// printedTolerance is the relative error of equation 11 above which there is a warning.
const printedTolerance = 1e-3

// smallestFloat32 is the smallest normal number of float32.
const smallestFloat32 = 0x1p-126

// PrintedInverse computes f⁻¹ as printed in equation 11 of the paper, with every operation rounded to F:
//
//	a = ∛(√((y/2γ)² − ((γ−1)/3γ)³) + y/2γ),  x = a + (γ−1)/(3γa)
//
// The two terms of x cancel if y is small, and at y = 0 and γ = 1 the second is 0/0. It is only for comparison with
// [synpool/course/memory.Syn] and synlayer.Syn, which avoid this.
func PrintedInverse[F float32 | float64](y, gamma F) F {
	q := y / (2 * gamma)
	t := (gamma - 1) / (3 * gamma)
	root := F(math.Sqrt(float64(F(q*q) - F(F(t*t)*t))))
	a := F(math.Cbrt(float64(root + q)))
	return a + t/a
}

// warnings returns what float32 would get wrong in the steps.
func warnings(s Settings, steps []Order) []Warning {
	var found []Warning
	if s.Iterations < 0 {
		found = printed(s, steps)
	}
	for i := range s.Weights {
		for k, o := range steps {
			if w := o.Unit[i]; s.Weights[i] > 0 && w < smallestFloat32 {
				found = append(found, Warning{Kind: Underflow, Step: k, Weight: i + 1,
					Text: fmt.Sprintf("Weight %d is below the smallest normal number of float32, 1.2e-38, from step %d on: a layer may hold it as 0, and from 0 no inverse step leads back.", i+1, k)})
				break
			}
		}
	}
	return found
}

// printed returns where equation 11 is worst, for non-zero weights and for zero weights.
func printed(s Settings, steps []Order) []Warning {
	var worst, zero *Warning
	for k := 1; k < len(steps); k++ {
		for i, y := range steps[k-1].Unit {
			x, got := steps[k].Raw[i], float64(PrintedInverse(float32(y), float32(s.Gamma)))
			off := math.Abs(got-x) / x // NaN if got is NaN, and at 0/0
			at := &worst
			if y == 0 {
				if got == 0 {
					continue
				}
				at = &zero
			} else if off <= printedTolerance {
				continue
			}
			if *at != nil && (math.IsNaN((*at).Error) || off <= (*at).Error) {
				continue
			}
			*at = &Warning{Kind: Printed, Step: k, Weight: i + 1, Error: off, Text: printedText(k, i+1, s.Gamma, y, x, got)}
		}
	}
	var found []Warning
	for _, w := range []*Warning{worst, zero} {
		if w != nil {
			found = append(found, *w)
		}
	}
	return found
}

func printedText(step, weight int, gamma, y, x, got float64) string {
	at, why := fmt.Sprintf("Equation 11 as printed, in float32, at step %d:", step), "two nearly equal terms cancel"
	if gamma == 1 {
		why = "its square vanishes"
	}
	switch {
	case math.IsNaN(got):
		return fmt.Sprintf("%s for weight %d (%.2g) the formula divides 0 by 0. The result is not a number and spoils the whole bag.", at, weight, y)
	case y == 0:
		return fmt.Sprintf("%s weight %d is 0 and must stay 0, but the formula makes %.2g of it.", at, weight, got)
	}
	return fmt.Sprintf("%s weight %d (%.2g) becomes %.4g in place of %.4g, as %s.", at, weight, y, got, x, why)
}
