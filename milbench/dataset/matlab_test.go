package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// toy makes a set of two bags in memory.
func toy(t *testing.T, rows ...[][]float64) *mil.Set {
	t.Helper()
	var bags []mil.Bag
	var words []string
	for i, instances := range rows {
		m := &mil.Sparse{Cols: len(instances[0])}
		for _, x := range instances {
			narrow := make([]float32, len(x))
			for j, v := range x {
				narrow[j] = float32(v)
			}
			m.Append(narrow)
		}
		bags = append(bags, mil.Bag{ID: fmt.Sprint(i + 1), Instances: m})
		words = append(words, fmt.Sprint(i%2))
	}
	s, err := Options{}.assemble(&mil.Set{Name: "toy", Bags: bags}, words)
	must(t, err)
	return s
}

// Every storage type in both byte orders, compressed or not, with and without small elements, in all forms.
func TestReadMATLABStorage(t *testing.T) {
	values := map[uint32][2]float64{ // values that only this type can hold
		miINT8: {-128, 127}, miUINT8: {255, 1}, miINT16: {-32768, 32767}, miUINT16: {65535, 1},
		miINT32: {math.MinInt32, math.MaxInt32}, miUINT32: {math.MaxUint32, 1}, miINT64: {-1 << 52, 1 << 52},
		miUINT64: {1 << 60, 3}, miSINGLE: {-0.5, math.MaxFloat32}, miDOUBLE: {0.1, -math.MaxFloat32},
	}
	for kind, v := range values {
		a := [][]float64{{v[0], 0, 2}, {0, v[1], 0}, {3, 0, v[0]}}
		b := [][]float64{{0, 0, v[1]}}
		want := toy(t, a, b)
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for variant := range 8 {
				w := matWriter{order: order, compress: variant&1 != 0, small: variant&2 != 0, storage: kind}
				matrix := w.matrix
				if variant&4 != 0 {
					matrix = w.sparse
				}
				files := map[string][]byte{
					"cells": w.file(w.cells("data", matrix("", a), matrix("", b), matrix("", [][]float64{{0}}), matrix("", [][]float64{{1}}))),
					"columbia": w.file(matrix("labels", [][]float64{{0}, {1}, {0}, {0}}), w.matrix("other", a), matrix("bag_ids", [][]float64{{1, 2, 1, 1}}),
						matrix("features", [][]float64{a[0], b[0], a[1], a[2]})),
				}
				for form, file := range files {
					s, err := ReadMATLAB(bytes.NewReader(file), "toy")
					if err != nil {
						t.Errorf("type %d, %v, %+v, %s: %v", kind, order, w, form, err)
					} else if s.Checksum != want.Checksum {
						t.Errorf("type %d, %v, %+v, %s: read %+v, want %+v", kind, order, w, form, s.Bags, want.Bags)
					}
				}
			}
		}
	}
}

func littleEndian() matWriter {
	return matWriter{order: binary.LittleEndian, storage: miDOUBLE}
}

// goodCells is a file of two bags in cells.
func goodCells(w matWriter) []byte {
	return w.file(w.cells("data",
		w.matrix("", [][]float64{{1, 0, 2.5}, {0, 4, -7}}), w.sparse("", [][]float64{{0, 0, 300}}),
		w.matrix("", [][]float64{{-1}}), w.matrix("", [][]float64{{1}})))
}

func TestReadMATLABRefuses(t *testing.T) {
	refused := map[string]string{ // files written by SciPy
		"char-cells":      "bag 1: char array 1x4 where numbers are expected",
		"columbia-across": "features is 2x3 and bag_ids has 3 values",
		"columbia-labels": "bag 1 has label -1 in instance 2 and 1 before",
		"columbia-lacks":  "found features (3x2), labels (1x3); save",
		"complex-cells":   "bag 1: complex double 3x2 where real numbers are expected",
		"cube":            "features: double 2x2x2 has 3 dimensions",
		"empty-cells":     "bag 2: the instance matrix is empty",
		"level4":          "not a MATLAB level 5 file",
		"nan-cells":       "bag 2: row 1, column 2: value NaN",
		"one-class-cells": "two classes are needed",
		"struct":          "found data (struct 1x1)",
		"struct-cells":    "bag 1: struct 1x1 where numbers are expected",
		"three-columns":   "found data (cell array 1x3)",
		"wide-cells":      "bag 2 has 3 features, bag 1 has 2",
	}
	files, err := filepath.Glob("testdata/refused/*.mat")
	if err != nil || len(files) != len(refused) {
		t.Fatalf("%d files for %d cases (%v)", len(files), len(refused), err)
	}
	for name, want := range refused {
		path := filepath.Join("testdata", "refused", name+".mat")
		_, err := ReadFile(path)
		requireOneLine(t, err, path, want)
	}

	w := littleEndian()
	x := w.matrix("", [][]float64{{1, 2}})
	zero, one := w.matrix("", [][]float64{{0}}), w.matrix("", [][]float64{{1}})
	good := goodCells(w)
	object := w.array("data", mxOPAQUE, 0, nil, w.element(miINT8, []byte("MCOS")), w.element(miINT8, []byte("table")), w.numbers(miUINT32, 1))
	version := func(v uint16) []byte {
		file := bytes.Clone(good)
		binary.LittleEndian.PutUint16(file[124:], v)
		return file
	}
	sparse := func(rows, cols float64, row, start, values []float64) []byte {
		return w.file(w.cells("data", w.array("", mxSPARSE, 0, []float64{rows, cols}, w.numbers(miINT32, row...), w.numbers(miINT32, start...), w.numbers(miDOUBLE, values...)), x, zero, one))
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty file", nil, "the file is empty"},
		{"text", []byte("bag,label,f1\n"), "not a MATLAB level 5 file"},
		{"wrong magic", append(bytes.Repeat([]byte{'x'}, 126), "XX"...), "not a MATLAB level 5 file"},
		{"wrong version", version(0x0300), "not a MATLAB level 5 file"},
		{"version 7.3", version(0x0200), "version 7.3 (HDF5); save it in MATLAB with save -v7"},
		{"HDF5", []byte("\x89HDF\r\n\x1a\n"), "version 7.3 (HDF5)"},
		{"header alone", good[:128], "no bags: found nothing"},
		{"short header", good[:100], "ends early"},
		{"object", w.file(object), "found data (object); save a cell array"},
		{"object in a cell", w.file(w.cells("data", object, x, zero, one)), "bag 1: object where numbers are expected"},
		{"function handle", w.file(w.cells("data", w.array("", mxFUNCTION, 0, []float64{1, 1}), x, zero, one)), "bag 1: function handle 1x1 where"},
		{"unknown class", w.file(w.cells("data", w.array("", 99, 0, []float64{1, 1}), x, zero, one)), "bag 1: array of unknown class 99"},
		{"infinity", w.file(w.cells("data", x, w.sparse("", [][]float64{{0, math.Inf(-1)}}), zero, one)), "bag 2: row 1, column 2: value -Inf"},
		{"too large", w.file(w.cells("data", w.matrix("", [][]float64{{1e300}}), x, zero, one)), "bag 1: row 1, column 1: value 1e+300 is too large for float32"},
		{"NaN label", w.file(w.cells("data", x, x, zero, w.matrix("", [][]float64{{math.NaN()}}))), "bag 2, label: row 1, column 1: value NaN"},
		{"label matrix", w.file(w.cells("data", x, x, zero, x)), "bag 2 has a label of 1x2"},
		{"no cells", w.file(w.cells("data")), "no bags"},
		{"empty bag", w.file(w.cells("data", w.element(miMATRIX, nil), x, zero, one)), "bag 1: the instance matrix is empty"},
		{"number as a cell", w.file(w.cells("data", w.numbers(miDOUBLE, 1), x, zero, one)), "bag 1: a cell of type 9"},
		{"a cell less", w.file(w.array("data", mxCELL, 0, []float64{2, 2}, x, x, zero)), "bag 2, label: cell: ends early"},
		{"two cell arrays", w.file(w.cells("a", x, x, zero, one), w.cells("b", x, x, zero, one)), "two cell arrays of bags, a and b"},
		{"twice", w.file(w.matrix("labels", [][]float64{{1}}), w.matrix("labels", [][]float64{{1}})), "labels occurs twice"},
		{"too few values", w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{2, 2}, w.numbers(miDOUBLE, 1, 2, 3)), x, zero, one)), "bag 1: 3 values, not 2x2"},
		{"too many values", w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{1, 2}, w.numbers(miDOUBLE, 1, 2, 3)), x, zero, one)), "bag 1: more values than 1x2"},
		{"odd bytes", w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{1, 1}, w.element(miDOUBLE, make([]byte, 9))), x, zero, one)), "bag 1: 9 bytes of numbers of 8 bytes"},
		{"unknown numbers", w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{1, 1}, w.element(8, make([]byte, 8))), x, zero, one)), "bag 1: numbers of unknown type 8"},
		{"negative dimension", w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{-1, 1}), x, zero, one)), "bag 1: a dimension of -1"},
		{"row index", sparse(2, 2, []float64{0, 2}, []float64{0, 1, 2}, []float64{1, 1}), "bag 1: row index 2 of 2 rows"},
		{"value twice", sparse(2, 2, []float64{1, 1}, []float64{0, 2, 2}, []float64{1, 1}), "bag 1: row 2, column 1 occurs twice"},
		{"falling starts", sparse(2, 2, []float64{0, 1}, []float64{0, 2, 1}, []float64{1, 1}), "bag 1: column starts that do not ascend"},
		{"starts beyond", sparse(2, 2, []float64{0, 1}, []float64{0, 1, 3}, []float64{1, 1}), "bag 1: column starts that do not fit 2 columns"},
		{"values short", sparse(2, 2, []float64{0, 1}, []float64{0, 1, 2}, []float64{1}), "bag 1: 1 values, not 2"},
		{"labels short", w.file(w.matrix("features", [][]float64{{1}, {2}}), w.matrix("labels", [][]float64{{1}}), w.matrix("bag_ids", [][]float64{{1, 2}})), "labels: 1 values where the file has 2 instances"},
		{"ids square", w.file(w.matrix("features", [][]float64{{1}, {2}}), w.matrix("labels", [][]float64{{1, 0}}), w.matrix("bag_ids", [][]float64{{1, 2}, {3, 4}})), "bag_ids: a matrix of 2x2"},
		{"ids sparse", w.file(w.matrix("features", [][]float64{{1}, {2}}), w.matrix("labels", [][]float64{{1, 0}}), w.sparse("bag_ids", [][]float64{{0, 2}})), "bag_ids: a sparse vector of 2 with 1 values"},
		{"unknown element", append(bytes.Clone(good), make([]byte, 8)...), "a data element of unknown type 0"},
	} {
		_, err := ReadMATLAB(bytes.NewReader(c.file), "toy.mat")
		requireOneLine(t, err, "toy.mat", c.want)
	}
}

// requireOneLine requires a one-line error that starts with file and contains want.
func requireOneLine(t *testing.T, err error, file, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one with %q", want)
		return
	}
	if s := err.Error(); !strings.HasPrefix(s, file+": ") || !strings.Contains(s, want) || strings.Contains(s, "\n") {
		t.Errorf("error %q; want one line that begins with %q and has %q", s, file, want)
	}
}

// A file that ends early, anywhere, is an error.
func TestReadMATLABTruncated(t *testing.T) {
	for _, compress := range []bool{false, true} {
		w := littleEndian()
		w.compress = compress
		file := goodCells(w)
		if _, err := ReadMATLAB(bytes.NewReader(file), "toy.mat"); err != nil {
			t.Fatal(err)
		}
		for n := range file {
			_, err := ReadMATLAB(bytes.NewReader(file[:n]), "toy.mat")
			requireOneLine(t, err, "toy.mat", "")
		}
	}
}

// A flipped bit in a compressed file is an error, unless it changes nothing: in the text of the header, in padding bits of
// compressed data, or in the length of a code that the data do not use. The last two are one bit in fifty at most; how many
// depends on the version of compress/flate.
func TestReadMATLABBitFlips(t *testing.T) {
	w := littleEndian()
	w.compress = true
	file := goodCells(w)
	want, err := ReadMATLAB(bytes.NewReader(file), "toy.mat")
	must(t, err)
	harmless := 0
	for i := range 8 * len(file) {
		flipped := bytes.Clone(file)
		flipped[i/8] ^= 1 << (i % 8)
		s, err := ReadMATLAB(bytes.NewReader(flipped), "toy.mat")
		switch {
		case err != nil:
			requireOneLine(t, err, "toy.mat", "")
		case s.Checksum != want.Checksum:
			t.Errorf("bit %d of byte %d flipped unseen", i%8, i/8)
		case i/8 >= 128:
			harmless++
		}
	}
	if behind := 8 * (len(file) - 128); 50*harmless > behind {
		t.Errorf("%d harmless flips of %d bits behind the header", harmless, behind)
	}
}

// False lengths are detected without allocating memory for them.
func TestReadMATLABLyingLengths(t *testing.T) {
	const huge = math.MaxInt32
	w := littleEndian()
	x := w.matrix("", [][]float64{{1, 2}})
	zero, one := w.matrix("", [][]float64{{0}}), w.matrix("", [][]float64{{1}})
	lie := func(part []byte, offset int) []byte { // the size in the tag at offset becomes huge
		part = bytes.Clone(part)
		binary.LittleEndian.PutUint32(part[offset:], 0xfffffff8)
		return part
	}
	var many [][]byte
	for range 1000 {
		many = append(many, w.array("", mxSPARSE, 0, []float64{1 << 16, 1}, w.numbers(miINT32, 0), w.numbers(miINT32, 0, 1), w.numbers(miDOUBLE, 1)))
	}
	compressed := w
	compressed.compress = true
	for name, file := range map[string][]byte{
		"variable":          lie(goodCells(w), 128+4),
		"compressed":        lie(goodCells(compressed), 128+4),
		"values":            w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{1, 2}, lie(w.numbers(miDOUBLE, 1, 2), 4)), x, zero, one)),
		"dense dimensions":  w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{huge, huge}, w.numbers(miDOUBLE, 1, 2)), x, zero, one)),
		"no columns":        w.file(w.cells("data", w.array("", mxDOUBLE, 0, []float64{huge, 0}, w.numbers(miDOUBLE)), x, zero, one)),
		"sparse rows":       w.file(w.cells("data", w.array("", mxSPARSE, 0, []float64{huge, 1}, w.numbers(miINT32, 0), w.numbers(miINT32, 0, 1), w.numbers(miDOUBLE, 1)), x, zero, one)),
		"many sparse rows":  w.file(w.cells("data", append(many, many...)...)),
		"sparse columns":    w.file(w.cells("data", w.array("", mxSPARSE, 0, []float64{1, huge}, w.numbers(miINT32, 0), w.numbers(miINT32, 0, 1), w.numbers(miDOUBLE, 1)), x, zero, one)),
		"cells":             w.file(w.array("data", mxCELL, 0, []float64{huge, 2}, x, x, zero, one)),
		"labels":            w.file(w.array("labels", mxSPARSE, 0, []float64{huge, 1}, w.numbers(miINT32, 0), w.numbers(miINT32, 0, 1), w.numbers(miDOUBLE, 1)), w.matrix("bag_ids", [][]float64{{1}}), w.matrix("features", [][]float64{{1}})),
		"bag ids":           w.file(w.array("bag_ids", mxSPARSE, 0, []float64{huge, 1}, w.numbers(miINT32, 0), w.numbers(miINT32, 0, 1), w.numbers(miDOUBLE, 1)), w.matrix("labels", [][]float64{{1}}), w.matrix("features", [][]float64{{1}})),
		"features":          w.file(w.array("features", mxSPARSE, 0, []float64{huge, 1}, w.numbers(miINT32, 0), w.numbers(miINT32, 0, 1), w.numbers(miDOUBLE, 1)), w.matrix("labels", [][]float64{{1}}), w.matrix("bag_ids", [][]float64{{1}})),
		"name":              w.file(w.element(miMATRIX, append(w.numbers(miUINT32, mxDOUBLE, 0), append(w.numbers(miINT32, 1, 1), lie(w.element(miINT8, []byte("longer name")), 4)...)...))),
		"many dimensions":   w.file(w.array("data", mxDOUBLE, 0, make([]float64, 1000))),
		"small element":     w.file([]byte{14, 0, 5, 0, 0, 0, 0, 0}),
		"nested in nothing": w.file(w.element(miMATRIX, nil)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadMATLAB(bytes.NewReader(file), "toy.mat")
		runtime.ReadMemStats(&after)
		requireOneLine(t, err, "toy.mat", "")
		if mb := float64(after.TotalAlloc-before.TotalAlloc) / 1e6; mb > 8 {
			t.Errorf("%s: %.1f MB allocated (%v)", name, mb, err)
		}
	}
}
