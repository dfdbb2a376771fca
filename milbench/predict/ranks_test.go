package predict

import (
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
}
