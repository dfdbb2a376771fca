package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"synpool/internal/alloctest"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

// rowsOf returns instances as rows.
func rowsOf(t *testing.T, x mil.Instances) (rows [][]float64) {
	t.Helper()
	if err := mil.EachRow(x, func(_ int, row []float32) {
		wide := make([]float64, len(row))
		for j, v := range row {
			wide[j] = float64(v)
		}
		rows = append(rows, wide)
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// readNumPyArray reads the array in a file of the given size.
func readNumPyArray(in io.ReaderAt, size int64) (*mil.Dense, error) {
	h, err := readNumPyHeader(io.NewSectionReader(in, 0, size), "")
	if err == nil {
		err = h.check(size)
	}
	if err != nil {
		return nil, err
	}
	d := &mil.Dense{Rows: int(h.rows), Cols: int(h.columns), Values: make([]float32, h.rows*h.columns)}
	return d, (&numpyArray{numpyHeader: h}).read(in, 0, d.Rows, d.Values)
}

// goldenNumPy returns the bags written by testdata/numpy_bags.py.
func goldenNumPy(t *testing.T) (bags []mil.Bag) {
	t.Helper()
	text, err := os.ReadFile("testdata/numpy.json")
	must(t, err)
	var golden struct {
		Bags []struct {
			ID, Group string
			Label     int
			Rows      [][]float64
		}
	}
	must(t, json.Unmarshal(text, &golden))
	for _, g := range golden.Bags {
		m := &mil.Dense{Rows: len(g.Rows), Cols: len(g.Rows[0])}
		for _, row := range g.Rows {
			for _, v := range row {
				m.Values = append(m.Values, float32(v))
			}
		}
		bags = append(bags, mil.Bag{ID: g.ID, Target: mil.Labelled(g.Label), Group: g.Group, Instances: m})
	}
	if len(bags) < 40 {
		t.Fatalf("%d bags", len(bags))
	}
	return bags
}

func TestReadNumPy(t *testing.T) {
	want := goldenNumPy(t)
	s, err := ReadFile("testdata/numpy")
	must(t, err)
	if s.Name != "numpy" || s.Features != nil || s.InstanceLabels != nil || s.Checksum != resealed(t, &mil.Set{Bags: want}) {
		t.Errorf("%q, features %v, instance labels %v", s.Name, s.Features, s.InstanceLabels)
	}
	if len(s.Bags) != len(want) {
		t.Fatalf("%d bags, want %d", len(s.Bags), len(want))
	}
	for i, b := range s.Bags {
		if !reflect.DeepEqual(b, want[i]) {
			t.Errorf("read %+v, want %+v", b, want[i])
		}
	}
	for _, read := range []func(string) (*mil.Set, error){ReadFile, Options{Unlabelled: true}.ReadFile} {
		same, err := read(filepath.Join("testdata", "numpy") + string(filepath.Separator))
		must(t, err)
		for i, b := range same.Bags {
			if b.ID != want[i].ID || !reflect.DeepEqual(b.Instances, want[i].Instances) {
				t.Errorf("read %+v, want %+v", b, want[i])
			}
		}
	}
}

// numpyFile returns an array as numpy.save writes it.
func numpyFile(kind string, fortran bool, rows ...[]float64) []byte {
	order := binary.AppendByteOrder(binary.LittleEndian)
	if kind[0] == '>' {
		order = binary.BigEndian
	}
	var data []byte
	write := func(v float64) {
		switch kind[1:] {
		case "f8":
			data = order.AppendUint64(data, math.Float64bits(v))
		case "f4":
			data = order.AppendUint32(data, math.Float32bits(float32(v)))
		case "i8":
			data = order.AppendUint64(data, uint64(int64(v)))
		case "i2":
			data = order.AppendUint16(data, uint16(int16(v)))
		case "u1":
			data = append(data, byte(v))
		default:
			panic(kind)
		}
	}
	columns, word := len(rows[0]), "False"
	if fortran {
		word = "True"
		for j := range columns {
			for _, row := range rows {
				write(row[j])
			}
		}
	} else {
		for _, row := range rows {
			for _, v := range row {
				write(v)
			}
		}
	}
	return numpyText(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", kind, word, len(rows), columns), data)
}

// numpyText returns an array with any header.
func numpyText(header string, data []byte) []byte {
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	file := binary.LittleEndian.AppendUint16([]byte(numpyMagic+"\x01\x00"), uint16(len(header)))
	return append(append(file, header...), data...)
}

// numpyFolder writes files into a new folder.
func numpyFolder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bags")
	must(t, os.Mkdir(folder, 0o700))
	for name, data := range files {
		must(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	return folder
}

func TestReadNumPyList(t *testing.T) {
	x, y := numpyFile("<f8", false, []float64{1, 2}), numpyFile("<f8", true, []float64{3, 4}, []float64{5, 6})
	want := []mil.Bag{
		{ID: "b.2", Target: mil.Labelled(1), Group: "p,1", Split: mil.TestPart, Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}},
		{ID: "a", Group: "p2", Split: mil.TrainPart, Instances: &mil.Dense{Rows: 2, Cols: 2, Values: []float32{3, 4, 5, 6}}},
	}
	folder := numpyFolder(t, map[string][]byte{
		"labels.csv": []byte("\ufeffsplit,Bag,group,LABEL\r\ntest, b.2 ,\"p,1\",1\r\ntrain,a,p2,-1\r\n"),
		"b.2.npy":    x, "a.npy": y, "notes.txt": []byte("of the scanner"),
	})
	s, err := ReadFile(folder)
	must(t, err)
	if !reflect.DeepEqual(s.Bags, want) || s.Name != "bags" {
		t.Errorf("%s: read %+v, want %+v", s.Name, s.Bags, want)
	}
	t.Chdir(folder)
	if s, err := ReadFile("."); err != nil || s.Name != "bags" {
		t.Errorf("the folder one is in: %+v, %v", s, err)
	}
}

// Of a sparse set only the non-zero values are held, whatever the file stores.
func TestReadNumPySparse(t *testing.T) {
	folder := numpyFolder(t, map[string][]byte{
		"labels.csv": []byte("bag,label\na,0\nb,1\n"),
		"a.npy":      numpyFile("<i2", true, []float64{0, 0, 0, 0, 7}, []float64{0, 0, 0, 0, 0}),
		"b.npy":      numpyFile("|u1", false, []float64{0, 0, 0, 0, 255}),
	})
	s, err := ReadFile(folder)
	must(t, err)
	want := []mil.Instances{
		&mil.Sparse{Rows: 2, Cols: 5, Values: []float32{7}, RowStart: []int{0, 1, 1}, Column: []int32{4}},
		&mil.Sparse{Rows: 1, Cols: 5, Values: []float32{255}, RowStart: []int{0, 1}, Column: []int32{4}},
	}
	for i, b := range s.Bags {
		if !reflect.DeepEqual(b.Instances, want[i]) {
			t.Errorf("bag %s: %+v, want %+v", b.ID, b.Instances, want[i])
		}
	}
}

// Bags to score need no labels and no list.
func TestReadNumPyUnlabelled(t *testing.T) {
	x, y := numpyFile("<f4", false, []float64{1, 2}), numpyFile(">f4", false, []float64{3, 4})
	for name, list := range map[string]string{
		"none": "", "ids": "bag\nb\na\n", "one class": "bag,label\nb,1\na,1\n", "unknown": "label,bag,group,split\n?,b,g,\n,a,,test\n",
	} {
		files := map[string][]byte{"b.npy": x, "a.npy": y}
		ids := "ab"
		if list != "" {
			files["labels.csv"] = []byte(list)
			ids = "ba"
		}
		folder := numpyFolder(t, files)
		if s, err := ReadFile(folder); err == nil {
			t.Errorf("%s: ReadFile makes a set of it: %+v", name, s)
		}
		s, err := Options{Unlabelled: true}.ReadFile(folder)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Bags[0].ID+s.Bags[1].ID != ids || s.NumPositive() > 0 || s.Bags[0].Group != "" || s.HasSplit() {
			t.Errorf("%s: read %+v", name, s.Bags)
		}
	}
}

func TestReadNumPyRefuses(t *testing.T) {
	const list = "bag,label\na,0\nb,1\n"
	a, b := numpyFile("<f8", false, []float64{1, 2}), numpyFile("<f8", false, []float64{3, 4}, []float64{5, 6})
	for _, c := range []struct{ list, file, want string }{
		{"a,0\nb,1\n", "labels.csv", "line 1: no header with the columns bag and label"},
		{"bag,age\na,0\nb,1\n", "labels.csv", "line 1: a header with the column bag and without label"},
		{"bag,label,instance_label\na,0,0\nb,1,0\n", "labels.csv", "line 1: column instance_label; a line is a bag"},
		{"bag,label,label\na,0,0\nb,1,0\n", "labels.csv", "line 1: column label occurs twice"},
		{"bag,label\na,0\nb,1\na,0\n", "labels.csv", "line 4: bag a occurs twice; give every bag one line"},
		{"bag,label\na,0\n,1\n", "labels.csv", "line 3: no bag id"},
		{"bag,label\na,0\n../c,1\n", "labels.csv", `line 3: bag id "../c"; it names the file of the bag`},
		{"bag,label\na,0\n/c,1\n", "labels.csv", `line 3: bag id "/c"`},
		{"bag,label,split\na,0,train\nb,1,fold 1\n", "labels.csv", `line 3: bag b: split "fold 1"`},
		{"bag,label,split\na,0,train\nb,1,\n", "", "bag b belongs to neither part of the split"},
		{"bag,label\na,0\nb,0\n", "", "all 2 bags have label 0"},
		{"bag,label\na,0\n", "b.npy", "bag b is not in labels.csv; add a line for it or move the file away"},
		{"", "labels.csv", "the file is empty"},
		{"bag,label\na,0\nb,1\nc,1\n", "", "bag c is in labels.csv, but there is no file of it (.npy, .h5, .hdf5, .npz, .pt, .pth); add it or remove the line"},
	} {
		folder := numpyFolder(t, map[string][]byte{"labels.csv": []byte(c.list), "a.npy": a, "b.npy": b})
		_, err := ReadFile(folder)
		requireOneLine(t, err, filepath.Join(folder, c.file), c.want)
	}

	cut := func(file []byte, n int) []byte { return file[:len(file)-n] }
	header := func(dictionary string, n int) []byte { return numpyText(dictionary, make([]byte, n)) }
	version := append([]byte{}, b...)
	version[6] = 4
	long := append([]byte(numpyMagic+"\x02\x00"), 0xff, 0xff, 0xff, 0xff)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"width":     {numpyFile("<f8", false, []float64{1, 2, 3}), "3 features, and bag a has 2; give all bags the same features"},
		"empty":     {nil, "ends early: the file is damaged"},
		"text":      {[]byte("bag,label\n"), "no NumPy array; write it with numpy.save"},
		"archive":   {[]byte("PK\x03\x04"), "no NumPy array"},
		"magic":     {[]byte(numpyMagic), "ends early"},
		"version":   {version, "version 4 of the NumPy format"},
		"length":    {[]byte(numpyMagic + "\x01\x00\x10"), "ends early"},
		"long":      {long, "a header of 4294967295 bytes: the file is damaged"},
		"header":    {b[:40], "ends early"},
		"numbers":   {cut(b, 1), "31 bytes for 2 x 2 numbers of 8 bytes: the file is damaged"},
		"nothing":   {cut(b, 32), "0 bytes for 2 x 2 numbers"},
		"more":      {append(b[:len(b):len(b)], 0), "33 bytes for 2 x 2 numbers"},
		"huge":      {header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387903, 4611686018427387903), }", 16), "16 bytes for 4611686018427387903 x"},
		"wrapped":   {header("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952, 2), }", 0), "0 bytes for 2305843009213693952 x 2"},
		"large":     {header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2), }", 0), `the shape "(99999999999999999999, 2)"`},
		"negative":  {header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }", 0), `the shape "(-1, 2)"`},
		"brackets":  {header("{'descr': '<f8', 'fortran_order': False, 'shape': [1, 2], }", 16), "the header"},
		"no shape":  {header("{'descr': '<f8', 'fortran_order': False, }", 16), "the header"},
		"no order":  {header("{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 2), }", 16), "the header"},
		"more keys": {header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'x': True}", 16), "the header"},
		"code":      {header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), } or exit()", 16), "the header"},
		"no type":   {header("{'descr': '', 'fortran_order': False, 'shape': (1, 2), }", 16), `an array of type ""`},
		"no bytes":  {header("{'descr': '|f8', 'fortran_order': False, 'shape': (1, 2), }", 16), `an array of type "|f8"; save numbers`},
		"blank":     {header("{'descr': '<f8', 'fortran_order': False, 'shape': (,<2\n<), }", 16), `the shape "(,<2\n<)"`},
		"cubes":     {header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,\n2, 3), }", 48), "an array of shape (1, 2, 3); save"},
		"lines":     {header("{'descr': '<f8\n', 'fortran_order': False, 'shape': (1, \n2), }", 16), `an array of type "<f8\n"; save numbers`},
	} {
		folder := numpyFolder(t, map[string][]byte{"labels.csv": []byte(list), "a.npy": a, "b.npy": c.file})
		_, err := ReadFile(folder)
		t.Run(name, func(t *testing.T) { requireOneLine(t, err, filepath.Join(folder, "b.npy"), c.want) })
	}

	for name, want := range map[string]string{
		"objects":           "an array of Python objects; save numbers, such as x.astype(numpy.float32)",
		"records":           `an array of type "[('a', '<i4'), ('b', '<f8')]"; save numbers`,
		"text":              `an array of type "<U1"`,
		"complex":           `an array of type "<c16"`,
		"dates":             `an array of type "<M8[D]"`,
		"vector":            "an array of shape (6,); save one of two dimensions, [instances, features]",
		"scalar":            "an array of shape ()",
		"cube":              "an array of shape (3, 2, 1)",
		"no instances":      "an array of 0 instances with 2 features",
		"no features":       "an array of 2 instances with 0 features",
		"nan":               "row 2, column 1 (from 0): value NaN; replace it by a finite number",
		"nan, float16":      "row 2, column 1 (from 0): value NaN",
		"infinite, float16": "row 0, column 1 (from 0): value +Inf",
		"infinite, Fortran": "row 2, column 0 (from 0): value -Inf",
	} {
		file, err := os.ReadFile(filepath.Join("testdata", "numpy-refused", name+".npy"))
		must(t, err)
		folder := numpyFolder(t, map[string][]byte{"labels.csv": []byte(list), "a.npy": a, "b.npy": file})
		_, err = ReadFile(folder)
		t.Run(name, func(t *testing.T) { requireOneLine(t, err, filepath.Join(folder, "b.npy"), want) })
	}

	folder := numpyFolder(t, map[string][]byte{"labels.csv": []byte(list), "a.npy": a})
	must(t, os.Mkdir(filepath.Join(folder, "b.npy"), 0o700))
	_, err := ReadFile(folder)
	requireOneLine(t, err, filepath.Join(folder, "b.npy"), "is a folder, not a file")

	for _, c := range []struct {
		files map[string][]byte
		want  string
	}{
		{nil, "a folder without bags; give a file, or a folder with one file per bag (.npy, .h5, .hdf5, .npz, .pt, .pth) with labels.csv"},
		{map[string][]byte{"results.jsonl": nil}, "a folder without bags"},
		{map[string][]byte{"a.npy": a}, "no table of its bags; name one with --labels, or write labels.csv"},
		{map[string][]byte{"a.npy": a, "b.npy": b, "x.csv": []byte(list), "y.csv": []byte(list)}, "several tables: x.csv, y.csv; name one with --labels"},
	} {
		folder := numpyFolder(t, c.files)
		_, err := ReadFile(folder)
		requireOneLine(t, err, folder, c.want)
	}
	if runtime.GOOS != "windows" { // no file there has such a name
		_, err = Options{Unlabelled: true}.ReadFile(numpyFolder(t, map[string][]byte{"a\nb.npy": a}))
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("a name of two lines: %v", err)
		}
	}
	file := filepath.Join(numpyFolder(t, map[string][]byte{"a.npy": a}), "a.npy")
	_, err = ReadFile(file)
	requireOneLine(t, err, file, "a NumPy array, which is one bag; give the folder of the bags with their labels.csv")
}

// Other programs write different spaces, quotes and orders in the dictionary.
func TestNumPyHeaders(t *testing.T) {
	want := &mil.Dense{Rows: 2, Cols: 1, Values: []float32{1.5, -2}}
	data := numpyFile("<f4", false, []float64{1.5}, []float64{-2})
	data = data[len(data)-8:]
	for _, dictionary := range []string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1)}",
		"{'descr':'<f4','fortran_order':True,'shape':(2,1)}",
		`{"shape": (2, 1,), "fortran_order": False, "descr": "<f4"}`,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }", // Python 2
	} {
		file := numpyText(dictionary, data)
		m, err := readNumPyArray(bytes.NewReader(file), int64(len(file)))
		if err != nil || !reflect.DeepEqual(m, want) {
			t.Errorf("%s: %+v, %v", dictionary, m, err)
		}
	}
}

// A file that ends early is always an error, even if its size suggests otherwise.
func TestReadNumPyTruncated(t *testing.T) {
	file := numpyFile("<f8", true, []float64{1, 2}, []float64{3, 4})
	for n := range file {
		for _, size := range []int{n, len(file)} {
			if m, err := readNumPyArray(bytes.NewReader(file[:n]), int64(size)); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%d of %d bytes: %+v, %v", n, len(file), m, err)
			}
		}
	}
}

// A file that claims more than fits into memory is not read into memory: it is read in pieces.
func TestReadNumPyClaims(t *testing.T) {
	for _, kind := range []string{"<f4", "<f8"} {
		header := numpyText(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (1073741824, 512), }", kind), nil)
		folder := numpyFolder(t, map[string][]byte{"a.npy": header, "b.npy": header})
		for _, name := range []string{"a.npy", "b.npy"} {
			width := int64(kind[2] - '0')
			if err := os.Truncate(filepath.Join(folder, name), int64(len(header))+width<<39); err != nil {
				t.Skip(err) // no room: the file system has no sparse files
			}
		}
		alloctest.Bounded(t, header, 0, func() {
			x := inFile(t, folder)
			row := []float32{511: 9}
			if err := x.Read(1<<30-1, 1<<30, row); err != nil || row[511] != 0 || x.Len() != 1<<30 {
				t.Errorf("%s: the last of %d instances ends with %v, %v", kind, x.Len(), row[511], err)
			}
		})
	}
}

// kinds returns bag a of a folder as the three kinds of instances: dense, sparse, and in a file.
func kinds(t *testing.T, folder string) map[string]mil.Instances {
	t.Helper()
	file := inFile(t, folder)
	dense, err1 := mil.ToDense(file)
	sparse, err2 := mil.ToSparse(dense)
	must(t, errors.Join(err1, err2))
	return map[string]mil.Instances{"dense": dense, "sparse": sparse, "file": file}
}

// TestKinds: a bag reads the same in every kind, whatever its file holds and whichever rows are read, and has one
// checksum.
func TestKinds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, form := range []struct {
		kind    string
		fortran bool
	}{{"<f4", false}, {"<f4", true}, {">f4", false}, {"<f8", false}, {">f8", true}, {"<i2", false}, {"|u1", true}} {
		for range 5 {
			rows := make([][]float64, 1+random.IntN(40))
			width := 1 + random.IntN(9)
			for i := range rows {
				rows[i] = make([]float64, width)
				for j := range rows[i] {
					rows[i][j] = float64(random.IntN(4) * random.IntN(50))
				}
			}
			folder := numpyFolder(t, map[string][]byte{"a.npy": numpyFile(form.kind, form.fortran, rows...)})
			sums := map[string]bool{}
			for name, x := range kinds(t, folder) {
				if x.Len() != len(rows) || x.Features() != width {
					t.Fatalf("%v, %s: %d x %d, want %d x %d", form, name, x.Len(), x.Features(), len(rows), width)
				}
				for range 20 {
					i := random.IntN(len(rows) + 1)
					j := i + random.IntN(len(rows)+1-i)
					got := slices.Repeat([]float32{-1}, (j-i)*width)
					if err := x.Read(i, j, got); err != nil {
						t.Fatalf("%v, %s: %v", form, name, err)
					}
					for k, v := range got {
						if want := float32(rows[i+k/width][k%width]); v != want {
							t.Fatalf("%v, %s: instance %d, feature %d is %v, want %v", form, name, i+k/width, k%width, v, want)
						}
					}
				}
				set := &mil.Set{Bags: []mil.Bag{{ID: "a", Instances: x}}}
				sums[resealed(t, set)] = true
			}
			if len(sums) != 1 {
				t.Errorf("%v: %d checksums", form, len(sums))
			}
		}
	}
}

// TestHeldInFiles: a folder too large for memory gives the same set, and its bags stay in their files.
func TestHeldInFiles(t *testing.T) {
	x, y := [][]float64{{1, 2}, {3, 4}}, [][]float64{{5, 6}}
	folder := numpyFolder(t, map[string][]byte{
		"labels.csv": []byte("bag,label\na,normal\nb,tumour\n"), "a.npy": numpyFile("<f4", false, x...), "b.npy": numpyFile("<f8", false, y...),
	})
	held, err := ReadFile(folder)
	must(t, err)
	defer func(before int64) { mostHeld = before }(mostHeld)
	mostHeld = 5
	filed, err := ReadFile(folder)
	must(t, err)
	if held.Checksum != filed.Checksum {
		t.Errorf("checksum %s in memory, %s in files", held.Checksum, filed.Checksum)
	}
	for i, b := range filed.Bags {
		if _, dense := b.Instances.(*mil.Dense); dense || !slices.EqualFunc(rowsOf(t, b.Instances), [][][]float64{x, y}[i], slices.Equal) {
			t.Errorf("bag %s is a %T", b.ID, b.Instances)
		}
	}
	moved, err := MoveInstanceLabels(filed, 1)
	must(t, err)
	if want, err := MoveInstanceLabels(held, 1); err != nil || moved.Checksum != want.Checksum || !reflect.DeepEqual(moved.InstanceLabels, want.InstanceLabels) {
		t.Errorf("without a column %+v, in memory %+v, %v", moved, want, err)
	}
	if r, err := audit.Inspect(filed); err != nil || r.Instances != 3 || r.Density != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// If a bag's file has become shorter or contains something that is not a number, the error is one line that names the
// bag.
func TestFilesThatChange(t *testing.T) {
	rows := slices.Repeat([][]float64{{1, 2, 3, 4}}, 3000)
	for _, kind := range []string{"<f4", "<f8"} {
		folder := numpyFolder(t, map[string][]byte{"a.npy": numpyFile(kind, false, rows...)})
		path := filepath.Join(folder, "a.npy")
		x := inFile(t, folder)
		info, err := os.Stat(path)
		must(t, err)
		for _, size := range []int64{info.Size() - 8, 4096} {
			must(t, os.Truncate(path, size))
			err := x.Read(0, 3000, make([]float32, 12000))
			requireOneLine(t, err, path, "damaged")
		}
		must(t, os.Remove(path))

		rows[7] = []float64{1, math.NaN(), 3, 4}
		folder = numpyFolder(t, map[string][]byte{"a.npy": numpyFile(kind, false, rows...)})
		err = inFile(t, folder).Read(5, 9, make([]float32, 16))
		requireOneLine(t, err, filepath.Join(folder, "a.npy"), "row 7, column 1 (from 0): value NaN")
		rows[7] = rows[6]
	}
}

// inFile returns bag a of a folder, still in its file.
func inFile(t *testing.T, folder string) mil.Instances {
	t.Helper()
	path := filepath.Join(folder, "a.npy")
	c, err := bagForm{".npy", readNumPy}.file(path, path).open(Options{}.features)
	must(t, err)
	return c.features
}
