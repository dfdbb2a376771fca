package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExamplePCA() {
	places, shares, err := plotting.PCA([][]float64{{0, 0}, {3, 4}, {6, 8}})
	fmt.Printf("%.1f %.2f %v\n", places, shares, err)
	// Output: [[-5.0 0.0] [0.0 0.0] [5.0 0.0]] [1.00 0.00] <nil>
}
