package milbench

import (
	"math"
	"strings"
	"testing"
)

func TestMatrixValidate(t *testing.T) {
	dense := func() Matrix { return Matrix{Rows: 2, Cols: 3, Values: []float64{1, 2, 3, 4, 5, 6}} }
	sparse := func() Matrix {
		return Matrix{Rows: 3, Cols: 4, Values: []float64{1, 2, 3}, RowStart: []int{0, 2, 2, 3}, Column: []int32{1, 3, 0}}
	}
	for _, good := range []Matrix{dense(), sparse(), {}, {Cols: 3}, {Rows: 2}, {Rows: 1, Cols: 5, RowStart: []int{0, 0}}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for name, test := range map[string]struct {
		form  func() Matrix
		spoil func(*Matrix)
		want  string
	}{
		"negative":        {dense, func(m *Matrix) { m.Rows = -1 }, "-1 instances of 3 features"},
		"too few":         {dense, func(m *Matrix) { m.Values = m.Values[:5] }, "5 values for 2 instances of 3 features"},
		"too many":        {dense, func(m *Matrix) { m.Values = append(m.Values, 7, 8, 9) }, "9 values for 2 instances of 3 features"},
		"no features":     {dense, func(m *Matrix) { m.Cols = 0 }, "6 values for 2 instances of 0 features"},
		"overflow":        {dense, func(m *Matrix) { m.Rows, m.Cols, m.Values = 4, 1<<62+1, m.Values[:4] }, "4 values for 4 instances"},
		"NaN":             {dense, func(m *Matrix) { m.Values[4] = math.NaN() }, "value NaN of feature 2 of instance 2; replace it by a finite number"},
		"no starts":       {sparse, func(m *Matrix) { m.RowStart = []int{} }, "3 values, 3 columns and 0 starts of rows for 3 instances"},
		"first start":     {sparse, func(m *Matrix) { m.RowStart[0] = 1 }, "starts from 0 to 3 are needed"},
		"last start":      {sparse, func(m *Matrix) { m.RowStart[3] = 2 }, "starts from 0 to 3 are needed"},
		"descending":      {sparse, func(m *Matrix) { m.RowStart[2] = 1 }, "instance 2 has the values from 2 to 1 of 3"},
		"start beyond":    {sparse, func(m *Matrix) { m.RowStart[1] = 4 }, "instance 1 has the values from 0 to 4 of 3"},
		"columns missing": {sparse, func(m *Matrix) { m.Column = m.Column[:2] }, "3 values, 2 columns"},
		"column beyond":   {sparse, func(m *Matrix) { m.Column[1] = 4 }, "instance 1 has column 4 of 4"},
		"column before":   {sparse, func(m *Matrix) { m.Column[2] = -1 }, "instance 3 has column -1 of 4"},
		"column twice":    {sparse, func(m *Matrix) { m.Column[1] = 1 }, "instance 1 has column 1 after column 1"},
		"infinite":        {sparse, func(m *Matrix) { m.Values[2] = math.Inf(-1) }, "value -Inf of feature 1 of instance 3"},
	} {
		m := test.form()
		test.spoil(&m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}

func TestTaskValidate(t *testing.T) {
	good := func() Task {
		bags := []Matrix{{Rows: 1, Cols: 2, Values: []float64{1, 2}}, {Cols: 2}, {Rows: 1, Cols: 2, RowStart: []int{0, 0}}}
		return Task{Name: "three", Bags: bags, Fits: []Fit{{}, {Train: []Example{{0, 1}, {2, 0}}, Validation: []int{1}, Test: []int{2}}}}
	}
	if err := good().Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Task){
		"three: bag 0: 1 values for 1 instances":               func(t *Task) { t.Bags[0].Values = t.Bags[0].Values[:1] },
		"three: bag 2 has 3 features, bag 0 has 2":             func(t *Task) { t.Bags[2].Cols = 3 },
		"three: bag 0 has 0 features":                          func(t *Task) { t.Bags[0] = Matrix{} },
		"three: fit 1: training bag 3 of 3 with label 1":       func(t *Task) { t.Fits[1].Train[0].Bag = 3 },
		"three: fit 1: training bag -1 of 3":                   func(t *Task) { t.Fits[1].Train[1].Bag = -1 },
		"three: fit 1: training bag 0 of 3 with label 2":       func(t *Task) { t.Fits[1].Train[0].Label = 2 },
		"three: fit 1: bag -1 of 3 is to be scored":            func(t *Task) { t.Fits[1].Validation[0] = -1 },
		"three: fit 1: bag 3 of 3 is to be scored":             func(t *Task) { t.Fits[1].Test[0] = 3 },
		"task: fit 0: training bag 7 of 3 with label 0; bags ": func(t *Task) { t.Name, t.Fits[0].Train = "", []Example{{7, 0}} },
	} {
		task := good()
		spoil(&task)
		if err := task.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that starts with %q", err, want)
		}
	}
}
