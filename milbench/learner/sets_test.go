package learner

import (
	"fmt"

	"synpool/milbench/mil"
)

// testSet returns n bags of one instance, the first ones positive.
func testSet(n, positive int) *mil.Set {
	s := &mil.Set{Name: "test", Checksum: "0"}
	for i := range n {
		label := 0
		if i < positive {
			label = 1
		}
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint("bag", i), Target: mil.Labelled(label), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{0}}})
	}
	return s
}
