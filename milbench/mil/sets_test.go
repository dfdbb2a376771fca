package mil

import "fmt"

// testSet returns n bags of one instance, the first ones positive.
func testSet(n, positive int) *Set {
	s := &Set{Name: "test", Checksum: "0"}
	for i := range n {
		label := 0
		if i < positive {
			label = 1
		}
		s.Bags = append(s.Bags, Bag{ID: fmt.Sprint("bag", i), Target: Labelled(label), Instances: &Dense{Rows: 1, Cols: 1, Values: []float32{0}}})
	}
	return s
}
