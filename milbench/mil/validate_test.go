package mil

import (
	"math"
	"strings"
	"testing"
)

func TestValidateInstances(t *testing.T) {
	dense := func() Instances { return &Dense{Rows: 2, Cols: 3, Values: []float32{1, 2, 3, 4, 5, 6}} }
	sparse := func() Instances {
		return &Sparse{Rows: 3, Cols: 4, Values: []float32{1, 2, 3}, RowStart: []int{0, 2, 2, 3}, Column: []int32{1, 3, 0}}
	}
	for _, good := range []Instances{dense(), sparse(), &Dense{}, &Dense{Cols: 3}, &Dense{Rows: 2}, &Sparse{Rows: 1, Cols: 5, RowStart: []int{0, 0}}} {
		if err := ValidateInstances(good); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for name, test := range map[string]struct {
		form  func() Instances
		spoil func(Instances)
		want  string
	}{
		"negative":    {dense, func(m Instances) { m.(*Dense).Rows = -1 }, "-1 instances of 3 features"},
		"too few":     {dense, func(m Instances) { m.(*Dense).Values = m.(*Dense).Values[:5] }, "5 values for 2 instances of 3 features"},
		"too many":    {dense, func(m Instances) { m.(*Dense).Values = append(m.(*Dense).Values, 7, 8, 9) }, "9 values for 2 instances of 3 features"},
		"no features": {dense, func(m Instances) { m.(*Dense).Cols = 0 }, "6 values for 2 instances of 0 features"},
		"overflow": {dense, func(m Instances) {
			m.(*Dense).Rows, m.(*Dense).Cols, m.(*Dense).Values = 4, 1<<62+1, m.(*Dense).Values[:4]
		}, "4 values for 4 instances"},
		"NaN":             {dense, func(m Instances) { m.(*Dense).Values[4] = float32(math.NaN()) }, "value NaN of feature 2 of instance 2; replace it by a finite number"},
		"no starts":       {sparse, func(m Instances) { m.(*Sparse).RowStart = []int{} }, "3 values, 3 columns and 0 starts of rows for 3 instances"},
		"first start":     {sparse, func(m Instances) { m.(*Sparse).RowStart[0] = 1 }, "starts from 0 to 3 are needed"},
		"last start":      {sparse, func(m Instances) { m.(*Sparse).RowStart[3] = 2 }, "starts from 0 to 3 are needed"},
		"descending":      {sparse, func(m Instances) { m.(*Sparse).RowStart[2] = 1 }, "instance 2 has the values from 2 to 1 of 3"},
		"start beyond":    {sparse, func(m Instances) { m.(*Sparse).RowStart[1] = 4 }, "instance 1 has the values from 0 to 4 of 3"},
		"columns missing": {sparse, func(m Instances) { m.(*Sparse).Column = m.(*Sparse).Column[:2] }, "3 values, 2 columns"},
		"column beyond":   {sparse, func(m Instances) { m.(*Sparse).Column[1] = 4 }, "instance 1 has column 4 of 4"},
		"column before":   {sparse, func(m Instances) { m.(*Sparse).Column[2] = -1 }, "instance 3 has column -1 of 4"},
		"column twice":    {sparse, func(m Instances) { m.(*Sparse).Column[1] = 1 }, "instance 1 has column 1 after column 1"},
		"infinite":        {sparse, func(m Instances) { m.(*Sparse).Values[2] = float32(math.Inf(-1)) }, "value -Inf of feature 1 of instance 3"},
	} {
		m := test.form()
		test.spoil(m)
		if err := ValidateInstances(m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}

// rows are instances of a type that is not comparable.
type rows [][]float32

func (r rows) Len() int                           { return len(r) }
func (r rows) Features() int                      { return len(r[0]) }
func (r rows) Read(i, j int, dst []float32) error { copy(dst, r[i]); return nil }

func TestValidateOwnInstances(t *testing.T) {
	own := rows{{1, 2}}
	if err := ValidateInstances(own); err == nil || !strings.Contains(err.Error(), "use a pointer") {
		t.Errorf("error %v", err)
	}
	if err := ValidateInstances(&own); err != nil {
		t.Error(err)
	}
}
