package milbench

import (
	"slices"
	"strings"
	"testing"
)

// TestMatrix reads the same rows from both forms.
func TestMatrix(t *testing.T) {
	dense := Matrix{Rows: 3, Cols: 4, Values: []float64{0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0}}
	sparse := Matrix{Rows: 3, Cols: 4, Values: []float64{1, 2, 3}, RowStart: []int{0, 2, 2, 3}, Column: []int32{1, 3, 0}}
	if dense.Sparse() || !sparse.Sparse() {
		t.Fatal("the forms are mistaken for each other")
	}
	for i := range 3 {
		a, b := make([]float64, 4), []float64{9, 9, 9, 9}
		dense.Row(i, a)
		sparse.Row(i, b)
		if !slices.Equal(a, dense.Values[4*i:4*i+4]) || !slices.Equal(a, b) {
			t.Errorf("row %d is %v dense and %v sparse", i, a, b)
		}
		sum := 0.0
		dense.Each(i, func(j int, v float64) { sum += v * float64(j+1) })
		sparse.Each(i, func(j int, v float64) { sum -= v * float64(j+1) })
		if sum != 0 {
			t.Errorf("row %d has other entries in the other form", i)
		}
	}
}

func TestSetCounts(t *testing.T) {
	s := testSet(5, 2)
	if s.NumPositive() != 2 || s.NumInstances() != 5 || s.NumFeatures() != 1 || s.HasSplit() {
		t.Errorf("%d positive, %d instances, %d features, split %v", s.NumPositive(), s.NumInstances(), s.NumFeatures(), s.HasSplit())
	}
	if n := new(Set).NumFeatures(); n != 0 {
		t.Errorf("a set without bags has %d features", n)
	}
	if !split(s).HasSplit() {
		t.Error("the split is not seen")
	}
}

func TestSetValidate(t *testing.T) {
	if err := testSet(4, 2).Validate(); err != nil {
		t.Error(err)
	}
	for name, test := range map[string]struct {
		spoil func(*Set)
		want  string
	}{
		"none":      {func(s *Set) { s.Bags = nil }, "test: no bags"},
		"features":  {func(s *Set) { s.Bags[0].Instances.Cols = 0 }, "bag bag0 has no features"},
		"duplicate": {func(s *Set) { s.Bags[2].ID = "bag1" }, "bag bag1 stands twice"},
		"label":     {func(s *Set) { s.Bags[3].Label = 2 }, "bag bag3 has label 2"},
		"empty":     {func(s *Set) { s.Bags[1].Instances.Rows = 0 }, "bag bag1 is empty"},
		"width":     {func(s *Set) { s.Bags[1].Instances.Cols = 7 }, "bag bag1 has 7 features, bag bag0 has 1"},
		"split":     {func(s *Set) { s.Bags[1].Split = TestPart }, "bag bag0 belongs to neither part"},
		"malformed": {func(s *Set) { s.Bags[2].Instances.Values = nil }, "test: bag bag2: 0 values for 1 instances"},
		"class":     {func(s *Set) { s.Bags[0].Label, s.Bags[1].Label = 0, 0 }, "all 4 bags have label 0"},
	} {
		s := testSet(4, 2)
		test.spoil(s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}
