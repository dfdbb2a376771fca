package cell

import (
	"fmt"
	"strconv"
)

func ExampleMust() {
	fmt.Println(Must(strconv.Atoi("12")))
	// Output: 12
}
