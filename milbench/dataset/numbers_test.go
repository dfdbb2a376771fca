package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// TestNumbers: integers are classes. With [Options.Numbers] they are a real target, even if there are only two.
func TestNumbers(t *testing.T) {
	file := func(name string, labels ...string) string { return written(t, name, []byte(labelled(labels...))) }
	counts := file("counts.csv", "0", "2", "7", "2", "-1", "0")
	classes, err := Options{}.Open(counts)
	if err != nil || classes.Stored.Kind != mil.ClassTarget {
		t.Fatalf("%+v, %v", classes, err)
	}
	numbers, err := Options{Numbers: true}.Open(counts)
	if err != nil || numbers.Stored.Kind != mil.RealTarget || numbers.Stored.Classes != nil || numbers.Stored.Bags[2].Value != 7 || numbers.Stored.Bags[4].Value != -1 ||
		numbers.Stored.Bags[2].Label != 0 || numbers.Stored.Checksum == classes.Stored.Checksum {
		t.Errorf("%+v, %v", numbers, err)
	}
	if two, err := (Options{Numbers: true}).Open(file("two.csv", "0", "1", "1", "0")); err != nil || two.Stored.Kind != mil.RealTarget || two.Stored.Bags[1].Value != 1 {
		t.Errorf("%+v, %v", two, err)
	}
	if _, err := (Options{Numbers: true}).Open(file("words.csv", "low", "high", "low", "high")); err == nil || !strings.Contains(err.Error(), `words.csv: bag b0 has label "low", which is not a number; leave --numbers out`) {
		t.Error(err)
	}
}

// TestCentre: a feature far from 0 keeps the digits that it has near 0, in every form that holds doubles. The bags are
// those of the same numbers without the offset. A model reads new bags with its own centre.
func TestCentre(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	var near [][]float64 // x, integers from -9 to 9, and a feature in 64ths
	for range 24 {
		near = append(near, []float64{float64(random.IntN(19) - 9), float64(random.IntN(640)) / 64})
	}
	write := func(name, text string) string {
		return written(t, name, []byte(text))
	}
	forms := map[string]func(rows [][]float64) string{
		"table": func(rows [][]float64) string {
			text := "bag\tlabel\tword\tx\tother\n"
			for i, row := range rows {
				text += fmt.Sprintf("b%d\t%d\tw%d\t%.17g\t%v\n", i/4, i/4%2, i%2, row[0], row[1])
			}
			return write("x.tsv", text)
		},
		"C4.5": func(rows [][]float64) (text string) {
			for i, row := range rows {
				text += fmt.Sprintf("b%d,i%d,%.17g,%v,%d.\n", i/4, i, row[0], row[1], i/4%2)
			}
			return write("x.data", text)
		},
	}
	w := matWriter{order: binary.LittleEndian, storage: miDOUBLE}
	cells := func(matrix func(string, [][]float64) []byte) func(rows [][]float64) string {
		return func(rows [][]float64) string {
			var all [][]byte
			for bag := range slices.Chunk(rows, 4) {
				all = append(all, matrix("", bag))
			}
			for i := range all {
				all = append(all, w.matrix("", [][]float64{{float64(i % 2)}}))
			}
			return write("x.mat", string(w.file(w.cells("bags", all...))))
		}
	}
	forms["dense cells"], forms["sparse cells"] = cells(w.matrix), cells(w.sparse)
	for _, kind := range []string{"<f8", ">f8", "<i8"} {
		for _, fortran := range []bool{false, true} {
			forms[fmt.Sprintf("%s %v", kind, fortran)] = func(rows [][]float64) string {
				files, list := map[string][]byte{}, "bag,label\n"
				for bag := range slices.Chunk(rows, 4) {
					id := fmt.Sprintf("b%d", len(files))
					list += fmt.Sprintf("%s,%d\n", id, len(files)%2)
					files[id+".npy"] = numpyFile(kind, fortran, bag...)
				}
				files["labels.csv"] = []byte(list)
				return numpyFolder(t, files)
			}
		}
	}
	for form, file := range forms {
		for _, held := range []int64{mostHeld, 1} { // 1: arrays stay in their files
			func() {
				defer func(before int64) { mostHeld = before }(mostHeld)
				mostHeld = held
				at := func(offset float64, o Options) (*mil.Set, []string) {
					var rows [][]float64
					for _, row := range near {
						rows = append(rows, []float64{row[0] + offset, row[1]})
					}
					var notes []string
					o.Note = func(note string) {
						if strings.Contains(note, "kept as differences") {
							notes = append(notes, note)
						}
					}
					if form == "table" {
						o.Categorical = []string{"word"}
					}
					s, err := o.Open(file(rows))
					if err != nil {
						t.Fatalf("%s: %v", form, err)
					}
					return s.Stored, notes
				}
				same := func(what string, s, want *mil.Set) {
					for i, b := range want.Bags {
						if !slices.EqualFunc(rowsOf(t, s.Bags[i].Instances), rowsOf(t, b.Instances), slices.Equal) {
							t.Errorf("%s, %s: bag %s holds %v, want %v", form, what, b.ID, rowsOf(t, s.Bags[i].Instances), rowsOf(t, b.Instances))
						}
					}
				}
				plain, notes := at(0, Options{})
				if plain.Centre != nil || len(notes) > 0 {
					t.Fatalf("%s: centre %v near 0, %q", form, plain.Centre, notes)
				}
				j := slices.Index(plain.Features, "x") // 0 without names
				j = max(j, 0)
				far, notes := at(1e9, Options{})
				if len(far.Centre) != far.NumFeatures() || far.Centre[j] != 1e9 || len(notes) != 1 || !strings.HasSuffix(notes[0], " - 1000000000") ||
					far.Checksum == plain.Checksum || far.Value(j, 2) != 1e9+2 {
					t.Fatalf("%s: centre %v, notes %q", form, far.Centre, notes)
				}
				same("far", far, plain)
				own := make([]float64, far.NumFeatures())
				own[j] = 1e9 + 64
				model, _ := at(1e9+64, Options{}.For(plain.Features, own, NoColumn))
				same("with the centre of a model", model, plain)
				if moved, err := MoveInstanceLabels(far, Column(far.NumFeatures())); err != nil || len(moved.Centre) != far.NumFeatures()-1 || moved.Centre[j] != 1e9 {
					t.Errorf("%s: %v", form, err)
				}
				if form != "table" {
					moved, err := MoveInstanceLabels(far, 1)
					if err != nil || moved.Centre[0] != 0 || moved.InstanceLabels[0][0] != 1e9+near[0][0] {
						t.Errorf("%s: %v", form, err)
					}
					shifted, _ := at(1e9, Options{}.For(nil, own[1:], 1)) // the labels of instances are read as they are
					if shifted.Centre != nil {
						t.Errorf("%s: centre %v", form, shifted.Centre)
					}
				}
				var back strings.Builder
				must(t, WriteCSV(&back, far))
				again, err := ReadCSV(strings.NewReader(back.String()), "again")
				if err != nil || !slices.Equal(again.Centre, far.Centre) {
					t.Fatalf("%s: %v", form, err)
				}
				same("written", again, plain)
			}()
		}
	}
	for _, c := range []struct{ unit, offset, want string }{
		{"", "e15", "x: 3 of 4 values would be equal to the one before: a double has too few digits for them"},
		{"e-45", "", "below 1e-38; give the feature another unit"},
	} {
		text := "bag,label,x\n"
		for i, v := range []string{"1", "1", "2", "2"} {
			number := v + c.unit
			if c.offset != "" {
				number = fmt.Sprintf("1%014d%d.%d", 0, i/2, i%2*5)
			}
			text += fmt.Sprintf("b%d,%d,%s\n", i, i%2, number)
		}
		if _, err := ReadCSV(strings.NewReader(text), "small"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	text := "bag,label,x\n" // a few values far from the others do not hide them
	for i, row := range near {
		text += fmt.Sprintf("b%d,%d,%.17g\n", i, i%2, []float64{row[1] + 1e9, row[1] + 1e9, -999}[i%3])
	}
	if s, err := ReadCSV(strings.NewReader(text), "sentinel"); err != nil || len(s.Centre) != 1 || math.Abs(s.Centre[0]-1e9) > 10 {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := ReadCSV(io.MultiReader(strings.NewReader("bag,label,x\na,0,1000000001\nb,1,1000000002\n")), "once"); err == nil || !strings.Contains(err.Error(), "can be read only once") {
		t.Error(err)
	}
}

func TestOrder(t *testing.T) {
	path := written(t, "grades.csv", []byte("bag,label,x\na,low,1\nb,top,1\nc,mid,1\nd,top,1\n"))
	plain, err := Options{}.Open(path)
	if err != nil || !slices.Equal(plain.Stored.Classes, []string{"low", "mid", "top"}) {
		t.Fatalf("%+v, %v", plain, err)
	}
	for _, c := range []struct {
		order  []string
		labels []int
	}{{[]string{"low", "mid", "top"}, []int{0, 2, 1, 2}}, {[]string{"top", "low", "mid"}, []int{1, 0, 2, 0}}} {
		ordered, err := Options{Order: c.order}.Open(path)
		if err != nil || !slices.Equal(ordered.Stored.Classes, c.order) {
			t.Fatalf("%+v, %v", ordered, err)
		}
		for i, b := range ordered.Stored.Bags {
			if b.Label != c.labels[i] {
				t.Errorf("%v: bag %s has label %d, want %d", c.order, b.ID, b.Label, c.labels[i])
			}
		}
		if same := ordered.Stored.Checksum == plain.Stored.Checksum; same != (c.order[0] == "low") {
			t.Errorf("%v: checksum %s, was %s", c.order, ordered.Stored.Checksum, plain.Stored.Checksum)
		}
	}
	for want, order := range map[string][]string{
		`grades: --order lacks "mid"; name all of low,mid,top`:                   {"low", "top"},
		"grades: --order has 4 labels, the file 3: low,mid,top; name each once":  {"low", "mid", "top", "high"},
		"grades: --order has 4 labels, the file 3: low,mid,top; name each once ": {"low", "mid", "top", "top"},
	} {
		if _, err := (Options{Order: order}).Open(path); err == nil || err.Error() != strings.TrimSpace(want) {
			t.Errorf("%v: error %v, want %s", order, err, want)
		}
	}
	if _, err := (Options{Order: []string{"0", "1"}, Numbers: true}).Open(written(t, "two.csv", []byte("bag,label,x\na,0,1\nb,1,1\n"))); err == nil || err.Error() != "two: --order is for three classes or more; the target is of kind real" {
		t.Error(err)
	}
}
