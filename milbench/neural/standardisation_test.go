package neural

import (
	"math"
	"testing"

	"synpool/milbench"
)

// TestStandardisation: over the training instances each feature has mean 0 and standard deviation 1 afterwards; a
// feature that is constant but for rounding is only centred, and other bags do not matter.
func TestStandardisation(t *testing.T) {
	third := 1. / 3
	noise := math.Nextafter(third, 1)
	dense := []milbench.Matrix{
		{Rows: 2, Cols: 4, Values: []float64{1, 10, third, 0, 3, 30, noise, 0}},
		{Rows: 1, Cols: 4, Values: []float64{1e9, 1e9, 1e9, 1e9}}, // not trained on
		{Rows: 2, Cols: 4, Values: []float64{5, 10, third, 0, 7, -50, third, 2}},
	}
	train := []milbench.Example{{Bag: 0}, {Bag: 2}}
	s := fitStandardisation(dense, train)
	out := make([]float32, 8)
	var all []float32
	for _, e := range train {
		s.fill(out, dense[e.Bag])
		all = append(all, out...)
	}
	for j := range 4 {
		var mean, square float64
		for i := range 4 {
			mean += float64(all[i*4+j]) / 4
			square += float64(all[i*4+j]) * float64(all[i*4+j]) / 4
		}
		wantSquare := 1.0
		if j == 2 {
			wantSquare = 0
		}
		if math.Abs(mean) > 1e-7 || math.Abs(square-wantSquare) > 1e-6 {
			t.Errorf("feature %d: mean %g, mean square %g, want 0 and %g", j, mean, square, wantSquare)
		}
	}
	sparse := make([]milbench.Matrix, len(dense))
	for i, m := range dense {
		c := milbench.Matrix{Rows: m.Rows, Cols: m.Cols, RowStart: []int{0}}
		for r := range m.Rows {
			for j, v := range m.Values[r*4 : r*4+4] {
				if v != 0 {
					c.Values, c.Column = append(c.Values, v), append(c.Column, int32(j))
				}
			}
			c.RowStart = append(c.RowStart, len(c.Values))
		}
		sparse[i] = c
	}
	q := fitStandardisation(sparse, train)
	if q.Shift != nil {
		t.Error("a sparse set is centred")
	}
	for j := range q.Factor {
		if math.Abs(q.Factor[j]-s.Factor[j]) > 1e-12 {
			t.Errorf("feature %d: factor %g from the sparse form, %g from the dense", j, q.Factor[j], s.Factor[j])
		}
	}
}

func TestBucket(t *testing.T) {
	for _, c := range []struct{ instances, largest, want int }{
		{1, 40, 4}, {4, 40, 4}, {5, 40, 8}, {17, 40, 32}, {33, 40, 40}, {1044, 1044, 1044}, {1, 1, 1}, {3, 2000, 4},
	} {
		if got := bucket(c.instances, c.largest); got != c.want {
			t.Errorf("bucket(%d, %d) = %d, want %d", c.instances, c.largest, got, c.want)
		}
	}
}
