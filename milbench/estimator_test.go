package milbench

import (
	"strings"
	"testing"
)

func TestTrainingValidate(t *testing.T) {
	good := func() Training {
		return Training{Bags: testSet(3, 1).Instances(), Targets: []Target{Labelled(1), Labelled(0), Labelled(0)}}
	}
	if err := good().Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Training){
		"2 targets for 3 training bags":   func(t *Training) { t.Targets = t.Targets[:2] },
		"training bag 1 has label 2":      func(t *Training) { t.Targets[1].Label = 2 },
		"bag 2 has no instances":          func(t *Training) { t.Bags[2] = nil },
		"bag 1 has 2 features, bag 0 has": func(t *Training) { t.Bags[1] = &Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}} },
	} {
		training := good()
		spoil(&training)
		if err := training.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSetTask(t *testing.T) {
	s := testSet(4, 2)
	s.Kind, s.Classes = ClassTarget, []string{"a", "b", "c"}
	task := s.Task([]Fit{{Fold: 1}})
	if task.Name != s.Name || task.Kind != ClassTarget || task.Classes != 3 || len(task.Bags) != 4 || len(task.Fits) != 1 || task.Bags[2] != s.Bags[2].Instances {
		t.Errorf("%+v", task)
	}
}
