package plotting_test

import (
	"fmt"
	"math"

	"synpool/plotting"
)

func ExampleIntervals() {
	figure, err := plotting.Intervals("Ages of 60 bags", plotting.Measure{Name: "R²", Least: math.Inf(-1), Meaning: "predicting the mean"}, []plotting.IntervalRow{
		{Set: "ages", Setting: "gated", Mean: 0.41, Low: 0.22, High: 0.60, N: 10, Over: "repeats"},
		{Set: "ages", Setting: "max", Mean: -0.12, Low: -0.35, High: 0.11, N: 10, Over: "repeats"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "r2.png"))
	// Output: <nil>
}

func ExampleConfusion() {
	figure, err := plotting.Confusion("Test bags of five folds", []string{"benign", "malignant", "uncertain"}, [][]float64{{22, 3, 0}, {7, 10, 4}, {0, 2, 12}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "confusion.png"))
	// Output: <nil>
}

func ExamplePredictions() {
	figure, err := plotting.Predictions("Test bags of five folds", "True age (years)", "Predicted age (years)", []float64{31, 44, 58, 72}, []float64{36, 41, 60, 66})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "predictions.png"))
	// Output: <nil>
}

func ExampleSurvival() {
	// Of three bags two had the event, after 4 and 9 months; the third was seen without it for 12 months.
	figure, err := plotting.Survival("Bags of high risk", "Time (months)", []plotting.SurvivalCurve{{
		Name: "high risk", Times: []float64{4, 9, 12}, Survival: []float64{2. / 3, 1. / 3, 1. / 3}, Censored: []float64{12}, Followed: []float64{4, 9, 12},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "survival.png"))
	// Output: <nil>
}
