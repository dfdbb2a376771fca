package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/internal/alloctest"
	"synpool/milbench/mil"
)

// requireSound requires that a set from a reader is valid and, if it is small, survives a round trip through CSV.
func requireSound(t *testing.T, s *mil.Set, err error) {
	t.Helper()
	if err != nil {
		requireOneLine(t, err, "fuzz", "")
		return
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if s.NumInstances()*s.NumFeatures() < 1e5 {
		requireComesBack(t, s)
	}
}

// requireUnlabelled requires the same bags without labels if a set can be read. Otherwise it requires sound bags or
// an error.
func requireUnlabelled(t *testing.T, labelled, s *mil.Set, err error) {
	t.Helper()
	if err != nil {
		requireOneLine(t, err, "fuzz", "")
		// Without a header, a word as a label might be a bag, so predict asks for a header.
		if labelled != nil && !errors.Is(err, errNoBagHeader) {
			t.Errorf("a set only with labels: %v", err)
		}
		return
	}
	if err := s.ValidateBags(); err != nil || s.NumPositive() > 0 {
		t.Errorf("%d positive bags, %v", s.NumPositive(), err)
	}
	if labelled == nil {
		return
	}
	bags := slices.Clone(labelled.Bags)
	for i := range bags {
		bags[i].Target, bags[i].Group, bags[i].Split = mil.Target{}, "", mil.NoSplit
	}
	if resealed(t, &mil.Set{Bags: bags}) != s.Checksum {
		t.Errorf("without labels %+v, with them %+v", s.Bags, labelled.Bags)
	}
}

// addFiles adds the files that match patterns, one or more each.
func addFiles(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

func FuzzMATLAB(f *testing.F) {
	addFiles(f, "testdata/*.mat", "testdata/refused/*.mat")
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for kind := range decoders {
			f.Add(goodCells(matWriter{order: order, storage: kind, small: kind%2 == 0}))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		var s *mil.Set
		var err error
		// zlib inflates 1032-fold, a value of one byte grows to 28, and slices grow twofold.
		alloctest.Bounded(t, data, 1032*56, func() { s, err = ReadMATLAB(bytes.NewReader(data), "fuzz") })
		requireSound(t, s, err)
		alloctest.Bounded(t, data, 1032*56, func() {
			unlabelled, err := Options{Unlabelled: true}.from(bytes.NewReader(data), "fuzz", Options.readMATLAB)
			requireUnlabelled(t, s, unlabelled, err)
		})
		if err != nil || s.NumInstances()*s.NumFeatures() > 1e5 {
			return
		}
		w := matWriter{order: binary.BigEndian, storage: miDOUBLE, compress: true}
		var instances, labels [][]byte
		for _, b := range s.Bags {
			label := float64(b.Label)
			switch {
			case s.Kind == mil.RealTarget:
				label = b.Value
			case s.Classes != nil:
				if label, err = strconv.ParseFloat(s.Classes[b.Label], 64); err != nil {
					t.Fatal(err)
				}
			}
			instances, labels = append(instances, w.matrix("", rowsOf(t, b.Instances))), append(labels, w.matrix("", [][]float64{{label}}))
		}
		back, err := ReadMATLAB(bytes.NewReader(w.file(w.cells("data", append(instances, labels...)...))), "fuzz")
		must(t, err)
		for i := range back.Bags {
			back.Bags[i].ID = s.Bags[i].ID // bags from cells have no ids
		}
		if resealed(t, back) != s.Checksum {
			t.Errorf("wrote %+v, read %+v", s.Bags, back.Bags)
		}
	})
}

// fuzzText reads data with its labels and without them.
func fuzzText(f *testing.F, read func(o Options, r io.Reader, name string) (*mil.Set, error)) {
	f.Fuzz(func(t *testing.T, data []byte) {
		alloctest.Bounded(t, data, 2000, func() {
			s, err := Options{}.from(bytes.NewReader(data), "fuzz", read)
			requireSound(t, s, err)
			unlabelled, err := Options{Unlabelled: true}.from(bytes.NewReader(data), "fuzz", read)
			requireUnlabelled(t, s, unlabelled, err)
		})
	})
}

func FuzzC45(f *testing.F) {
	f.Add([]byte("0,,0,;\n00,,0,0"))
	f.Add([]byte("MUSK-1,1_1,42,-198,0.\nMUSK-2,2_1,3e1,0,1.\n"))
	f.Add([]byte("MUSK-1,1_1,42,.\nMUSK-2,2_1,3e1,.\n"))     // no labels
	f.Add([]byte("2aY1y1,2.,42,7190,#0\n00000,00,000,0,00")) // a class that begins like a comment
	f.Add([]byte("| names\na,\"x,0.5,1.\nb,y,0x1p-2,0.\n"))
	fuzzText(f, Options.readC45)
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("bag,1,1\nb,a,0\n")) // words as label and bag that are also column names
	f.Add([]byte("2,0,0,0\n0,1,0,0\n"))
	f.Add([]byte("bag,label,1\nlabel,bag,0\nbag,b,1\n"))
	f.Add([]byte("bag,label,instance_label,group,split,f1,f 2\na,0,0,p,train,1,2\n\"b,\",1,1,q,test,3,4\n"))
	f.Add([]byte("0,a,1,2\n1,b,3,-4e-5\n1,b,0,0\n"))
	f.Add([]byte("slide_id;grade;case;f1\na;x;p;1\nb;y;q;2\n"))
	f.Add([]byte("patient\tclass\tf1\tgroup\na\t0\t1\tp\nb\t1\t2\tq\n"))
	f.Add([]byte("bag,class,time,event,x\na,3,3,1,1\nb,4,2,0,2\n"))
	f.Add([]byte("\ufeffbag,label,f1\r\na,-1,1\r\nb,1,0\r\n"))
	fuzzText(f, Options.readCSV)
}

func FuzzNumPy(f *testing.F) {
	addFiles(f, "testdata/numpy/*.npy", "testdata/numpy-refused/*.npy")
	f.Fuzz(func(t *testing.T, data []byte) {
		var m *mil.Dense
		var err error
		// A value of one byte grows to 4 and is stored twice.
		alloctest.Bounded(t, data, 4*2*4, func() { m, err = readNumPyArray(bytes.NewReader(data), int64(len(data))) })
		if err != nil {
			requireOneLine(t, fmt.Errorf("fuzz: %w", err), "fuzz", "")
			return
		}
		if m.Rows < 1 || m.Cols < 1 || len(m.Values) != m.Rows*m.Cols {
			t.Fatalf("%d x %d with %d values", m.Rows, m.Cols, len(m.Values))
		}
		for _, fortran := range []bool{false, true} {
			file := numpyFile(">f8", fortran, rowsOf(t, m)...)
			back, err := readNumPyArray(bytes.NewReader(file), int64(len(file)))
			if err != nil || !reflect.DeepEqual(back, m) {
				t.Errorf("wrote %+v, read %+v, %v", m, back, err)
			}
		}
	})
}

func FuzzNumPyList(f *testing.F) {
	for _, list := range []string{"bag,label\na,0\nb,1\n", "label,split,group,bag\n1,train,\"p,1\",b\n-1,test,,a\n", "bag\r\na\r\nb\r\n", "bag,label\n../a,0\nb/c,1\n"} {
		f.Add([]byte(list))
	}
	x, y := numpyFile("<f8", false, []float64{1, 2}), numpyFile("<f8", false, []float64{3, 4})
	f.Fuzz(func(t *testing.T, list []byte) {
		folder := numpyFolder(t, map[string][]byte{"a.npy": x, "b.npy": y, listName: list})
		var labelled *mil.Set
		alloctest.Bounded(t, list, 2000, func() {
			s, err := ReadFile(folder)
			if err == nil {
				if err := s.Validate(); err != nil || len(s.Bags) != 2 {
					t.Errorf("%d bags, %v", len(s.Bags), err)
				}
				labelled = s
			} else if err = heading(err); strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), folder) {
				t.Errorf("error %q", err)
			}
		})
		alloctest.Bounded(t, list, 2000, func() {
			s, err := Options{Unlabelled: true}.readFolder(folder)
			if err != nil {
				err = fmt.Errorf("fuzz: %w", heading(err))
			}
			requireUnlabelled(t, labelled, s, err)
		})
	})
}

func FuzzIDX(f *testing.F) {
	f.Add(idx([]byte{1, 2, 3, 4, 5, 6}, 1, 2, 3), 3)
	f.Add(idx([]byte{9}, 1), 1)
	f.Add(gzipped(idx([]byte{9, 8}, 2)), 1)
	f.Add(idx(nil, 1<<31, 1<<31, 1<<31), 3)
	f.Fuzz(func(t *testing.T, data []byte, dimensions int) {
		if dimensions < 1 || dimensions > 8 {
			return
		}
		var sizes []int
		var values []byte
		var err error
		alloctest.Bounded(t, data, 1032*8, func() { sizes, values, err = readIDX(bytes.NewReader(data), "fuzz", dimensions) })
		if err != nil {
			requireOneLine(t, err, "fuzz", "")
			return
		}
		var claimed []uint32
		for _, n := range sizes {
			claimed = append(claimed, uint32(n))
		}
		file := idx(values, claimed...)
		if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) && !bytes.Equal(file, data) {
			t.Errorf("read %d bytes of %v, which is another file", len(values), sizes)
		}
		if _, again, err := readIDX(bytes.NewReader(gzipped(file)), "fuzz", dimensions); err != nil || !bytes.Equal(again, values) {
			t.Errorf("does not come back from a gzipped file: %v", err)
		}
	})
}

// heading returns the first line of an error that lists bags in at most twenty more lines and a count.
func heading(err error) error {
	head, list, is := strings.Cut(err.Error(), ":\n")
	if is && strings.Count(list, "\n") <= 20 && strings.HasPrefix(list, "  ") {
		return errors.New(head)
	}
	return err
}
