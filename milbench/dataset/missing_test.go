package dataset

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// values32 returns all instances of a set, bag by bag.
func values32(t *testing.T, s *mil.Set) (all []float32) {
	t.Helper()
	for _, b := range s.Bags {
		d, err := mil.ToDense(b.Instances)
		must(t, err)
		all = append(all, d.Values...)
	}
	return all
}

// TestMissing: a feature with missing values gets an indicator. In a column of words, missing is a word.
func TestMissing(t *testing.T) {
	const file = "bag,label,age,stain,size\na,0,5,HE,1\na,0,?,,2\nb,1,NaN,IHC,3\nb,1,7,HE,4\n"
	var notes []string
	o := Options{Median: true, Categorical: []string{"stain"}, Note: func(text string) { notes = append(notes, text) }}
	s, err := o.ReadCSV(strings.NewReader(file), "toy")
	must(t, err)
	if want := []string{"age", "stain=HE", "stain=IHC", "stain=missing", "size", "age=missing"}; !slices.Equal(s.Features, want) {
		t.Errorf("features %q, want %q", s.Features, want)
	}
	if want := []mil.Missing{{Feature: 0, Indicator: 5}}; !reflect.DeepEqual(s.Missing, want) || !slices.Equal(s.Words, []int{1, 2, 3}) {
		t.Errorf("missing %+v, want %+v; words %v", s.Missing, want, s.Words)
	}
	if got, want := values32(t, s), []float32{5, 1, 0, 0, 1, 0, 0, 0, 0, 1, 2, 1, 0, 0, 1, 0, 3, 1, 7, 1, 0, 0, 4, 0}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	if want := []string{"toy: features: age, stain, size", "toy: 3 values are missing; in age the median of each training part stands for them, and features such as age=missing say where; in stain they are the word missing"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}

	// A model gets the same features, whatever is missing.
	for file, want := range map[string][]float32{
		"bag,age,stain,size\nc,9,PAS,1\nc,n/a,NA,2\n": {9, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 1},
		"size,stain,age,bag\n1,HE,9,c\n":              {9, 1, 0, 0, 1, 0},
	} {
		again, err := Options{Unlabelled: true, Features: s.Features}.ReadCSV(strings.NewReader(file), "new")
		must(t, err)
		if got := values32(t, again); !slices.Equal(got, want) || !reflect.DeepEqual(again.Missing, s.Missing) {
			t.Errorf("%q: %v, missing %+v; want %v", file, got, again.Missing, want)
		}
	}
	_, err = Options{Unlabelled: true, Features: s.Features}.ReadCSV(strings.NewReader("bag,age,stain,size\nc,9,HE,\n"), "new")
	requireOneLine(t, err, "new", "1 value is missing, in size (1, the first in bag c); the model was trained without missing values there")

	// Missing values are written as NA; words are written as features.
	var written strings.Builder
	must(t, WriteCSV(&written, s))
	back, err := Options{Median: true}.ReadCSV(strings.NewReader(written.String()), "toy")
	if err != nil || !slices.Equal(back.Features, s.Features) || !reflect.DeepEqual(back.Missing, s.Missing) || !slices.Equal(values32(t, back), values32(t, s)) {
		t.Errorf("read back %+v, %v\n%s", back, err, written.String())
	}
	moveable := *s
	moveable.Missing = []mil.Missing{{Feature: 4, Indicator: 5}}
	if err := WriteCSV(&written, &moveable); err == nil || !strings.Contains(err.Error(), "ReadCSV would not make the same features with missing values") {
		t.Errorf("written: %v", err)
	}

	// Medians and their positions.
	medians, err := mil.Medians(s.Instances(), s.Missing)
	if err != nil || medians[0].Value != 6 {
		t.Fatalf("medians %+v, %v", medians, err)
	}
	filled, err := s.Impute(medians)
	must(t, err)
	for i, v := range values32(t, filled) {
		if stored := values32(t, s)[i]; v != stored && !(stored == 0 && v == 6 && i%6 == 0) {
			t.Errorf("value %d: %v, stored %v", i, v, stored)
		}
	}
	if sealed := resealed(t, &mil.Set{Bags: s.Bags}); sealed == s.Checksum {
		t.Error("a set without missing values has the same checksum")
	}
	// If another column holds instance labels, the features after it move.
	moved, err := MoveInstanceLabels(s, 5)
	if err != nil || !reflect.DeepEqual(moved.Missing, []mil.Missing{{Feature: 0, Indicator: 4}}) || !slices.Equal(moved.Words, []int{1, 2, 3}) {
		t.Errorf("moved %+v, %v", moved, err)
	}
	if moved, err = MoveInstanceLabels(s, LastColumn); err != nil || !reflect.DeepEqual(moved.InstanceLabels, [][]float64{{1, 2}, {3, 4}}) {
		t.Errorf("moved %+v, %v", moved, err)
	}
	for _, c := range []Column{1, 6} {
		if _, err := MoveInstanceLabels(s, c); err == nil || !strings.Contains(err.Error(), "has missing values or says where they are") {
			t.Errorf("column %v: %v", c, err)
		}
	}
}

// TestWordsNone: none and nil are words, but mean a missing number.
func TestWordsNone(t *testing.T) {
	o := Options{Categorical: []string{"drug"}}
	s, err := o.ReadCSV(strings.NewReader("bag,label,drug,dose\na,0,none,1\nb,1,nil,2\n"), "toy")
	if err != nil || !slices.Equal(s.Features, []string{"drug=nil", "drug=none", "dose"}) {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = o.ReadCSV(strings.NewReader("bag,label,drug,dose\na,0,missing,1\nb,1,A,2\n"), "toy")
	requireOneLine(t, err, "toy", "line 2: bag a, feature drug: the word missing, which is that of values that are missing; rename it")
	_, err = o.ReadCSV(strings.NewReader("bag,label,drug,dose\na,0,A,none\nb,1,A,2\n"), "toy")
	requireOneLine(t, err, "toy", "1 value is missing, in dose (1, the first in bag a)")
	// A column with = in its own name.
	s, err = Options{Median: true}.ReadCSV(strings.NewReader("bag,label,k=a\na,0,1\nb,1,\n"), "toy")
	must(t, err)
	again, err := Options{Unlabelled: true, Features: s.Features}.ReadCSV(strings.NewReader("bag,k=a\na,\n"), "new")
	if err != nil || !slices.Equal(values32(t, again), []float32{0, 1}) {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestMissingNowhere: without missing values the option changes nothing.
func TestMissingNowhere(t *testing.T) {
	const file = "bag,label,p,q\na,0,5,1\nb,1,6,2\n"
	plain, err := ReadCSV(strings.NewReader(file), "toy")
	must(t, err)
	s, err := Options{Median: true}.ReadCSV(strings.NewReader(file), "toy")
	if err != nil || s.Checksum != plain.Checksum || !slices.Equal(s.Features, plain.Features) || s.Missing != nil {
		t.Errorf("%+v, %v; want %+v", s, err, plain)
	}
}

// TestTableCoordinates: columns x and y are the positions of instances.
func TestTableCoordinates(t *testing.T) {
	const file = "bag,label,X,y,f,g\na,0,256,0.5,1,2\nb,1,512,1e5,3,4\na,0,-1,7,5,6\n"
	for name, c := range map[string]struct {
		file     string
		o        Options
		features []string
		at       [][2]float64 // of the first bag; nil for none
	}{
		"by name":         {file, Options{}, []string{"f", "g"}, [][2]float64{{256, 0.5}, {-1, 7}}},
		"chosen":          {file, Options{Coordinates: []string{"f", "g"}}, []string{"X", "y"}, [][2]float64{{1, 2}, {5, 6}}},
		"none":            {file, Options{Coordinates: []string{"none"}}, []string{"X", "y", "f", "g"}, nil},
		"of the model":    {file, Options{Unlabelled: true, Features: []string{"y", "X"}}, []string{"y", "X"}, nil},
		"beside a model":  {file, Options{Unlabelled: true, Features: []string{"g"}}, []string{"g"}, [][2]float64{{256, 0.5}, {-1, 7}}},
		"three axes":      {strings.Replace(file, ",g", ",z", 1), Options{}, []string{"X", "y", "f", "z"}, nil},
		"no other column": {"bag,label,x,y\na,0,1,2\nb,1,3,4\n", Options{}, []string{"x", "y"}, nil},
	} {
		s, err := c.o.ReadCSV(strings.NewReader(c.file), "toy")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var at [][2]float64
		if s.Bags[0].Coordinates != nil {
			if at, err = s.Bags[0].Coordinates(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(s.Features, c.features) || !slices.Equal(at, c.at) {
			t.Errorf("%s: features %q at %v, want %q at %v", name, s.Features, at, c.features, c.at)
		}
		if c.o.Unlabelled || len(c.o.Coordinates) > 0 {
			continue
		}
		var written strings.Builder
		if err := WriteCSV(&written, s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := ReadCSV(strings.NewReader(written.String()), "toy")
		if err != nil || back.Checksum != s.Checksum || (back.Bags[0].Coordinates == nil) != (at == nil) {
			t.Fatalf("%s: read back %+v, %v", name, back, err)
		}
		if at != nil {
			if again, err := back.Bags[0].Coordinates(); err != nil || !slices.Equal(again, at) {
				t.Errorf("%s: read back at %v, %v; want %v", name, again, err, at)
			}
		}
	}
}
