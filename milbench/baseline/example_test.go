package baseline_test

import (
	"context"
	"encoding/json"
	"fmt"

	"synpool/milbench"
	"synpool/milbench/baseline"
)

// Four bags of one feature: a bag is positive if one of its instances is large.
var bags = []milbench.Matrix{
	{Rows: 3, Cols: 1, Values: []float64{0, 1, 9}},
	{Rows: 2, Cols: 1, Values: []float64{1, 2}},
	{Rows: 2, Cols: 1, Values: []float64{8, 0}},
	{Rows: 2, Cols: 1, Values: []float64{0, 1}},
}

func ExampleConfig_Fit() {
	train := []milbench.Example{{Bag: 0, Label: 1}, {Bag: 1, Label: 0}, {Bag: 2, Label: 1}, {Bag: 3, Label: 0}}
	model, err := baseline.DefaultConfig().Fit(context.Background(), bags, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, bag := range bags {
		score, err := model.Score(bag)
		fmt.Printf("%.2f from instance %d %v\n", score.Score, score.Winners[0], err)
	}
	// Output:
	// 1.26 from instance 2 <nil>
	// -0.03 from instance 1 <nil>
	// 1.07 from instance 0 <nil>
	// -0.22 from instance 1 <nil>
}

func ExampleModel_Scores() {
	model := &baseline.Model{Weights: []float64{0.5}, Bias: -2}
	fmt.Println(model.Scores(bags[0]))
	// Output: [-2 -1.5 2.5] <nil>
}

func ExampleInstance() {
	task := milbench.Task{Name: "four", Bags: bags, Fits: []milbench.Fit{{
		Setting: json.RawMessage(`{"pooling":"instance","loss":"hinge","c":1,"weighted":true}`),
		Train:   []milbench.Example{{Bag: 0, Label: 1}, {Bag: 1, Label: 0}},
		Test:    []int{2, 3},
	}}}
	err := baseline.Instance{Workers: 1}.Learn(context.Background(), task, func(o milbench.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		for _, bag := range o.Epochs[0].Test {
			fmt.Println(bag.Score > 0)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// true
	// false
	// <nil>
}

func ExampleConfig_UnmarshalJSON() {
	var c baseline.Config
	fmt.Println(json.Unmarshal([]byte(`{"pooling":"instance","loss":"logistic"}`), &c))
	// Output: setting without one of loss, c and weighted: {"pooling":"instance","loss":"logistic"}
}
