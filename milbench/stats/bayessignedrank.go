package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// mostSamples is the maximum number of samples in a Bayesian signed-rank test.
const mostSamples = 1e8

// BayesSignedRank is the Bayesian signed-rank test for pairs, for example the mean AUC of two methods on the same
// sets. It tells how probable a relevant difference is. [Wilcoxon], in contrast, tells how rare the figures are if
// there is no difference.
//
// The prior for the distribution of the differences d_1 ... d_n is a Dirichlet process with strength Prior and all
// mass at the pseudo-observation d_0 = 0. Given the weights w, Dirichlet(Prior, 1, ..., 1),
//
//	better = sum_ij w_i w_j [d_i + d_j > 2 Rope]
//	worse  = sum_ij w_i w_j [d_i + d_j < -2 Rope]
//	equal  = 1 - better - worse
//
// A sum on the bound counts half on either side. The test draws Samples weights and returns how often each of the
// three is the largest, with a standard error of at most 0.5/sqrt(Samples).
//
// See Benavoli, Corani, Mangili, Zaffalon and Ruggeri, "A Bayesian Wilcoxon signed-rank test based on the Dirichlet
// process", ICML (2014); Benavoli, Corani, Demšar and Zaffalon, "Time for a change", Journal of Machine Learning
// Research 18(77) (2017), section 4.2; checked against baycomp.
type BayesSignedRank struct {
	Rope    float64 // half-width of the region of practical equivalence, in the unit of the figures; with 0, Equal is 0
	Prior   float64 // weight of the pseudo-observation, in observations
	Samples int     // number of Monte Carlo samples
}

// DefaultBayesSignedRank returns the values of Benavoli et al. (2017): a rope of 0.01, a prior of half an observation
// and 50000 samples.
func DefaultBayesSignedRank() BayesSignedRank {
	return BayesSignedRank{Rope: 0.01, Prior: 0.5, Samples: 50000}
}

// Compare compares the figures a and b of two methods. The same seed gives the same result. Exchanging a and b
// mirrors the result, up to Monte Carlo error.
func (t BayesSignedRank) Compare(a, b []float64, seed uint64) (Posterior, error) {
	if err := checkRope(t.Rope); err != nil {
		return Posterior{}, err
	}
	if !(t.Prior >= 0) || math.IsInf(t.Prior, 1) {
		return Posterior{}, fmt.Errorf("prior of %v observations; give a number of at least 0, say 0.5", t.Prior)
	}
	if t.Samples < 1 || t.Samples > mostSamples {
		return Posterior{}, fmt.Errorf("%d samples; give 1 to %d", t.Samples, int(mostSamples))
	}
	d, err := paired(a, b)
	if err != nil {
		return Posterior{}, err
	}
	// Sort the differences and find the position of the pseudo-observation.
	slices.Sort(d)
	zero, _ := slices.BinarySearch(d, 0)
	d = slices.Insert(d, zero, 0)
	above := starts(d, 2*t.Rope)
	slices.Reverse(d)
	for i := range d {
		d[i] = -d[i]
	}
	below := starts(d, 2*t.Rope)
	slices.Reverse(below)

	source := rand.NewPCG(seed, 0x6261796573) // "bayes"
	rng := rand.New(source)
	prior := distuv.Gamma{Alpha: t.Prior, Beta: 1, Src: source}
	n := len(d)
	weights, upTo := make([]float64, n), make([]float64, n+1) // upTo[i] is the sum of the first i weights
	var better, equal, worse float64
	for range t.Samples {
		for i := range weights {
			weights[i] = rng.ExpFloat64()
		}
		weights[zero] = 0
		if t.Prior > 0 {
			weights[zero] = prior.Rand()
		}
		for i, w := range weights {
			upTo[i+1] = upTo[i] + w
		}
		all := upTo[n]
		up, down := 0.0, 0.0
		for i, w := range weights {
			up += w * (all - (upTo[above[i].more]+upTo[above[i].least])/2)
			down += w * (upTo[n-below[i].more] + upTo[n-below[i].least]) / 2
		}
		middle := all*all - up - down
		if t.Rope == 0 {
			middle = math.Inf(-1)
		}
		switch {
		case middle >= max(up, down):
			equal++
		case up > down:
			better++
		case down > up:
			worse++
		default:
			better, worse = better+0.5, worse+0.5
		}
	}
	samples := float64(t.Samples)
	return Posterior{better / samples, equal / samples, worse / samples}, nil
}

// start is, for one difference, the first index in sorted order where their sum reaches a bound, and where it exceeds
// it.
type start struct{ least, more int }

// starts returns the start of each of the ascending differences.
func starts(d []float64, bound float64) []start {
	out := make([]start, len(d))
	for i, x := range d {
		least, _ := slices.BinarySearchFunc(d, bound, func(y, bound float64) int {
			if x+y < bound {
				return -1
			}
			return 1
		})
		more, _ := slices.BinarySearchFunc(d, bound, func(y, bound float64) int {
			if x+y <= bound {
				return -1
			}
			return 1
		})
		out[i] = start{least, more}
	}
	return out
}
