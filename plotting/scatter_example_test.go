package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleScatter() {
	pooled := [][]float64{{1, 0, 2}, {2, 0, 4}, {3, 1, 6}, {9, 5, 0}, {8, 5, 1}}
	classes := []string{"negative", "negative", "negative", "positive", "positive"}
	places, shares, err := plotting.PCA(pooled)
	if err != nil {
		fmt.Println(err)
		return
	}
	var points []plotting.ScatterPoint
	for i, p := range places {
		points = append(points, plotting.ScatterPoint{X: p[0], Y: p[1], Class: classes[i], Test: i%2 == 1})
	}
	x := fmt.Sprintf("First principal component (%.0f %% of the variance)", 100*shares[0])
	y := fmt.Sprintf("Second principal component (%.0f %%)", 100*shares[1])
	figure, err := plotting.Scatter("Pooled bags", x, y, points)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "bags.png"))
	// Output: <nil>
}

func ExampleScatterPanels() {
	figure, err := plotting.ScatterPanels("Before and after pooling", 2, []plotting.ScatterPanel{
		{Name: "instances", Points: []plotting.ScatterPoint{{X: 1, Y: 2, Class: "positive"}, {X: 2, Y: 1, Class: "negative"}, {X: 1.5, Y: 1.2, Class: "positive", Test: true}}},
		{Name: "pooled", Points: []plotting.ScatterPoint{{X: 1, Y: 0, Class: "positive"}, {X: -1, Y: 0, Class: "negative"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "spaces.png"))
	// Output: <nil>
}
