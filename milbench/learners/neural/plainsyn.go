package neural

import "math"

// plainSyn is [synlayer.Syn] on weights that are not negative, in T: each operation is rounded to T, as a program does that
// computes in it.
func plainSyn[T float32 | float64](weights []T, gamma float64, iterations int) []T {
	p := T((1 - gamma) / gamma)
	b := T(math.Sqrt(float64(4 * p * p * p / 27)))
	inverse := func(y T) T { // the root x of γx³ + (1−γ)x = y
		q := y / T(gamma)
		if p == 0 {
			return T(math.Cbrt(float64(q)))
		}
		u := T(math.Cbrt(float64((q + T(math.Hypot(float64(q), float64(b)))) / 2)))
		third := p / 3
		return q / (u*u + third + third/u*(third/u))
	}
	x := append([]T{}, weights...)
	for range max(iterations, -iterations) {
		var squares T
		for _, w := range x {
			squares += w * w
		}
		norm := T(math.Sqrt(float64(squares)))
		for i, w := range x {
			if w /= norm; iterations > 0 {
				x[i] = w * (T(gamma)*w*w + T(1-gamma))
			} else {
				x[i] = inverse(w)
			}
		}
	}
	return x
}
