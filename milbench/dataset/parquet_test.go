package dataset

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/internal/alloctest"
	"synpool/internal/large"
	"synpool/milbench/mil"
)

// parquetFiles returns the files written by testdata/parquet_bags.py.
func parquetFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// TestReadParquet: every file reads the same as the CSV file with the same content, written by pandas.
func TestReadParquet(t *testing.T) {
	for _, file := range parquetFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			name, _, _ := strings.Cut(strings.TrimSuffix(file, ".parquet"), "-")
			var notes, wantNotes []string
			want, err := Options{Note: func(text string) { wantNotes = append(wantNotes, text) }}.ReadFile(name + ".csv")
			must(t, err)
			s, err := Options{Note: func(text string) { notes = append(notes, text) }}.ReadFile(file)
			must(t, err)
			if s.Name != strings.TrimSuffix(filepath.Base(file), ".parquet") {
				t.Errorf("name %q", s.Name)
			}
			if s.Checksum != want.Checksum || !reflect.DeepEqual(s.Features, want.Features) || !slices.Equal(s.Classes, want.Classes) ||
				!reflect.DeepEqual(s.Bags, want.Bags) || !reflect.DeepEqual(s.InstanceLabels, want.InstanceLabels) {
				t.Errorf("read %+v\nwant %+v", s, want)
			}
			if strings.ReplaceAll(strings.Join(notes, "\n"), file, name+".csv") != strings.Join(wantNotes, "\n") {
				t.Errorf("notes %q, want %q", notes, wantNotes)
			}
		})
	}
}

// TestReadParquetOptions: the options for columns work as for CSV files.
func TestReadParquetOptions(t *testing.T) {
	for _, o := range []Options{
		{Categorical: []string{"round"}, Note: func(string) {}},
		{Features: []string{"weight", "grade=tumor", "area"}, Unlabelled: true},
	} {
		want, err := o.ReadFile("testdata/parquet/bags.csv")
		must(t, err)
		for _, file := range []string{"bags-zstd-2.0-dictionary", "bags-pandas", "bags-delta"} {
			s, err := o.ReadFile("testdata/parquet/" + file + ".parquet")
			must(t, err)
			if s.Checksum != want.Checksum || !slices.Equal(s.Features, want.Features) {
				t.Errorf("%s: read %+v\nwant %+v", file, s, want)
			}
		}
	}
	s, err := Options{Features: []string{"x"}, Unlabelled: true}.ReadFile("testdata/parquet-refused/unused.parquet") // other columns are ignored
	if err != nil || len(s.Bags) != 2 || s.NumFeatures() != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	data, err := os.ReadFile("testdata/parquet/bags-groups.parquet")
	must(t, err)
	other := filepath.Join(t.TempDir(), "table.bin") // recognised by its first bytes
	must(t, os.WriteFile(other, data, 0o600))
	if s, err := ReadFile(other); err != nil || len(s.Bags) != 5 || s.Name != "table" {
		t.Errorf("%+v, %v", s, err)
	}
	text := written(t, "words.csv", []byte("PAR1,bag,label\n1,a,0\n2,b,1\n"))
	if s, err := ReadFile(text); err != nil || s.Features[0] != "PAR1" {
		t.Errorf("a CSV file that begins with PAR1: %v", err)
	}
}

// TestReadParquetRefuses: the error names the file, the row and the column.
func TestReadParquetRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"empty":     "no bags",
		"ragged":    "row 3: column x has 1 values, and 2 in the first row; give every row as many, and one at least",
		"lack":      "row 2: column x has 0 values, and 2 in the first row; give every row as many, and one at least",
		"nothing":   "row 1: column x has 0 values, and 0 in the first row; give every row as many, and one at least",
		"hole":      `1 value is missing, in x2 (1, the first in bag b); --missing median takes the median of each training part for them, and adds features that say where they are`,
		"null":      `1 value is missing, in x (1, the first in bag b); --missing median takes the median of each training part for them, and adds features that say where they are`,
		"infinite":  "row 3: bag b, feature x: value +Inf; replace it by a finite number",
		"words":     `row 1: bag a, feature x: "x" is not a number in the range of a double; --categorical "x" makes a feature of each word, --ignore "x" leaves the column out, and --bag "x" takes the words for the bags`,
		"lists":     "column x holds lists of lists; drop it, or save it as numbers or text",
		"struct":    "column x holds nested values; drop it, or save it as numbers or text",
		"one":       "column x holds nested values; drop it, or save it as numbers or text",
		"structs":   "column x holds nested values; drop it, or save it as numbers or text",
		"map":       "column x holds a map; drop it, or save it as numbers or text",
		"timestamp": "column x holds times; drop it, or save it as numbers or text",
		"date":      "column x holds times; drop it, or save it as numbers or text",
		"time":      "column x holds times; drop it, or save it as numbers or text",
		"int96":     "column x holds times (INT96); drop it, or save it as numbers or text",
		"uuid":      "column x holds values of type UUID; drop it, or save it as numbers or text",
		"unused":    "column day holds times; drop it, or save it as numbers or text",
		"nobag":     "no column bag; name the column of the bags with --bag; there are 0, 1, 2",
		"disagrees": "row 2: bag a has label 1 here and 0 before; a bag has one label: is its id used twice?",
	} {
		file := "testdata/parquet-refused/" + name + ".parquet"
		_, err := ReadFile(file)
		if err == nil || err.Error() != file+": "+want {
			t.Errorf("error %v\nwant  %s: %s", err, file, want)
		}
	}
	if files, _ := filepath.Glob("testdata/parquet-refused/*"); len(files) != 21 {
		t.Errorf("%d files", len(files))
	}
	data, err := os.ReadFile("testdata/parquet/bags-groups.parquet")
	must(t, err)
	const damaged = ": the file is damaged; fetch it again or save it again"
	for want, data := range map[string][]byte{
		"a gzipped file; unpack it":                                gzipped(data),
		"an encrypted Parquet file; save it without encryption":    slices.Concat([]byte("PARE"), data[4:len(data)-4], []byte("PARE")),
		"no Parquet file" + damaged:                                data[:len(data)-1],
		"footer: ends early" + damaged:                             []byte("PAR1\x19\xfc\xff\xff\x03\x05\x00\x00\x00PAR1"),
		"a footer of 4294967295 bytes in a file of 12" + damaged:   []byte("PAR1\xff\xff\xff\xffPAR1"),
		"footer: missing required field: 1:FIELD<I32>" + damaged:   []byte("PAR1\x00\x01\x00\x00\x00PAR1"),
		`column "slide_id": header of a page: no struct of Thrift`: slices.Concat(data[:4], []byte{0x1f}, data[5:]),
	} {
		file := written(t, "x.parquet", data)
		_, err := ReadFile(file)
		requireOneLine(t, err, file, want)
	}
}

// fromParquet reads a table in memory.
func fromParquet(data []byte, o Options) (*mil.Set, error) {
	return o.parquetTable(bytes.NewReader(data), int64(len(data)), "fuzz")
}

// parquetBytes is the memory allowed per byte of a file. A byte may stand for 1032 values, the maximum of deflate,
// and a value takes 56 bytes while it is read.
const parquetBytes = 1032 * 56

// TestParquetTruncated: a file that ends early is always an error.
func TestParquetTruncated(t *testing.T) {
	for _, file := range parquetFiles(t) {
		data, err := os.ReadFile(file)
		must(t, err)
		alloctest.Bounded(t, data, parquetBytes, func() {
			for n := 0; n < len(data)-8; n += 1 + len(data)/500 {
				_, err := fromParquet(data[:n], Options{})
				requireOneLine(t, err, "fuzz", "the file is damaged; fetch it again or save it again")
				// The same, with the footer of the whole file appended.
				_, err = fromParquet(slices.Concat(data[:n], data[len(data)-8:]), Options{})
				requireOneLine(t, err, "fuzz", "")
			}
		})
	}
}

// TestParquetChanged: a modified file is either read or gives a one-line error, using little memory.
func TestParquetChanged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, file := range parquetFiles(t) {
		data, err := os.ReadFile(file)
		must(t, err)
		for range large.Number(60, 2000) {
			changed := slices.Clone(data)
			for range 1 + random.IntN(3) {
				changed[random.IntN(len(changed))] = byte(random.Uint32())
			}
			alloctest.Bounded(t, changed, parquetBytes, func() {
				s, err := fromParquet(changed, Options{})
				requireSound(t, s, err)
			})
		}
	}
}

func FuzzParquet(f *testing.F) {
	addFiles(f, "testdata/parquet/*.parquet", "testdata/parquet-refused/*.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		var s *mil.Set
		var err error
		alloctest.Bounded(t, data, parquetBytes, func() { s, err = fromParquet(data, Options{}) })
		requireSound(t, s, err)
		alloctest.Bounded(t, data, parquetBytes, func() {
			unlabelled, err := fromParquet(data, Options{Unlabelled: true})
			requireUnlabelled(t, s, unlabelled, err)
		})
	})
}
