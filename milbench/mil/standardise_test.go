package mil

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestStandardise: the shift is the mean and the factor is 1 over the standard deviation, over the instances of all
// bags.
func TestStandardise(t *testing.T) {
	moments := func(bags []Instances) (parts []Moments) {
		for _, x := range bags {
			m, err := MomentsOf(x)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, m)
		}
		return parts
	}
	bags := []Instances{&Dense{Rows: 1, Cols: 3, Values: []float32{1, 5, 0}}, &Dense{Cols: 3}, &Dense{Rows: 2, Cols: 3, Values: []float32{4, 5, 0, 7, 5, 6}}}
	shift, factor, err := Standardise(moments(bags))
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []struct{ shift, deviation float64 }{{4, math.Sqrt(6)}, {5, math.Inf(1)}, {2, math.Sqrt(8)}} {
		if math.Abs(shift[j]-want.shift) > 1e-14 || math.Abs(factor[j]-1/want.deviation) > 1e-14 {
			t.Errorf("feature %d: shift %v and factor %v, want %v and %v", j, shift[j], factor[j], want.shift, 1/want.deviation)
		}
	}
	sparse := []Instances{&Sparse{Rows: 3, Cols: 3, Values: []float32{1, 5, 4, 5, 7, 5, 6}, RowStart: []int{0, 2, 4, 7}, Column: []int32{0, 1, 0, 1, 0, 1, 2}}}
	none, same, err := Standardise(moments(sparse))
	if err != nil || none != nil {
		t.Fatalf("shift %v of sparse bags, %v", none, err)
	}
	for j := range same {
		if math.Abs(same[j]-factor[j]) > 1e-14 {
			t.Errorf("feature %d: factor %v of sparse bags, %v of dense", j, same[j], factor[j])
		}
	}
	for _, bags := range [][]Instances{nil, {&Dense{Cols: 3}}} {
		if _, _, err := Standardise(moments(bags)); err == nil || !strings.Contains(err.Error(), "no instances to standardise by") {
			t.Errorf("error %v", err)
		}
	}
}

// TestStandardiseParts: however instances are distributed over bags, their combined moments are the same. This holds
// far from zero, too, where sums of squares would cancel: an offset of 1e6 spreads would leave an error of
// 1e-16·(1e6)² = 1e-4 of the variance.
func TestStandardiseParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rows, cols = 200, 5
	offsets := []float64{0, 1, -1000, 1e6, 1e6}
	all := &Dense{Rows: rows, Cols: cols}
	for range rows {
		for j := range cols {
			all.Values = append(all.Values, float32(offsets[j]+random.NormFloat64()*float64(j)))
		}
	}
	whole, err := MomentsOf(all)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		var parts []Moments
		for from := 0; from < rows; {
			to := min(rows, from+random.IntN(30))
			m, err := MomentsOf(inPieces{&Dense{Rows: to - from, Cols: cols, Values: all.Values[from*cols : to*cols]}})
			if err != nil {
				t.Fatal(err)
			}
			parts, from = append(parts, m), to
		}
		shift, factor, err := Standardise(parts)
		if err != nil {
			t.Fatal(err)
		}
		for j := range cols {
			want := 0.0 // constant
			if j > 0 {
				want = 1 / math.Sqrt(whole.Square[j]/rows)
			}
			if math.Abs(shift[j]-whole.Mean[j]) > 1e-9*max(1, math.Abs(whole.Mean[j])) || math.Abs(factor[j]-want) > 1e-9*want {
				t.Errorf("feature %d: shift %v and factor %v, want %v and %v", j, shift[j], factor[j], whole.Mean[j], want)
			}
		}
	}
}
