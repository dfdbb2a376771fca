package dataset

import (
	"reflect"
	"testing"

	"synpool/milbench/mil"
)

func TestParseColumn(t *testing.T) {
	for text, want := range map[string]Column{"": NoColumn, "last": LastColumn, "1": 1, "231": 231} {
		c, err := ParseColumn(text)
		if err != nil || c != want {
			t.Errorf("ParseColumn(%q) = %d, %v; want %d", text, c, err, want)
		}
		if c.String() != text {
			t.Errorf("Column(%d) prints as %q, want %q", c, c, text)
		}
	}
	for _, text := range []string{"0", "-1", "first", "Last", "1.5", " 1", "99999999999999999999"} {
		if c, err := ParseColumn(text); err == nil {
			t.Errorf("ParseColumn(%q) = %d, want an error", text, c)
		}
	}
}

func TestMoveInstanceLabels(t *testing.T) {
	dense := toy(t, [][]float64{{1, 2, 0}, {3, 4, 1}}, [][]float64{{5, 6, -1}})
	dense.Features = []string{"a", "b", "c"}
	sparse := toy(t, [][]float64{{0, 2, 0, 0, 0}, {0, 0, 0, 0, 9}}, [][]float64{{0, 0, 0, 0, 0}})
	for _, c := range []struct {
		set      *mil.Set
		column   Column
		moved    [][]float64
		rest     []mil.Instances
		features []string
	}{
		{dense, LastColumn, [][]float64{{0, 1}, {-1}}, []mil.Instances{&mil.Dense{Rows: 2, Cols: 2, Values: []float32{1, 2, 3, 4}}, &mil.Dense{Rows: 1, Cols: 2, Values: []float32{5, 6}}}, []string{"a", "b"}},
		{dense, 1, [][]float64{{1, 3}, {5}}, []mil.Instances{&mil.Dense{Rows: 2, Cols: 2, Values: []float32{2, 0, 4, 1}}, &mil.Dense{Rows: 1, Cols: 2, Values: []float32{6, -1}}}, []string{"b", "c"}},
		{dense, NoColumn, nil, []mil.Instances{&mil.Dense{Rows: 2, Cols: 3, Values: []float32{1, 2, 0, 3, 4, 1}}, &mil.Dense{Rows: 1, Cols: 3, Values: []float32{5, 6, -1}}}, []string{"a", "b", "c"}},
		{sparse, 2, [][]float64{{2, 0}, {0}}, []mil.Instances{&mil.Sparse{Rows: 2, Cols: 4, Values: []float32{9}, Column: []int32{3}, RowStart: []int{0, 0, 1}}, &mil.Sparse{Rows: 1, Cols: 4, RowStart: []int{0, 0}}}, nil},
	} {
		before := c.set.Checksum
		s, err := MoveInstanceLabels(c.set, c.column)
		must(t, err)
		if !reflect.DeepEqual(s.InstanceLabels, c.moved) || !reflect.DeepEqual(s.Features, c.features) {
			t.Errorf("column %v: instance labels %v, features %q; want %v, %q", c.column, s.InstanceLabels, s.Features, c.moved, c.features)
		}
		for i, b := range s.Bags {
			if !reflect.DeepEqual(b.Instances, c.rest[i]) {
				t.Errorf("column %v: bag %s holds %+v, want %+v", c.column, b.ID, b.Instances, c.rest[i])
			}
		}
		if resealed(t, c.set) != before {
			t.Errorf("column %v: the original changed", c.column)
		}
		if moved := c.column != NoColumn; (s.Checksum != before) != moved {
			t.Errorf("column %v: checksum %s after %s", c.column, s.Checksum, before)
		}
	}
}

func TestMoveInstanceLabelsRefuses(t *testing.T) {
	s := toy(t, [][]float64{{1, 2}}, [][]float64{{3, 4}})
	labelled, err := MoveInstanceLabels(s, LastColumn)
	must(t, err)
	for _, c := range []struct {
		set    *mil.Set
		column Column
		want   string
	}{
		{s, 3, "no column 3; the set stores columns 1 to 2"},
		{s, -2, "no column -2"},
		{labelled, LastColumn, "the set has instance labels already"},
		{toy(t, [][]float64{{1}}, [][]float64{{3}}), 1, "column 1 is the only one"},
		{&mil.Set{Name: "toy"}, LastColumn, "no column last"},
	} {
		_, err := MoveInstanceLabels(c.set, c.column)
		requireOneLine(t, err, "toy", c.want)
	}
	if again, err := MoveInstanceLabels(labelled, NoColumn); err != nil || !reflect.DeepEqual(again, labelled) {
		t.Errorf("a copy of a set with instance labels: %+v, %v", again, err)
	}
}
