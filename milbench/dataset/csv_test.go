package dataset

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

func TestReadCSVHeader(t *testing.T) {
	for _, mark := range []string{"", "\ufeff"} {
		s, err := ReadCSV(strings.NewReader(mark+strings.Join([]string{
			"split,f1,BAG,group,label,Instance_Label,a b",
			"train,1,\"b,1\",p1,1,0,2.5",
			"test,0,b2,p2,-1.0,0,-0",
			" train, 3e2, \"b,1\", p1, 1, 1, 4 ",
			"",
		}, "\r\n")), "toy.csv")
		must(t, err)
		if want := []string{"f1", "a b"}; !reflect.DeepEqual(s.Features, want) {
			t.Errorf("features %q, want %q", s.Features, want)
		}
		if want := [][]float64{{0, 1}, {0}}; !reflect.DeepEqual(s.InstanceLabels, want) {
			t.Errorf("instance labels %v, want %v", s.InstanceLabels, want)
		}
		want := []mil.Bag{
			{ID: "b,1", Target: mil.Labelled(1), Group: "p1", Split: mil.TrainPart, Instances: &mil.Dense{Rows: 2, Cols: 2, Values: []float32{1, 2.5, 300, 4}}},
			{ID: "b2", Target: mil.Labelled(0), Group: "p2", Split: mil.TestPart, Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{0, 0}}},
		}
		if !reflect.DeepEqual(s.Bags, want) {
			t.Errorf("read %+v, want %+v", s.Bags, want)
		}
	}
}

func TestReadCSVWithoutHeader(t *testing.T) {
	s, err := ReadCSV(strings.NewReader("1,b1,0,0,0,0,7\n0,b2,0,0,0,0,0\n1,b1,0,0,0,0,8\n"), "toy.csv")
	must(t, err)
	want := []mil.Bag{
		{ID: "b1", Target: mil.Labelled(1), Instances: &mil.Sparse{Rows: 2, Cols: 5, Values: []float32{7, 8}, RowStart: []int{0, 1, 2}, Column: []int32{4, 4}}},
		{ID: "b2", Target: mil.Labelled(0), Instances: &mil.Sparse{Rows: 1, Cols: 5, RowStart: []int{0, 0}}},
	}
	if !reflect.DeepEqual(s.Bags, want) || s.Features != nil || s.InstanceLabels != nil {
		t.Errorf("read %+v, want %+v", s, want)
	}
}

func TestReadCSVRefuses(t *testing.T) {
	const header = "bag,label,f1\n"
	for _, c := range []struct{ file, want string }{
		{"", "no bags"},
		{header, "no bags"},
		{"bag,label\nb1,0\n", "line 1: no column of features"},
		{"bag,f1,f2\nb1,0,1\n", "line 1: a header with the column bag and without label; name the column of labels with --label, or rename those of survival times to time and event; there are bag, f1, f2"},
		{"0;b1;1,5;2,5\n1;b2;2,5;1,5\n", `nor an instance: "1,5" has a decimal comma; write decimal points`},
		{"bag;label;f1\nb1;0;-2,5e3\n", `line 2: bag b1, feature f1: "-2,5e3" has a decimal comma`},
		{"bag,label,stain,f1\nb1,0,HE,1\n", `line 2: bag b1, feature stain: "HE" is not a number in the range of a double; --categorical "stain" makes a feature of each word`},
		{"bag,label,well,f1,day\nb1,0,W0,1,Mon\n", `line 2: bag b1, feature well: "W0" is not a number in the range of a double, and so in the columns "well", "day"; --categorical makes a feature of each word of a column, --ignore leaves it out`},
		{"plate,well,outcome,f1\nP1,W0,1,2\n", "line 1: no column bag among plate, well, outcome, f1; --bag names it, and --label that of the labels"},
		{"slide,grade,case,f1\ns1,0,p1,1\ns1,0,p2,1\n", `line 3: bag s1 is in group "p2" here and in "p1" before`},
		{"0,b1\n", "line 1: 2 fields; a file without a header holds label, bag and features"},
		{"bag,label,f1,f1\n", "line 1: column f1 occurs twice, as number 3 and 4"},
		{"bag,label,f1,Label\n", "line 1: column label occurs twice, as number 2 and 4"},
		{"bag,label,f1,\n", "line 1: column 4 has no name"},
		{"bag,label,\"f\n1\"\n", `line 1: column 3 is called "f\n1"`},
		{header + "b1,0,1\nb2,1,2,3\n", "line 3 has 4 fields, the lines before have 3"},
		{header + "b1,0,1\nb2,0,2\n", "all 2 bags have label 0; two classes are needed"},
		{header + "b1,0,1\nb2,1,2\nb1,1,2\n", "line 4: bag b1 has label 1 here and 0 before"},
		{"b0,ill,1\nb1,ill,2\n", "line 2: bag ill has label b1 here and b0 before; a bag has one label: is its id used twice? (without a header, column 1 is the label and column 2 the bag)"},
		{header + "b1,a,1\nb2,b,2\nb3,c,3\n", `every bag has a label of its own, bag b1 "a" and bag b2 "b", say`},
		{header + "b1,a,1\nb2,a,2\n", "all 2 bags have label a; two classes are needed"},
		{header + "b1,a,1\nb2,,2\n", "bag b2 has no label"},
		{header + "b1,\"a\nb\",1\n", `line 2: bag b1: label "a\nb"; write it without line breaks`},
		{"bag,time,event,f1\nb1,3,1,1\nb2,-1,0,2\n", `bag b2 has time "-1"; write a number from 0`},
		{"bag,time,event,f1\nb1,3,1,1\nb2,soon,0,2\n", `bag b2 has time "soon"`},
		{"bag,time,event,f1\nb1,3,1,1\nb2,4,perhaps,2\n", `bag b2 has event "perhaps"; write 1 if it was seen`},
		{"bag,time,event,f1\nb1,3,1,1\nb1,4,1,2\n", "line 3: bag b1 has label 4 and event 1 here and 3 and event 1 before"},
		{header + "b1,0,3.5e38\n", "line 2: bag b1, feature f1: value 3.5e+38 is too large for float32"},
		{header + "b1,0,\n", "1 value is missing, in f1 (1, the first in bag b1); --missing median takes the median of each training part"},
		{header + "b1,0,NaN\n", "1 value is missing, in f1 (1, the first in bag b1); --missing median"},
		{header + "b1,0,-inf\n", `line 2: bag b1, feature f1: value -Inf; replace it by a finite number`},
		{header + "b1,0,1024_512\n", `line 2: bag b1, feature f1: "1024_512" is not a number in the range of a double; --categorical "f1" makes a feature of each word`},
		{"0,b1,1024_512\n", `nor an instance: "1024_512" is not a number`},
		{"bag,time,event,f1\nb1,0x1p4,1,1\n", `bag b1 has time "0x1p4"`},
		{"bag,label,x,y,f1\nb1,0,1_0,2,1\n", `column x: "1_0" is not a coordinate`},
		{header + "b1,0,1e999\n", `line 2: bag b1, feature f1: "1e999" is not a number in the range`},
		{"0,b1,1,x\n", `line 1: neither a header with the columns bag and label (--bag and --label name others) nor an instance: "x" is not a number`},
		{header + ",0,1\n", "line 2: no bag id"},
		{header + "\"b\n1\",0,1\n", `line 2: bag id "b\n1"`},
		{header + "\"b1,0,1\n", "line 2: extraneous or missing"},
		{"bag,label,split,f1\nb1,0,train,1\nb2,1,later,1\n", `line 3: bag b2: split "later"; write train, val or test`},
		{"bag,label,split,f1\nb1,0,train,1\nb2,1,,1\n", "bag b2 belongs to neither part of the split"},
		{"bag,label,split,f1\nb1,0,train,1\nb1,0,test,1\n", `line 3: bag b1 is in split "test" here and in "train" before`},
		{"bag,label,group,f1\nb1,0,p1,1\nb1,0,p2,1\n", `line 3: bag b1 is in group "p2" here and in "p1" before`},
		{"bag,label,instance_label,f1\nb1,0,,1\n", "line 2: bag b1, instance_label"},
	} {
		_, err := ReadCSV(strings.NewReader(c.file), "toy.csv")
		requireOneLine(t, err, "toy.csv", c.want)
	}
}

// randomSet draws a set that WriteCSV accepts.
func randomSet(random *rand.Rand) *mil.Set {
	bags := make([]mil.Bag, 2+random.IntN(5))
	words := make([]string, len(bags))
	classes := [][]string{{"0", "1"}, {"normal", "tumour"}, {"1", "2", "3"}, {"0.25", "-3", "1e3"}, {"x", "y z", "ü"}}[random.IntN(5)]
	for len(bags) <= len(classes) { // otherwise every bag may have a label of its own
		bags, words = append(bags, mil.Bag{}), append(words, "")
	}
	columns := 1 + random.IntN(6)
	var instanceLabels [][]float64
	features, groups, split := random.IntN(2) == 0, random.IntN(2) == 0, random.IntN(2) == 0
	marked := random.IntN(2) == 0
	density := random.Float64()
	row := make([]float32, columns)
	for i := range bags {
		words[i] = classes[i%len(classes)]
		b := &bags[i]
		b.ID = fmt.Sprintf("%s%d", []string{"", `"`, "ä,", "bag", "#"}[random.IntN(5)], i)
		if groups {
			b.Group = []string{"", "p 1", "p,2"}[random.IntN(3)]
		}
		if split {
			b.Split = []mil.Split{mil.TrainPart, mil.TestPart}[random.IntN(2)]
		}
		rows := &mil.Sparse{Cols: columns, RowStart: []int{0}}
		b.Instances = rows
		marks := make([]float64, 1+random.IntN(4))
		for k := range marks {
			for j := range row {
				row[j] = 0
				if random.Float64() < density {
					row[j] = float32(math.Ldexp(random.NormFloat64(), random.IntN(240)-130))
				}
			}
			rows.Append(row)
			marks[k] = float64(random.IntN(2))
		}
		if marked {
			instanceLabels = append(instanceLabels, marks)
		}
	}
	var names []string
	if features {
		for j := range columns {
			names = append(names, fmt.Sprintf("feature \"%d\", ö", j))
		}
	}
	s, err := Options{}.assemble(&mil.Set{Name: "toy", Features: names, Bags: bags, InstanceLabels: instanceLabels}, words)
	if err != nil {
		panic(err)
	}
	return s
}

func TestWriteCSVComesBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := randomSet(random)
		requireComesBack(t, s)
	}
	for _, name := range []string{"cells.mat", "sparse-cells.mat", "columbia.mat"} {
		s, err := ReadFile("testdata/" + name)
		must(t, err)
		requireComesBack(t, s)
	}
}

// requireComesBack writes s and reads it back.
func requireComesBack(t *testing.T, s *mil.Set) {
	t.Helper()
	var file bytes.Buffer
	must(t, WriteCSV(&file, s))
	back, err := Options{Centre: s.Centre}.ReadCSV(bytes.NewReader(file.Bytes()), s.Name)
	if err != nil {
		t.Fatalf("%v\n%s", err, &file)
	}
	if s.Features == nil {
		back.Features = nil // a header names them
	}
	if s.Checksum != back.Checksum || s.Kind != back.Kind || !slices.Equal(s.Classes, back.Classes) || !reflect.DeepEqual(s.Features, back.Features) || !reflect.DeepEqual(s.InstanceLabels, back.InstanceLabels) {
		t.Fatalf("wrote %+v\n%s\nread %+v", s, &file, back)
	}
}

// TestWriteCSVDigits: large values with small differences come back as they were, and others have few digits.
func TestWriteCSVDigits(t *testing.T) {
	s := &mil.Set{Name: "toy", Features: []string{"mass", "heat", "share"}}
	for i, v := range []float32{33554436, 33554440, 33554448, 33554452} {
		values := []float32{v, 1000 + float32(i)/100, 0.1}
		s.Bags = append(s.Bags, mil.Bag{ID: strconv.Itoa(i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 1, Cols: 3, Values: values}})
	}
	must(t, s.Seal())
	requireComesBack(t, s)
	var file bytes.Buffer
	if err := WriteCSV(&file, s); err != nil || !strings.Contains(file.String(), "1,1,3.355444e+07,1000.010009765625,0.1\n") {
		t.Errorf("%v\n%s", err, &file)
	}
}

func TestWriteCSVRefuses(t *testing.T) {
	good := func() *mil.Set {
		return &mil.Set{Name: "toy", Features: []string{"f1"}, Bags: []mil.Bag{
			{ID: "a", Target: mil.Labelled(0), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{1}}},
			{ID: "b", Target: mil.Labelled(1), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{2}}},
		}}
	}
	for want, spoil := range map[string]func(*mil.Set){
		`bag "a\r\nb": "a\r\nb" has spaces`:    func(s *mil.Set) { s.Bags[0].ID = "a\r\nb" },
		`bag "b": "\x00" has spaces`:           func(s *mil.Set) { s.Bags[1].Group = "\x00" },
		"bag number 2 has no id":               func(s *mil.Set) { s.Bags[1].ID = "" },
		"bag a occurs twice":                   func(s *mil.Set) { s.Bags[1].ID = "a" },
		"bag a is empty":                       func(s *mil.Set) { s.Bags[0].Instances = &mil.Dense{Cols: 1} },
		`feature name "Label"`:                 func(s *mil.Set) { s.Features[0] = "Label" },
		`feature name " f"`:                    func(s *mil.Set) { s.Features[0] = " f" },
		"2 names for 1 features":               func(s *mil.Set) { s.Features = []string{"f1", "f2"} },
		"1 rows of instance labels for 2 bags": func(s *mil.Set) { s.InstanceLabels = [][]float64{{1}} },
		"bag b has 2 instance labels for 1":    func(s *mil.Set) { s.InstanceLabels = [][]float64{{1}, {1, 0}} },
		"bag b: value +Inf":                    func(s *mil.Set) { s.Bags[1].Instances.(*mil.Dense).Values[0] = float32(math.Inf(1)) },
	} {
		s := good()
		spoil(s)
		var file bytes.Buffer
		err := WriteCSV(&file, s)
		requireOneLine(t, err, "toy", want)
		if file.Len() > 0 {
			t.Errorf("%s: wrote %q before the error", want, &file)
		}
	}
}
