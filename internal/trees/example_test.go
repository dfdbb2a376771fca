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

// Rows restrict fitting and prediction to a part of the matrix, as in cross-validation.
func ExampleForest_Predict() {
	data := trees.Data{X: []float32{1, 2, 3, 4, 11, 12, 13, 14}, Features: 1, Labels: []int{0, 0, 0, 0, 1, 1, 1, 1}, Classes: 2}
	data.Rows = []int{0, 1, 2, 3, 5, 6, 7}
	config := trees.DefaultConfig()
	config.Trees = 100
	ctx := context.Background()
	forest, err := config.Fit(ctx, data, 1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := forest.Predict(ctx, data.X, []int{0, 7}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("row 0:", p[:2])
	fmt.Println("row 7:", p[2:])
	// Output:
	// row 0: [1 0]
	// row 7: [0 1]
}

// A forest of values follows numbers.
func ExampleData_values() {
	data := trees.Data{X: []float32{1, 2, 3, 4, 11, 12, 13, 14}, Features: 1, Values: []float64{2, 2, 2, 2, 7.5, 7.5, 7.5, 7.5}}
	ctx := context.Background()
	forest, err := trees.DefaultConfig().Fit(ctx, data, 1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := forest.Predict(ctx, []float32{0, 20}, nil, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(values)
	// Output: [2 7.5]
}

// A forest from a file is checked before it predicts.
func ExampleForest_Validate() {
	forest := &trees.Forest{
		Features: 1, Classes: 2, Starts: []int32{0, 3}, Feature: []int32{0, -1, -1}, Threshold: []float32{5, 0, 0},
		Next: []int32{2, 0, 1}, Leaves: []float32{1, 0, 0, 1}, Importance: []float64{1},
	}
	fmt.Println(forest.Validate())
	forest.Next[0] = 0 // a circle
	fmt.Println(forest.Validate())
	// Output:
	// <nil>
	// trees: tree 0: node 0 of 3 has the right child 0
}
