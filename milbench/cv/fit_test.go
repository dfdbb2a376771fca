package cv

import (
	"strings"
	"testing"

	"synpool/milbench/mil"
)

func TestTaskValidate(t *testing.T) {
	good := func() Task {
		bags := []mil.Instances{&mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}, &mil.Dense{Cols: 2}, &mil.Sparse{Rows: 1, Cols: 2, RowStart: []int{0, 0}}}
		return Task{Name: "three", Bags: bags, Fits: []Fit{{}, {Train: []Example{{0, mil.Labelled(1)}, {2, mil.Labelled(0)}}, Validation: []int{1}, Test: []int{2}}}}
	}
	if err := good().Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Task){
		"three: bag 0: 1 values for 1 instances":                func(t *Task) { t.Bags[0].(*mil.Dense).Values = []float32{1} },
		"three: bag 2 has 3 features, bag 0 has 2":              func(t *Task) { t.Bags[2].(*mil.Sparse).Cols = 3 },
		"three: bag 1 has no instances":                         func(t *Task) { t.Bags[1] = nil },
		"three: bag 0 has 0 features":                           func(t *Task) { t.Bags[0] = &mil.Dense{} },
		"three: fit 1: training bag 3 of 3; bags count from 0":  func(t *Task) { t.Fits[1].Train[0].Bag = 3 },
		"three: fit 1: training bag -1 of 3":                    func(t *Task) { t.Fits[1].Train[1].Bag = -1 },
		"three: fit 1: training bag 0 has label 2":              func(t *Task) { t.Fits[1].Train[0].Label = 2 },
		"three: fit 1: training bag 2 has label 3 of 3 classes": func(t *Task) { t.Kind, t.Classes, t.Fits[1].Train[1].Label = mil.ClassTarget, 3, 3 },
		"three: fit 1: bag -1 of 3 is to be scored":             func(t *Task) { t.Fits[1].Validation[0] = -1 },
		"three: fit 1: bag 3 of 3 is to be scored":              func(t *Task) { t.Fits[1].Test[0] = 3 },
		"task: fit 0: training bag 7 of 3; bags ":               func(t *Task) { t.Name, t.Fits[0].Train = "", []Example{{7, mil.Labelled(0)}} },
	} {
		task := good()
		spoil(&task)
		if err := task.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that starts with %q", err, want)
		}
	}
}
