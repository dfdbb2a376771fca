package predict

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRanks(t *testing.T) {
	for _, c := range []struct{ values, want []float64 }{
		{nil, []float64{}},
		{[]float64{7}, []float64{0}},
		{[]float64{3, 1, 2}, []float64{1, 0, 0.5}},
		{[]float64{0.1, 0.5, 0.1, 0.3}, []float64{1.0 / 6, 1, 1.0 / 6, 2.0 / 3}},
		{[]float64{2, 2, 2}, []float64{0.5, 0.5, 0.5}},
	} {
		if got := Ranks(c.values); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2)) // the rank is the share of the others that are smaller, and half of those that are equal
	for range 200 {
		values := make([]float64, 2+random.IntN(12))
		for i := range values {
			values[i] = float64(random.IntN(5))
		}
		for i, rank := range Ranks(values) {
			below := 0.0
			for j, v := range values {
				switch {
				case v < values[i]:
					below++
				case v == values[i] && j != i:
					below += 0.5
				}
			}
			if want := below / float64(len(values)-1); rank-want > 1e-12 || want-rank > 1e-12 {
				t.Fatalf("%v: value %d has rank %v, want %v", values, i, rank, want)
			}
		}
	}
}
