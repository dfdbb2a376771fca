package mil_test

import (
	"fmt"

	"synpool/milbench/mil"
)

// bags returns six bags with one instance each, every other one positive.
func bags() *mil.Set {
	s := &mil.Set{Name: "six", Checksum: "none"}
	for i := range 6 {
		s.Bags = append(s.Bags, mil.Bag{
			ID: fmt.Sprint("bag", i), Target: mil.Labelled(i % 2),
			Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{float32(i), 1}},
		})
	}
	return s
}

func ExampleSet_Validate() {
	s := bags()
	s.Bags[4].ID = "bag3"
	fmt.Println(s.Validate())
	// Output: six: bag bag3 occurs twice; give every bag an id of its own
}

func ExampleSet_Instances() {
	for _, m := range bags().Instances()[:2] {
		fmt.Println(m.(*mil.Dense).Values)
	}
	// Output:
	// [0 1]
	// [1 1]
}

func ExampleEachRow() {
	bag := &mil.Sparse{Rows: 2, Cols: 3, Values: []float32{5, 7}, RowStart: []int{0, 1, 2}, Column: []int32{2, 0}}
	err := mil.EachRow(bag, func(i int, row []float32) { fmt.Println(i, row) })
	fmt.Println(err)
	// Output:
	// 0 [0 0 5]
	// 1 [7 0 0]
	// <nil>
}

func ExampleEachValue() {
	bag := &mil.Sparse{Rows: 2, Cols: 3, Values: []float32{5, 7}, RowStart: []int{0, 1, 2}, Column: []int32{2, 0}}
	_ = mil.EachValue(bag, func(i, j int, v float32) { fmt.Println(i, j, v) })
	// Output:
	// 0 2 5
	// 1 0 7
}

func ExamplePack() {
	s := bags()
	for i := range s.Bags {
		s.Bags[i].Instances = &mil.Dense{Rows: 1, Cols: 8, Values: []float32{0, 0, float32(i), 0, 0, 0, 0, 0}}
	}
	mil.Pack(s.Bags)
	fmt.Println(mil.IsSparse(s.Bags[5].Instances))
	// Output: true
}

func ExampleSet_Seal() {
	s := bags()
	err := s.Seal()
	fmt.Println(s.Checksum[:8], err)
	s.Bags[0].Group = "patient 7"
	err = s.Seal()
	fmt.Println(s.Checksum[:8], err)
	// Output:
	// fa98ad2f <nil>
	// ce5d4755 <nil>
}

func ExampleSet_ClassName() {
	s := bags()
	s.Classes = []string{"normal", "tumour"}
	fmt.Println(s.ClassName(s.Bags[1].Label), s.NumLabelled(1))
	// Output: tumour 3
}

func ExampleTargetKind_String() {
	var kind mil.TargetKind
	err := kind.UnmarshalText([]byte("survival"))
	fmt.Println(mil.BinaryTarget, kind, err)
	// Output: binary survival <nil>
}

func ExampleParseNumber() {
	for _, text := range []string{"-1.5e3", "1_000", "0x1p-2", "inf"} {
		v, err := mil.ParseNumber(text)
		fmt.Println(v, err)
	}
	// Output:
	// -1500 <nil>
	// 0 strconv.ParseNumber: parsing "1_000": invalid syntax
	// 0 strconv.ParseNumber: parsing "0x1p-2": invalid syntax
	// 0 strconv.ParseNumber: parsing "inf": invalid syntax
}

func ExampleValidateInstances() {
	fmt.Println(mil.ValidateInstances(&mil.Dense{Rows: 2, Cols: 3, Values: []float32{1, 2, 3, 4, 5}}))
	// Output: 5 values for 2 instances of 3 features; one for each is needed
}

func ExampleStandardise() {
	moments, err := mil.MomentsOf(&mil.Dense{Rows: 2, Cols: 2, Values: []float32{1, 5, 7, 5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	shift, factor, err := mil.Standardise([]mil.Moments{moments})
	fmt.Println(shift, factor, err)
	// Output: [4 5] [0.3333333333333333 0] <nil>
}

func ExamplePrepare() {
	// The second instance of the training part has no value for feature 0, as feature 1 shows. Feature 2 is a word
	// that the training part lacks.
	bag := &mil.Dense{Rows: 3, Cols: 3, Values: []float32{5, 0, 0, 0, 1, 0, 8, 0, 0}}
	p, err := mil.Prepare([]mil.Instances{bag}, []mil.Missing{{Feature: 0, Indicator: 1}}, []int{2})
	if err != nil {
		fmt.Println(err)
		return
	}
	other, err := p.Of(&mil.Dense{Rows: 1, Cols: 3, Values: []float32{0, 1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := mil.ToDense(other)
	fmt.Println(d.Values, err)
	// Output: [6.5 1 0] <nil>
}

func ExampleProfileOf() {
	bag := func(id, patient string, values ...float32) mil.Bag {
		return mil.Bag{ID: id, Group: patient, Instances: &mil.Dense{Rows: len(values), Cols: 1, Values: values}}
	}
	set := &mil.Set{Name: "toy", Features: []string{"size"}, Bags: []mil.Bag{bag("a", "p", 1, 3), bag("b", "p", 2, 2), bag("c", "q", 5)}}
	p, err := mil.ProfileOf(set)
	f := p.Features[0]
	fmt.Printf("%d bags of %d groups; %s: mean %.2f, from %g to %g %v\n", p.Bags, p.Groups, f.Name, f.Mean, f.Least, f.Largest, err)
	fmt.Println(mil.Units(set.Bags))
	// Output:
	// 3 bags of 2 groups; size: mean 2.60, from 1 to 5 <nil>
	// [[0 1] [2]]
}

func ExampleContentSum() {
	a, err := mil.ContentSum(&mil.Dense{Rows: 2, Cols: 1, Values: []float32{1, 2}})
	b, _ := mil.ContentSum(&mil.Dense{Rows: 2, Cols: 1, Values: []float32{2, 1}})
	fmt.Println(a == b, err)
	// Output: true <nil>
}
