package dataset

import (
	"reflect"
	"testing"

	"synpool/milbench/mil"
)

// Files with labels that no set can have give the same bags as the same rows with good labels.
func TestReadUnlabelled(t *testing.T) {
	w := littleEndian()
	a, b := [][]float64{{1, 0, 2.5}, {0, 4, -7}}, [][]float64{{0, 0, 300}}
	want := toy(t, a, b)
	one := w.matrix("", [][]float64{{1}})
	for name, file := range map[string][]byte{
		"header.csv":     []byte("bag,label,p,q,r\n1,1,1,0,2.5\n1,1,0,4,-7\n2,1,0,0,300\n"),
		"nolabel.csv":    []byte("p,bag,q,r\n1,1,0,2.5\n0,1,4,-7\n0,2,0,300\n"),
		"unknown.csv":    []byte("bag,label,group,split,p,q,r\n1,?,A,train,1,0,2.5\n1,2,B,,0,4,-7\n2,,A,test,0,0,300\n"),
		"headless.csv":   []byte("0,1,1,0,2.5\n1,1,0,4,-7\n?,2,0,0,300\n"),
		"first.csv":      []byte("?,1,1,0,2.5\n1,1,0,4,-7\n0,2,0,0,300\n"),
		"c45.data":       []byte("1,a,1,0,2.5,?.\n1,b,0,4,-7,1.\n2,c,0,0,300,class.\n"),
		"cells.mat":      w.file(w.cells("data", w.matrix("", a), w.matrix("", b), one, one)),
		"classes.mat":    w.file(w.cells("data", w.matrix("", a), w.matrix("", b), w.matrix("", [][]float64{{7, 8}}), one)),
		"column.mat":     w.file(w.array("data", mxCELL, 0, []float64{2, 1}, w.matrix("", a), w.matrix("", b))),
		"columbia.mat":   w.file(w.matrix("features", append(append([][]float64{}, a...), b...)), w.matrix("bag_ids", [][]float64{{1, 1, 2}})),
		"disagree.mat":   w.file(w.matrix("features", append(append([][]float64{}, a...), b...)), w.matrix("bag_ids", [][]float64{{1, 1, 2}}), w.matrix("labels", [][]float64{{0, 1, 5}})),
		"compressed.mat": matWriter{order: w.order, storage: w.storage, compress: true}.file(w.array("data", mxCELL, 0, []float64{2, 1}, w.matrix("", a), w.matrix("", b))),
	} {
		t.Run(name, func(t *testing.T) {
			path := written(t, name, file)
			if s, err := ReadFile(path); err == nil {
				t.Errorf("ReadFile makes a set of it: %+v", s)
			}
			s, err := Options{Unlabelled: true}.ReadFile(path)
			must(t, err)
			if len(s.Bags) != len(want.Bags) {
				t.Fatalf("%d bags, want %d", len(s.Bags), len(want.Bags))
			}
			for i, bag := range s.Bags {
				wanted := mil.Bag{ID: want.Bags[i].ID, Instances: want.Bags[i].Instances}
				if !reflect.DeepEqual(bag, wanted) {
					t.Errorf("bag %+v, want %+v", bag, wanted)
				}
			}
		})
	}
}

func TestReadUnlabelledRefuses(t *testing.T) {
	w := littleEndian()
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty.csv":    {nil, "the file is empty"},
		"nobag.csv":    {[]byte("name,p,q\na,1,2\n"), "no column bag among name, p, q; --bag names it"},
		"swapped.csv":  {[]byte("MUSK-jf78,1,2,3\nMUSK-jf79,0,4,5\n"), "neither a header with the column bag (--bag names another) nor an instance, which begins with its label"},
		"noid.csv":     {[]byte("bag,p,q\n,1,2\n"), "line 2: no bag id"},
		"text.csv":     {[]byte("bag,p,q\na,1,x\n"), `line 2: bag a, feature q: "x" is not a number`},
		"nan.csv":      {[]byte("bag,p,q\na,1,NaN\n"), "1 value is missing, in q (1, the first in bag a); the model was trained without missing values there: give them"},
		"width.csv":    {[]byte("bag,p,q\na,1\n"), "line 2 has 2 fields"},
		"nothing.csv":  {[]byte("bag,label\na,1\n"), "no column of features"},
		"rows.csv":     {[]byte("bag,p,q\n"), "no bags"},
		"wide.mat":     {w.file(w.array("data", mxCELL, 0, []float64{2, 1}, w.matrix("", [][]float64{{1, 2}}), w.matrix("", [][]float64{{1}}))), "bag 2 has 1 features, bag 1 has 2"},
		"features.mat": {w.file(w.matrix("features", [][]float64{{1, 2}})), "save a cell array of N x 1 with instances, or features and bag_ids"},
	} {
		t.Run(name, func(t *testing.T) {
			path := written(t, name, c.file)
			_, err := Options{Unlabelled: true}.ReadFile(path)
			requireOneLine(t, err, path, c.want)
		})
	}
}
