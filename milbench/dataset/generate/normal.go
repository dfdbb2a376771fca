package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Normal is a normal distribution, used for every feature of an instance.
type Normal struct {
	Mean float64
	SD   float64 // standard deviation
}

// validate returns an error for invalid parameters.
func (n Normal) validate() error {
	if math.IsNaN(n.Mean) || math.IsInf(n.Mean, 0) || !(n.SD >= 0) || math.IsInf(n.SD, 0) {
		return fmt.Errorf("a normal distribution of mean %v and standard deviation %v; give finite numbers, the deviation at least 0", n.Mean, n.SD)
	}
	return nil
}

// normals draws standard normal numbers by Marsaglia's polar method. The same source gives the same bits on every
// machine, which NormFloat64 of math/rand/v2 does not promise. It uses only operations that IEEE 754 rounds
// identically everywhere, and never multiplies and adds in one expression, because some processors fuse these.
type normals struct {
	*rand.Rand
	second  float64 // second number of the last pair
	waiting bool
}

// next returns a standard normal number.
func (n *normals) next() float64 {
	if n.waiting {
		n.waiting = false
		return n.second
	}
	for {
		u, v := 2*n.Float64()-1, 2*n.Float64()-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			radius := math.Sqrt(-2 * logarithm(s) / s)
			n.second, n.waiting = float64(v*radius), true
			return float64(u * radius)
		}
	}
}

// from returns a number drawn from d.
func (n *normals) from(d Normal) float64 { return d.Mean + float64(d.SD*n.next()) }

// logarithm returns the natural logarithm of x > 0, with the same guarantee as [normals]. It writes x = 2^e f with f
// in [sqrt(1/2), sqrt(2)) and uses ln f = 2 (t + t^3/3 + t^5/5 + ...) with t = (f-1)/(f+1). Terms beyond t^23 are
// below 1e-18 of the sum.
func logarithm(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	t := (f - 1) / (f + 1)
	square := float64(t * t)
	sum := 0.0
	for k := 23; k > 0; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(float64(e)*math.Ln2) + float64(2*t*sum)
}
