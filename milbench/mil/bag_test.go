package mil

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// inPieces reads instances as if they were in a file.
type inPieces struct{ of Instances }

func (p inPieces) Len() int                           { return p.of.Len() }
func (p inPieces) Features() int                      { return p.of.Features() }
func (p inPieces) Read(i, j int, dst []float32) error { return p.of.Read(i, j, dst) }

// TestInstances reads the same instances from every form.
func TestInstances(t *testing.T) {
	dense := &Dense{Rows: 3, Cols: 4, Values: []float32{0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0}}
	sparse := &Sparse{Rows: 3, Cols: 4, Values: []float32{1, 2, 3}, RowStart: []int{0, 2, 2, 3}, Column: []int32{1, 3, 0}}
	if IsSparse(dense) || !IsSparse(sparse) {
		t.Fatal("the forms are mistaken for each other")
	}
	for _, x := range []Instances{dense, sparse, inPieces{dense}, inPieces{sparse}} {
		if x.Len() != 3 || x.Features() != 4 {
			t.Errorf("%T: %d instances of %d features", x, x.Len(), x.Features())
		}
		for i := range 4 {
			for j := i; j < 4; j++ {
				dst := slices.Repeat([]float32{9}, (j-i)*4)
				if err := x.Read(i, j, dst); err != nil || !slices.Equal(dst, dense.Values[4*i:4*j]) {
					t.Errorf("%T: instances from %d to %d are %v, %v", x, i, j, dst, err)
				}
			}
		}
		sum := float32(0)
		if err := EachValue(x, func(i, j int, v float32) { sum += v * float32(10*i+j+1) }); err != nil || sum != 1*2+2*4+3*21 {
			t.Errorf("%T: the values sum up to %v, %v", x, sum, err)
		}
		rows := 0
		if err := EachRow(x, func(i int, row []float32) {
			rows++
			if !slices.Equal(row, dense.Row(i)) {
				t.Errorf("%T: row %d is %v", x, i, row)
			}
		}); err != nil || rows != 3 {
			t.Errorf("%T: %d rows, %v", x, rows, err)
		}
		for _, convert := range []func() (Instances, error){
			func() (Instances, error) { return ToDense(x) },
			func() (Instances, error) { return ToSparse(x) },
		} {
			y, err := convert()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, 12)
			if err := y.Read(0, 3, got); err != nil || !slices.Equal(got, dense.Values) {
				t.Errorf("%T of %T: %v, %v", y, x, got, err)
			}
			if err := ValidateInstances(y); err != nil {
				t.Errorf("%T of %T: %v", y, x, err)
			}
		}
	}
}

// TestPack: the density of all bags together decides how they are stored. If one is not in memory, nothing changes.
func TestPack(t *testing.T) {
	thin := func() *Dense { return &Dense{Rows: 2, Cols: 4, Values: []float32{0, 1, 0, 0, 0, 0, 0, 0}} }
	full := func() *Dense { return &Dense{Rows: 1, Cols: 4, Values: []float32{1, 2, 3, 4}} }
	for _, c := range []struct {
		bags   []Instances
		sparse bool
	}{
		{[]Instances{thin(), thin()}, true},
		{[]Instances{thin(), full()}, false},
		{[]Instances{full(), full()}, false},
	} {
		var bags []Bag
		for _, x := range c.bags {
			bags = append(bags, Bag{Instances: x})
		}
		for range 2 { // a second call changes nothing
			Pack(bags)
			for i, b := range bags {
				if IsSparse(b.Instances) != c.sparse {
					t.Errorf("bag %d is a %T", i, b.Instances)
				}
			}
		}
	}
	bags := []Bag{{Instances: thin()}, {Instances: inPieces{thin()}}}
	Pack(bags)
	if IsSparse(bags[0].Instances) || IsSparse(bags[1].Instances) {
		t.Error("bags that are not all in memory were packed")
	}
}

func TestFloat32(t *testing.T) {
	for _, good := range []float64{0, 1, -1.5, 1e-60, 3.4e38} {
		if v, err := Float32(good); err != nil || v != float32(good) {
			t.Errorf("%v becomes %v, %v", good, v, err)
		}
	}
	for want, bad := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1), "too large for float32": 3.5e38} {
		if _, err := Float32(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v", bad, err)
		}
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
		"none":        {func(s *Set) { s.Bags = nil }, "test: no bags"},
		"features":    {func(s *Set) { s.Bags[0].Instances = &Dense{Rows: 1} }, "bag bag0 has no features"},
		"duplicate":   {func(s *Set) { s.Bags[2].ID = "bag1" }, "bag bag1 occurs twice"},
		"label":       {func(s *Set) { s.Bags[3].Label = 2 }, "bag bag3 has label 2"},
		"empty":       {func(s *Set) { s.Bags[1].Instances = &Dense{Cols: 1} }, "bag bag1 is empty"},
		"width":       {func(s *Set) { s.Bags[1].Instances = &Dense{Rows: 1, Cols: 7, Values: make([]float32, 7)} }, "bag bag1 has 7 features, bag bag0 has 1"},
		"split":       {func(s *Set) { s.Bags[1].Split = TestPart }, "bag bag0 belongs to neither part"},
		"malformed":   {func(s *Set) { s.Bags[2].Instances.(*Dense).Values = nil }, "test: bag bag2: 0 values for 1 instances"},
		"none at all": {func(s *Set) { s.Bags[1].Instances = nil }, "bag bag1 has no instances"},
		"names":       {func(s *Set) { s.Classes = []string{"one"} }, "1 names of classes for a target of kind binary"},
		"unnamed":     {func(s *Set) { s.Kind = ClassTarget }, "0 names of classes for a target of kind classes"},
		"absent":      {func(s *Set) { s.Kind, s.Classes = ClassTarget, []string{"a", "b", "c"} }, "no bag has label c"},
		"beyond":      {func(s *Set) { s.Kind, s.Classes, s.Bags[0].Label = ClassTarget, []string{"a", "b"}, 2 }, "bag bag0 has label 2 of 2 classes"},
		"real":        {func(s *Set) { s.Kind, s.Bags[2].Value = RealTarget, math.NaN() }, "bag bag2 has target NaN"},
		"time":        {func(s *Set) { s.Kind, s.Bags[2].Value = SurvivalTarget, -1 }, "bag bag2 has time -1"},
		"class":       {func(s *Set) { s.Bags[0].Label, s.Bags[1].Label = 0, 0 }, "all 4 bags have label 0"},
	} {
		s := testSet(4, 2)
		test.spoil(s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}
