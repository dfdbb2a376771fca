package dataset

import (
	"reflect"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

func TestReadC45(t *testing.T) {
	s, err := ReadC45(strings.NewReader("| two molecules\nMUSK-1,1_1,42,-198,0.\n MUSK-2, 2_1, 3e1, 0, 1.\nMUSK-1,1_2,7,8,0\n"), "toy.data")
	must(t, err)
	want := []mil.Bag{
		{ID: "MUSK-1", Target: mil.Labelled(0), Instances: &mil.Dense{Rows: 2, Cols: 2, Values: []float32{42, -198, 7, 8}}},
		{ID: "MUSK-2", Target: mil.Labelled(1), Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{30, 0}}},
	}
	if !reflect.DeepEqual(s.Bags, want) {
		t.Errorf("read %+v, want %+v", s.Bags, want)
	}
}

func TestReadC45Refuses(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "no bags"},
		{"a,a_1,0.\n", "line 1: 3 fields; a line holds bag, instance, features and class"},
		{"a,a_1,5,2.\n", "all 1 bags have label 2; two classes are needed"},
		{"a,a_1,5,0.\nb,b_1,5,6,1.\n", "line 2 has 5 fields, the lines before have 4"},
		{"a,a_1,5,0.\nb,b_1,x,1.\n", `line 2: bag b, feature 1: "x" is not a number`},
		{"a,a_1,5,0.\nb,b_1,NaN,1.\n", "line 2: bag b, feature 1: value NaN"},
		{"a,a_1,5,0.\na,a_2,5,1.\n", "line 2: bag a has label 1 here and 0 before"},
		{"a,a_1,5,0.\nb,b_1,5,0.\n", "two classes are needed"},
		{",a_1,5,0.\n", "line 1: no bag id"},
		{"a\x00,a_1,5,0.\n", `line 1: bag id "a\x00"`},
	} {
		_, err := ReadC45(strings.NewReader(c.file), "toy.data")
		requireOneLine(t, err, "toy.data", c.want)
	}
}
