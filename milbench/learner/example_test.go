package learner_test

import (
	"context"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// A classical learner is a struct with one method, and so is its model.
type majority struct{}

func (majority) Fit(_ context.Context, t learner.Training) (learner.Model, error) {
	positive := 0
	for _, target := range t.Targets {
		positive += target.Label
	}
	return share(float64(positive) / float64(len(t.Targets))), nil
}

type share float64

func (s share) Predict(mil.Instances) (mil.Prediction, error) {
	return mil.Scored(float64(s)), nil
}

func ExampleEstimator() {
	bag := &mil.Dense{Rows: 1, Cols: 2, Values: []float32{3, 1}}
	t := learner.Training{Bags: []mil.Instances{bag, bag}, Targets: []mil.Target{mil.Labelled(0), mil.Labelled(1)}}
	model, err := majority{}.Fit(context.Background(), t)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := model.Predict(bag)
	fmt.Println(p.Scores, err)
	// Output: [0.5] <nil>
}

func ExampleTakes_Check() {
	takes := learner.Takes{Name: "nearest", Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
	fmt.Println(takes.Check(cv.Task{Name: "grades", Kind: mil.ClassTarget, Classes: 3}))
	// Output: grades: nearest cannot learn targets of kind classes; it learns: binary
}
