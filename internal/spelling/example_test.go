package spelling_test

import (
	"fmt"

	"synpool/internal/spelling"
)

func ExampleNearest() {
	fmt.Println(spelling.Nearest("hopfeld", []string{"syn", "softmax", "hopfield"}))
	// Output: hopfield
}
