package milbench

import (
	"math"
	"strings"
	"testing"
)

// TestStandardise: the shift is the mean and the factor one by the standard deviation, over the instances of all bags.
func TestStandardise(t *testing.T) {
	bags := []Matrix{{Rows: 1, Cols: 3, Values: []float64{1, 5, 0}}, {Cols: 3}, {Rows: 2, Cols: 3, Values: []float64{4, 5, 0, 7, 5, 6}}}
	shift, factor, err := Standardise(bags)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []struct{ shift, deviation float64 }{{4, math.Sqrt(6)}, {5, 1}, {2, math.Sqrt(8)}} {
		if math.Abs(shift[j]-want.shift) > 1e-14 || math.Abs(factor[j]-1/want.deviation) > 1e-14 {
			t.Errorf("feature %d: shift %v and factor %v, want %v and %v", j, shift[j], factor[j], want.shift, 1/want.deviation)
		}
	}
	sparse := []Matrix{{Rows: 3, Cols: 3, Values: []float64{1, 5, 4, 5, 7, 5, 6}, RowStart: []int{0, 2, 4, 7}, Column: []int32{0, 1, 0, 1, 0, 1, 2}}}
	none, same, err := Standardise(sparse)
	if err != nil || none != nil {
		t.Fatalf("shift %v of sparse bags, %v", none, err)
	}
	for j := range same {
		if math.Abs(same[j]-factor[j]) > 1e-14 {
			t.Errorf("feature %d: factor %v of sparse bags, %v of dense", j, same[j], factor[j])
		}
	}
	for want, bags := range map[string][]Matrix{
		"no instances":                                 {{Cols: 3}},
		"no instances to standardise by":               nil,
		"feature 2 has values too large to be squared": {{Rows: 2, Cols: 2, Values: []float64{1, 1e200, 2, -1e200}}},
	} {
		if _, _, err := Standardise(bags); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
