package sequence

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Kernel is a function K of a distance u in bandwidths. Constants that cancel are omitted.
type Kernel int

const (
	Gaussian     Kernel = iota // exp(−u²/2)
	Epanechnikov               // 1 − u² for u < 1, else 0
	Tricube                    // (1 − u³)³ for u < 1, else 0
	Boxcar                     // 1 for u ≤ 1, else 0
)

var kernelNames = []string{"Gaussian", "Epanechnikov", "Tricube", "Boxcar"}

func (k Kernel) String() string {
	if k < 0 || int(k) >= len(kernelNames) {
		return "unknown kernel"
	}
	return kernelNames[k]
}

// NadarayaWatson is the kernel regression of Nadaraya 1964 and Watson 1964: the mean of the labels y_i, weighted by the
// distance of their positions x_i from x,
//
//	y(x) = Σ α_i y_i,  α_i = K(‖x − x_i‖/h) / Σ_j K(‖x − x_j‖/h)
//
// It is attention of the query x to fixed keys x_i with fixed values y_i. For the Gaussian kernel and keys of length 1, the
// weights are the softmax of x·x_i/h². If no key is near enough to have a weight, the nearest keys share it.
//
// It is the oldest form of attention. [NadarayaWatson.Attend] is the layer. The regression itself needs no graph:
// [NadarayaWatson.Predict] and [LeaveOneOut] compute in float64.
type NadarayaWatson struct {
	Kernel    Kernel
	Bandwidth float64    // h > 0
	Adjust    Adjustment // adjusts α in Attend
}

func (k NadarayaWatson) check() error {
	if k.Kernel < 0 || int(k.Kernel) >= len(kernelNames) || !(k.Bandwidth > 0) || math.IsInf(k.Bandwidth, 0) {
		return fmt.Errorf("a %s with bandwidth %g; want a kernel of this package and a bandwidth above 0", k.Kernel, k.Bandwidth)
	}
	return nil
}

// checkRegression is check for the regression, which does not adjust.
func (k NadarayaWatson) checkRegression() error {
	if k.Adjust.Iterations != 0 {
		return fmt.Errorf("a regression with %d Syn steps; only the layer adjusts its weights", k.Adjust.Iterations)
	}
	return k.check()
}

// Attend returns the values [batch, queries, outputs] at queries [batch, queries, features], and the weights [batch,
// queries, keys] of keys [batch, keys, features] with values [batch, keys, outputs]. The mask [batch, keys] is true for the
// real keys, nil for all; if no key is real, weights and values are 0. Queries have no mask: padding among them must be
// finite.
func (k NadarayaWatson) Attend(queries, keys, values, mask *Node) (out, weights *Node) {
	if err := k.check(); err != nil {
		exceptions.Panicf("sequence: %v", err)
	}
	for _, x := range []*Node{queries, keys, values} {
		if x.Rank() != 3 {
			exceptions.Panicf("sequence: queries %s, keys %s and values %s, want [batch, queries or keys, features]", queries.Shape(), keys.Shape(), values.Shape())
		}
	}
	dtype, rate := keys.DType(), 1/(k.Bandwidth*k.Bandwidth)
	if math.IsInf(rate, 0) || dtype == dtypes.Float32 && math.IsInf(float64(float32(rate)), 0) {
		exceptions.Panicf("sequence: a bandwidth of %g is too small for %s, where 1/h² is infinite", k.Bandwidth, dtype)
	}
	keys, explicit := masked(keys, mask)
	values, _ = masked(values, mask)
	d2 := ReduceSum(Square(Sub(ExpandAxes(queries, 2), ExpandAxes(keys, 1))), -1) // [batch, queries, keys]
	dims := d2.Shape().Dimensions
	seen := BroadcastToDims(ExpandAxes(explicit, 1), dims...)
	nearest := StopGradient(ReduceAndKeep(Where(seen, d2, Infinity(d2.Graph(), dtype, 1)), ReduceMin, -1))
	if k.Kernel == Gaussian {
		// Distances are taken relative to the nearest, which cancels, so the nearest keeps its weight if the others are too
		// many bandwidths away.
		weights = weigh(MulScalar(Sub(d2, nearest), -0.5*rate), seen, k.Adjust)
		return Einsum("bqk,bkv->bqv", weights, values), weights
	}
	u2 := MulScalar(d2, rate)
	var kernel *Node
	inside := LessThan(u2, ScalarOne(u2.Graph(), dtype))
	bounded := Where(inside, u2, ZerosLike(u2))
	switch k.Kernel {
	case Epanechnikov:
		kernel = OneMinus(bounded)
	case Tricube:
		// The root of 0 has no gradient: guard before it.
		zero := IsZero(bounded)
		kernel = PowScalar(OneMinus(Where(zero, bounded, Mul(bounded, Sqrt(Where(zero, OnesLike(u2), bounded))))), 3)
	case Boxcar:
		inside = LessOrEqual(u2, ScalarOne(u2.Graph(), dtype))
		kernel = OnesLike(u2)
	}
	kernel = Where(And(inside, seen), kernel, ZerosLike(u2))
	none := BroadcastToDims(IsZero(ReduceAndKeep(kernel, ReduceSum, -1)), dims...)
	kernel = Where(none, ConvertDType(And(seen, LessOrEqual(d2, nearest)), dtype), kernel)
	sum := ReduceAndKeep(kernel, ReduceSum, -1)
	weights = k.Adjust.Adjust(Div(kernel, Where(IsZero(sum), OnesLike(sum), sum)))
	return Einsum("bqk,bkv->bqv", weights, values), weights
}

// Predict returns the value at x and the weights of keys; values has one label per key. Adjust must be zero.
func (k NadarayaWatson) Predict(x []float64, keys [][]float64, values []float64) (value float64, weights []float64, err error) {
	if err := k.checkRegression(); err != nil {
		return 0, nil, fmt.Errorf("sequence: %w", err)
	}
	if err := checkKeys(keys, values, len(x)); err != nil {
		return 0, nil, fmt.Errorf("sequence: %w", err)
	}
	weights = make([]float64, len(keys))
	value, err = k.predict(x, keys, values, -1, weights)
	if err != nil {
		return 0, nil, fmt.Errorf("sequence: %w", err)
	}
	return value, weights, nil
}

// predict fills weights, leaving out the key with index skip.
func (k NadarayaWatson) predict(x []float64, keys [][]float64, values []float64, skip int, weights []float64) (float64, error) {
	nearest := math.Inf(1)
	for i, key := range keys {
		d := 0.0
		for j := range key {
			d = math.Hypot(d, x[j]-key[j])
		}
		weights[i] = d
		if i != skip {
			nearest = min(nearest, d)
		}
	}
	if !(nearest < math.Inf(1)) {
		return 0, fmt.Errorf("the place %v is at no finite distance from a key", x)
	}
	of := k.Kernel
	if of != Gaussian && nearest >= k.Bandwidth && !(of == Boxcar && nearest == k.Bandwidth) {
		of = -1 // none has a weight
	}
	sum := 0.0
	for i, d := range weights {
		u := d / k.Bandwidth
		switch {
		case i == skip:
			weights[i] = 0
		case d == nearest && (of == Gaussian || of == -1):
			weights[i] = 1
		case of == Gaussian:
			weights[i] = math.Exp(-(d - nearest) / k.Bandwidth * (u + nearest/k.Bandwidth) / 2) // relative to the nearest, which cancels
		case of == Epanechnikov && u < 1:
			weights[i] = 1 - u*u
		case of == Tricube && u < 1:
			weights[i] = math.Pow(1-u*u*u, 3)
		case of == Boxcar && u <= 1:
			weights[i] = 1
		default:
			weights[i] = 0
		}
		sum += weights[i]
	}
	value := 0.0
	for i := range weights {
		weights[i] /= sum
		value += weights[i] * values[i]
	}
	return value, nil
}

// LeaveOneOut returns the best of the candidates by leave-one-out cross-validation: the one with the smallest mean squared
// error when each label is predicted from all others, and the first of equals. It also returns the error of every candidate.
// Their Adjust must be zero. The time grows with candidates · len(keys)².
func LeaveOneOut(candidates []NadarayaWatson, keys [][]float64, values []float64) (best NadarayaWatson, errors []float64, err error) {
	if len(candidates) == 0 || len(keys) < 2 {
		return best, nil, fmt.Errorf("sequence: leave-one-out of %d regressions on %d labels; want 1 or more on 2 or more", len(candidates), len(keys))
	}
	if err := checkKeys(keys, values, len(keys[0])); err != nil {
		return best, nil, fmt.Errorf("sequence: %w", err)
	}
	weights := make([]float64, len(keys))
	chosen := 0
	for c, k := range candidates {
		if err := k.checkRegression(); err != nil {
			return best, nil, fmt.Errorf("sequence: candidate %d: %w", c, err)
		}
		sum := 0.0
		for i := range keys {
			y, err := k.predict(keys[i], keys, values, i, weights)
			if err != nil {
				return best, nil, fmt.Errorf("sequence: key %d: %w", i, err)
			}
			sum += (y - values[i]) * (y - values[i])
		}
		if math.IsInf(sum, 0) {
			return best, nil, fmt.Errorf("sequence: candidate %d: the squares of its errors overflow; scale the values", c)
		}
		errors = append(errors, sum/float64(len(keys)))
		if errors[c] < errors[chosen] {
			chosen = c
		}
	}
	return candidates[chosen], errors, nil
}

// checkKeys checks that there are keys, all finite with this many features, and one label per key.
func checkKeys(keys [][]float64, values []float64, features int) error {
	if len(keys) == 0 || len(keys) != len(values) {
		return fmt.Errorf("%d keys with %d values; want 1 or more, one value a key", len(keys), len(values))
	}
	for i, key := range keys {
		if len(key) != features {
			return fmt.Errorf("key %d has %d features; the others or the query have %d", i, len(key), features)
		}
		for _, v := range append([]float64{values[i]}, key...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("key %d or its value is not finite", i)
			}
		}
	}
	return nil
}
