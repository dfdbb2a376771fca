package learner_test

import (
	"context"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// bags returns six bags with one instance each, every other one positive.
func bags() *mil.Set {
	s := &mil.Set{Name: "six", Checksum: "none"}
	for i := range 6 {
		s.Bags = append(s.Bags, mil.Bag{
			ID: fmt.Sprint("bag", i), Target: mil.Labelled(i % 2),
			Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{float32(i), 1}},
		})
	}
	return s
}

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
	s := bags()
	t := learner.Training{Bags: s.Instances()}
	for _, b := range s.Bags {
		t.Targets = append(t.Targets, b.Target)
	}
	model, err := majority{}.Fit(context.Background(), t)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := model.Predict(s.Bags[0].Instances)
	fmt.Println(p.Scores, err)
	// Output: [0.5] <nil>
}

func ExampleTakes_Check() {
	takes := learner.Takes{Name: "nearest", Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
	fmt.Println(takes.Check(cv.Task{Name: "grades", Kind: mil.ClassTarget, Classes: 3}))
	// Output: grades: nearest cannot learn targets of kind classes; it learns: binary
}
