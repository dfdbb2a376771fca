package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// TestTables reads one set from tables in different forms, with their notes.
func TestTables(t *testing.T) {
	want, err := ReadCSV(strings.NewReader("bag,label,group,f1,f2\nb1,well,p1,1,2.5\nb2,ill,p2,3,4\nb1,well,p1,5,6\n"), "toy")
	must(t, err)
	for name, c := range map[string]struct {
		file  string
		o     Options
		notes []string
	}{
		"semicolons":     {"bag;label;group;f1;f2\nb1;well;p1;1;2.5\nb2;ill;p2;3;4\nb1;well;p1;5;6\n", Options{}, nil},
		"tabs, CRLF":     {"\ufeffbag\tlabel\tgroup\tf1\tf2\r\nb1\twell\tp1\t1\t2.5\r\nb2\till\tp2\t3\t4\r\nb1\twell\tp1\t5\t6\r\n", Options{}, nil},
		"quoted":         {"\"bag\";\"label\";\"group\";\"f1\";\"f2\"\n\"b1\";well;p1;1;2.5\nb2;ill;p2;3;4\nb1;well;p1;5;6\n", Options{}, nil},
		"a comma quoted": {"bag;label;group;f1;f2\nb1;well;p1;1;2.5\nb2;ill;\"p2\";3;4\nb1;well;p1;5;6\n", Options{}, nil},
		"usual names": {"Slide ID,Diagnosis,Case-ID,f1,f2\nb1,well,p1,1,2.5\nb2,ill,p2,3,4\nb1,well,p1,5,6\n", Options{},
			[]string{`toy: bag is the column "Slide ID" (--bag), label is the column "Diagnosis" (--label), group is the column "Case-ID" (--group)`}},
		"chosen": {"a,b,c,f1,f2\nb1,well,p1,1,2.5\nb2,ill,p2,3,4\nb1,well,p1,5,6\n", Options{Bag: "a", Label: "b", Group: "C"}, nil},
		"a patient is a bag": {"patient,label,group,f1,f2\nb1,well,p1,1,2.5\nb2,ill,p2,3,4\nb1,well,p1,5,6\n", Options{},
			[]string{`toy: bag is the column "patient" (--bag)`}},
		"the plainest first":  {"bag,class,label,group,f1,f2\nb1,0,well,p1,1,2.5\nb2,0,ill,p2,3,4\nb1,0,well,p1,5,6\n", Options{Features: []string{"f1", "f2"}}, nil},
		"features of a model": {"f2,id,more,group,f1,bag,label\n2.5,7,x,p1,1,b1,well\n4,8,y,p2,3,b2,ill\n6,9,z,p1,5,b1,well\n", Options{Features: []string{"f1", "f2"}}, nil},
	} {
		var notes []string
		c.o.Note = func(text string) { notes = append(notes, text) }
		s, err := c.o.ReadCSV(strings.NewReader(c.file), "toy")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("%s: read %+v, want %+v", name, s, want)
		}
		c.notes = append(c.notes, "toy: rows of 1 bag are not together in the table, those of b1, say; is an id used twice?")
		if c.o.Features == nil {
			c.notes = append(c.notes, "toy: features: f1, f2")
		}
		if !slices.Equal(notes, c.notes) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.notes)
		}
	}
}

// TestSplitWords: validation bags are in the training part.
func TestSplitWords(t *testing.T) {
	s, err := ReadCSV(strings.NewReader("bag,label,split,f1\na,0,Train,1\nb,1,val,2\nc,0,validation,3\nd,1,TEST,4\n"), "toy")
	must(t, err)
	var got []mil.Split
	for _, b := range s.Bags {
		got = append(got, b.Split)
	}
	if want := []mil.Split{mil.TrainPart, mil.TrainPart, mil.TrainPart, mil.TestPart}; !slices.Equal(got, want) {
		t.Errorf("split %q, want %q", got, want)
	}
}

// TestCategorical: a model gets its own word features, whatever words another file contains.
func TestCategorical(t *testing.T) {
	const file = "bag,label,stain,f1\na,0,HE,1\na,0,IHC,2\nb,1,HE,3\n"
	s, err := Options{Categorical: []string{"stain"}}.ReadCSV(strings.NewReader(file), "toy")
	must(t, err)
	if want := []string{"stain=HE", "stain=IHC", "f1"}; !slices.Equal(s.Features, want) {
		t.Errorf("features %q, want %q", s.Features, want)
	}
	want := []mil.Instances{&mil.Dense{Rows: 2, Cols: 3, Values: []float32{1, 0, 1, 0, 1, 2}}, &mil.Dense{Rows: 1, Cols: 3, Values: []float32{1, 0, 3}}}
	for i, b := range s.Bags {
		if got, err := mil.ToDense(b.Instances); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("bag %s: %+v, %v; want %+v", b.ID, got, err, want[i])
		}
	}
	again, err := Options{Unlabelled: true, Features: s.Features}.ReadCSV(strings.NewReader("stain,label,bag,f1,note\nPAS,?,c,7,x\nIHC,?,c,8,y\n"), "toy")
	must(t, err)
	got, err := mil.ToDense(again.Bags[0].Instances)
	if err != nil || !slices.Equal(again.Features, s.Features) || !slices.Equal(got.Values, []float32{0, 0, 7, 0, 1, 8}) {
		t.Errorf("read again %+v of %q, %v", got, again.Features, err)
	}
}

// TestOptionsRefuse: a one-line error says what is wrong and what exists.
func TestOptionsRefuse(t *testing.T) {
	many := strings.Builder{}
	many.WriteString("bag,label,stain,f1\n")
	for i := range mostWords + 1 {
		many.WriteString("a,0,w" + strings.Repeat("x", i) + ",1\n")
	}
	for _, c := range map[string]struct {
		file string
		o    Options
		want string
	}{
		"a misspelt bag":    {"slide_id,label,f1\na,0,1\n", Options{Bag: "slid_id"}, `line 1: --bag: no column "slid_id"; did you mean "slide_id"?`},
		"no such label":     {"bag,f1,f2\na,0,1\n", Options{Label: "outcome"}, `line 1: --label: no column "outcome"; the columns are bag, f1, f2`},
		"a group":           {"bag,label,f1\na,0,1\n", Options{Group: "cohort"}, `--group: no column "cohort"`},
		"no category":       {"bag,label,f1\na,0,1\n", Options{Categorical: []string{"stain"}}, `--categorical: no column "stain"`},
		"label as category": {"bag,label,f1\na,0,1\n", Options{Categorical: []string{"label"}}, `--categorical: no column "label"; the columns are f1`},
		"no word":           {"bag,label,stain,f1\na,0,,1\n", Options{Categorical: []string{"stain"}}, "1 value is missing, in stain (1, the first in bag a); --missing median"},
		"no place":          {"bag,label,x,y,f1\na,0,3,,1\n", Options{}, `line 2: bag a, column y: "" is not a coordinate; write a finite number, or take --coordinates none`},
		"one place":         {"bag,label,x,y,f1\na,0,3,4,1\n", Options{Coordinates: []string{"x"}}, `--coordinates x: name two columns, x and y, or none`},
		"another place":     {"bag,label,x,y,f1\na,0,3,4,1\n", Options{Coordinates: []string{"x", "yy"}}, `--coordinates: no column "yy"; did you mean "y"?`},
		"many missing":      {"bag,label,p,q,r\na,0,?,1,2\nb,1,1,NA,3\nc,1,,nan,4\n", Options{}, "4 values are missing, in p (2, the first in bag a), q (2, the first in bag b); --missing median"},
		"missing, no names": {"0,a,1\n1,b,\n", Options{}, "1 value is missing, in 1 (1, the first in bag b); give them, or write a header and take --missing median"},
		"median, no names":  {"0,a,1\n1,b,\n", Options{Median: true}, "no header, and so no columns with names; --missing median is for tables"},
		"many words":        {many.String(), Options{Categorical: []string{"stain"}}, "line 102: bag a, feature stain: more than 100 words"},
		"twice":             {"bag,label,stain,stain=HE\na,0,HE,1\n", Options{Categorical: []string{"stain"}}, "feature stain=HE occurs twice"},
		"not of the model":  {"bag,f1\na,1\n", Options{Unlabelled: true, Features: []string{"f1", "f2"}}, `line 1: no column "f2"; give the file the columns that the model was trained on`},
		"no header":         {"0,a,1\n1,b,2\n", Options{Categorical: []string{"stain"}}, "no header, and so no columns with names; --categorical stain is for tables"},
	} {
		_, err := c.o.ReadCSV(strings.NewReader(c.file), "toy")
		requireOneLine(t, err, "toy", c.want)
	}
	path := written(t, "bags.data", []byte("a,x,1,0.\nb,y,2,1.\n"))
	_, err := Options{Label: "grade"}.ReadFile(path)
	requireOneLine(t, err, path, "no columns with names; --label grade is for tables")
}

// TestListNotes: additional columns of labels.csv are named and ignored.
func TestListNotes(t *testing.T) {
	a := numpyFile("<f8", false, []float64{1, 2})
	folder := numpyFolder(t, map[string][]byte{"labels.csv": []byte("slide_id;age;grade;case\na;3;0;p1\nb;4;1;unknown\n"), "a.npy": a, "b.npy": a})
	var notes []string
	s, err := Options{Note: func(text string) { notes = append(notes, text) }}.ReadFile(folder)
	if err != nil || len(s.Bags) != 2 || s.NumPositive() != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	list := filepath.Join(folder, "labels.csv")
	if want := []string{list + `: bag is the column "slide_id" (--bag), label is the column "grade" (--label), group is the column "case" (--group)`, list + ": not used: age", list + ": 1 of 2 bags have no group; each of them is a group of its own"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// TestBookkeeping: columns that measure nothing are no features, by their name or because they only count.
func TestBookkeeping(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	order := random.Perm(60)
	column := func(of func(row int) float64) (values []string) {
		for row := range 60 {
			values = append(values, strconv.FormatFloat(of(row), 'g', -1, 64))
		}
		return values
	}
	noise := column(func(int) float64 { return random.NormFloat64() })
	names := make(map[string]bool) // of columns, and whether they are left out
	for out, list := range map[bool]string{
		true: "fold,Fold 1,cv_fold,time,Event,OS_time,os.status,survival_months,censorship,Unnamed: 0,Unnamed: 0.1,index,Row Number,id,slide_name,patientID,split_0," +
			"old split,is_train,test,dataset,class,label.1,label_2,Patch-Label,target,grade,y_true,x_coord,coord_y,coords1,Centroid X µm,tile_x,pos_z,row,tile_col,file_name",
		false: "time_of_flight,index_of_refraction,x_ray,event_rate,folding,label_free_intensity,splitting,row_mean,y_intercept,test_statistic,training_load,age,z_score,class_1,target_3,identity,hospital,xy,count,timeout",
	} {
		for _, name := range strings.Split(list, ",") {
			names[strings.Replace(name, "os.", "os_", 1)] = out
		}
	}
	for name, out := range names {
		checkLeftOut(t, name, noise, out)
	}
	for name, c := range map[string]struct {
		of  func(row int) float64
		out bool
	}{
		"rows":             {func(row int) float64 { return float64(row) }, true},
		"an offset":        {func(row int) float64 { return 1e6 - float64(row) }, true},
		"any order":        {func(row int) float64 { return float64(order[row]) }, true},
		"steps":            {func(row int) float64 { return 0.1 * float64(order[row]) }, true},
		"bags":             {func(row int) float64 { return float64(row / 3) }, true},
		"gaps":             {func(row int) float64 { return float64(row*row + 3) }, true},
		"permuted bags":    {func(row int) float64 { return float64(row / 3 * 7 % 20) }, true},
		"ties":             {func(row int) float64 { return float64(row / 2) }, false},
		"small integers":   {func(row int) float64 { return float64(order[row] % 4) }, false},
		"a measured trend": {func(row int) float64 { return math.Sqrt(float64(row)) }, false},
	} {
		checkLeftOut(t, name+"_", column(c.of), c.out)
	}
}

// checkLeftOut checks whether a column is left out of a table beside a feature f, and how it can be taken all the same.
func checkLeftOut(t *testing.T, name string, values []string, out bool) {
	t.Helper()
	header, headless, bare := "bag,label,f,"+name+"\n", "", "bag,f,"+name+"\n"
	for row, v := range values {
		line := fmt.Sprintf("%d,%s\n", row*row%11, v)
		header += fmt.Sprintf("b%d,%d,%s", row/3, row/3%2, line)
		bare += fmt.Sprintf("b%d,%s", row/3, line)
		headless += fmt.Sprintf("%d,b%d,%s", row/3%2, row/3, line)
	}
	both := []string{"f", name}
	for _, separator := range []string{",", ";", "\t"} {
		var notes []string
		s, err := Options{Note: func(text string) { notes = append(notes, text) }}.ReadCSV(strings.NewReader(strings.ReplaceAll(header, ",", separator)), "toy")
		want := []string{"f"}
		if !out {
			want = both
		}
		if err != nil || !slices.Equal(s.Features, want) || s.NumFeatures() != len(want) || len(notes) != 1 || strings.Contains(notes[0], fmt.Sprintf("--as-features %q", name)) != out {
			t.Fatalf("%s: features %v, notes %q, %v", name, s, notes, err)
		}
	}
	for file, o := range map[string]Options{header: {AsFeatures: []string{name}}, bare: {Unlabelled: true, Features: both}} {
		if s, err := o.ReadCSV(strings.NewReader(file), "toy"); err != nil || !slices.Equal(s.Features, both) {
			t.Errorf("%s: features %v, %v", name, s, err)
		}
	}
	if !strings.HasSuffix(name, "_") {
		return
	}
	_, err := ReadCSV(strings.NewReader(headless), "toy")
	if out != (err != nil && strings.Contains(err.Error(), "toy: column 4 only counts rows or bags; remove it, or take it as a feature by --as-features 4")) {
		t.Errorf("%s: %v without a header", name, err)
	}
	for _, o := range []Options{{AsFeatures: []string{"4"}}, {Unlabelled: true}, {Features: []string{}}} { // models have no names here
		if s, err := o.ReadCSV(strings.NewReader(headless), "toy"); err != nil || s.NumFeatures() != 2 {
			t.Errorf("%s: %+v, %v without a header", name, o, err)
		}
	}
}

// TestIgnore: columns to leave out are no features and have no role; one that is not there, or in use, is named.
func TestIgnore(t *testing.T) {
	const file = "bag,label,patient,well,f1,split,x,y\na,0,p,W0,1,no,3,4\nb,1,p,W1,2,no,5,6\n"
	s, err := Options{Ignore: []string{"well", "patient", "split", "x", "well"}}.ReadCSV(strings.NewReader(file), "toy.csv")
	if err != nil || !slices.Equal(s.Features, []string{"f1", "y"}) || s.Bags[0].Group != "" || s.Bags[0].Split != mil.NoSplit || s.Bags[0].Coordinates != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	for want, o := range map[string]Options{
		`--ignore: no column "wel"; did you mean "well"?`:                          {Ignore: []string{"wel"}},
		"--ignore leaves column well out, and another flag uses it; choose one":    {Ignore: []string{"well"}, Categorical: []string{"well"}},
		"--ignore leaves column patient out, and another flag uses it; choose one": {Ignore: []string{"patient"}, Group: "patient"},
		"and without label; name the column of labels":                             {Ignore: []string{"label"}},
	} {
		if _, err := o.ReadCSV(strings.NewReader(file), "toy.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %s", o, err, want)
		}
	}
}
