package generate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The logarithm is that of package math, to within two units in the last place of ln 2 or of itself.
func TestLogarithm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		x := random.Float64()
		switch i % 3 {
		case 1:
			x = 1 - x*x*x*1e-3
		case 2:
			x = math.Ldexp(x, -random.IntN(100))
		}
		if x == 0 {
			continue
		}
		if got, want := logarithm(x), math.Log(x); math.Abs(got-want) > 4.5e-16*math.Abs(want) {
			t.Fatalf("ln %v = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1, 0.5, math.Sqrt2 / 2, 0x1p-53, math.Nextafter(1, 0)} {
		if got, want := logarithm(x), math.Log(x); math.Abs(got-want) > 4.5e-16*math.Abs(want) {
			t.Errorf("ln %v = %v, want %v", x, got, want)
		}
	}
}

// The numbers are normal: for 200,000 of them, Kolmogorov's distance to the distribution is below its 0.999 quantile,
// and the two numbers of a pair are uncorrelated.
func TestNormals(t *testing.T) {
	n := &normals{Rand: rand.New(rand.NewPCG(2, 1))}
	x := make([]float64, 200_000)
	together := 0.0
	for i := range x {
		x[i] = n.next()
		if i > 0 {
			together += x[i] * x[i-1]
		}
	}
	size := float64(len(x))
	if r := together / size; math.Abs(r) > 4/math.Sqrt(size) {
		t.Errorf("correlation %v of successive numbers", r)
	}
	slices.Sort(x)
	distance := 0.0
	for i, v := range x {
		p := math.Erfc(-v/math.Sqrt2) / 2
		distance = max(distance, p-float64(i)/size, float64(i+1)/size-p)
	}
	if distance > 1.949/math.Sqrt(size) {
		t.Errorf("distance %v to the normal distribution", distance)
	}
	if tail := x[len(x)-1]; tail < 3.5 || tail > 6 {
		t.Errorf("the largest of 200,000 is %v", tail)
	}
}
