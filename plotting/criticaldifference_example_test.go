package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleCriticalDifference() {
	// Four methods on fourteen sets, at the critical difference of the test of Nemenyi at 10 %.
	figure, err := plotting.CriticalDifference("Average ranks over 14 sets", []plotting.MethodRank{
		{Name: "mean", Rank: 3.1}, {Name: "softmax", Rank: 2.0}, {Name: "gated", Rank: 2.9}, {Name: "syn", Rank: 2.0},
	}, 1.12)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "ranks.pdf"))
	// Output: <nil>
}
