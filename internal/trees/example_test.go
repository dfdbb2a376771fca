package trees_test

import (
	"context"
	"fmt"

	"synpool/internal/trees"
)

// The second feature tells the classes apart; the third is constant.
func ExampleConfig_Fit() {
	data := trees.Data{
		X: []float32{
			1, 10, 7,
			2, 11, 7,
			1, 20, 7,
			2, 21, 7,
		},
		Features: 3,
		Labels:   []int{0, 0, 1, 1},
		Classes:  2,
	}
	config := trees.DefaultConfig()
	config.Features = 2 // candidates per node
	forest, err := config.Fit(context.Background(), data, 1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(forest.Trees(), "trees")
	fmt.Println("the second feature matters most:", forest.Importance[1] > forest.Importance[0])
	fmt.Println("importance of the third:", forest.Importance[2])
	// Output:
	// 500 trees
	// the second feature matters most: true
	// importance of the third: 0
}
