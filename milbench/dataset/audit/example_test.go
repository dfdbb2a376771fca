package audit_test

import (
	"fmt"

	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

func ExampleInspect() {
	set, err := dataset.Musk1()
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := audit.Inspect(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bags (%d positive) of %d to %d instances, %d features\n", r.Bags, r.Positive, r.BagSize.Min, r.BagSize.Max, r.Features)
	fmt.Println("clean:", r.OK())

	for _, b := range set.Bags { // the label, in place of a feature
		d := b.Instances.(*mil.Dense)
		for i := range d.Rows {
			d.Row(i)[0] = float32(b.Label)
		}
	}
	if r, err = audit.Inspect(set); err != nil {
		fmt.Println(err)
	}
	for _, leak := range r.Leaks {
		fmt.Println(leak)
	}
	// Output:
	// 92 bags (47 positive) of 2 to 40 instances, 166 features
	// clean: true
	// column 1: its value, the same within every bag, tells the label of 92 of 92 bags
}

func ExampleGroupDuplicates() {
	set := &mil.Set{Name: "tissue"}
	for i, value := range []float32{1, 2, 1, 3} {
		set.Bags = append(set.Bags, mil.Bag{ID: string(rune('a' + i)), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{value}}})
	}
	grouped, duplicates, err := audit.GroupDuplicates(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range duplicates {
		fmt.Println("the same:", d.Bags)
	}
	for _, b := range grouped.Bags {
		fmt.Printf("%s %q\n", b.ID, b.Group)
	}
	// Output:
	// the same: [a c]
	// a "duplicates of a"
	// b ""
	// c "duplicates of a"
	// d ""
}
