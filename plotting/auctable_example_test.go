package plotting_test

import (
	"fmt"
	"math"

	"synpool/plotting"
)

func ExampleAUCTable() {
	figure, err := plotting.AUCTable("Mean AUC", []string{"musk1", "fox"}, []string{"mean", "softmax", "syn"}, [][]float64{
		{0.91, 0.87, 0.93},
		{0.61, math.NaN(), 0.58}, // softmax did not finish on fox
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "auc.pdf"))
	// Output: <nil>
}
