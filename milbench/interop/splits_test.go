package interop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"synpool/milbench/cv"
)

// put writes a file into a folder.
func put(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// putFolds writes folds as published: one file per fold of each repeat, with an id on each line. It returns the file of the first.
func putFolds(t testing.TB, dir string, splits *cv.Splits, id func(bag int) string) string {
	t.Helper()
	for repeat, tested := range splits.Tested {
		for fold := range splits.Folds() {
			text := ""
			for i := len(tested) - 1; i >= 0; i-- { // published ids are in no order
				if tested[i] == fold {
					text += id(i) + "\n"
				}
			}
			put(t, dir, fmt.Sprintf("Toy.csv_rep%d_fold%d.txt", repeat+1, fold+1), text)
		}
	}
	return filepath.Join(dir, "Toy.csv_rep1_fold1.txt")
}

// TestReadSplits: the folds of our own cut come back from both forms of files, by ids and by places.
func TestReadSplits(t *testing.T) {
	s := toy(t, 24)
	p, err := Of(s, cv.Protocol{Name: cv.HonestProtocol, Folds: 4, Repeats: 3}, 7)
	must(t, err)
	want := &cv.Splits{Tested: p.Tested}
	var notes []string
	note := func(text string) { notes = append(notes, text) }
	read := func(path string, noted string) {
		t.Helper()
		notes = nil
		if got, err := ReadSplits(path, s, note); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; want %v", path, got, err, want)
		}
		if got := strings.Join(notes, "|"); !strings.Contains(got, noted) || (noted == "") != (got == "") {
			t.Errorf("%s: notes %q, want %q", path, got, noted)
		}
	}
	var b bytes.Buffer
	must(t, p.Write(&b))
	read(put(t, t.TempDir(), "folds.csv", b.String()), "")
	table := "bag;repeat;fold;more\n"
	for repeat, tested := range p.Tested {
		for i, fold := range tested {
			table += fmt.Sprintf("b%d;%d;%d;x\n", i, repeat+1, fold+1)
		}
	}
	read(put(t, t.TempDir(), "from1.csv", table), "")
	read(putFolds(t, t.TempDir(), want, func(i int) string { return s.Bags[i].ID }), "")
	read(putFolds(t, t.TempDir(), want, func(i int) string { return fmt.Sprint(i) }), "they count the bags of toy in order")
	dir := t.TempDir()
	read(putFolds(t, dir, want, func(i int) string { return fmt.Sprint(i + 1) }), "they count the bags of toy in order")
	put(t, dir, "Other.csv_rep1_fold1.txt", "b0\n") // of another set
	read(filepath.Join(dir, "Toy.csv_rep3_fold2.txt"), "they count")

	// Ids win over places: b0 is called 3 here.
	for i := range s.Bags {
		s.Bags[i].ID = fmt.Sprint((i + 3) % 24)
	}
	must(t, s.Seal())
	read(putFolds(t, t.TempDir(), want, func(i int) string { return s.Bags[i].ID }), "")

	// One repeat needs no column; a bag without a fold only trains.
	s = toy(t, 4)
	for i := range s.Bags {
		s.Bags[i].Group = ""
	}
	want = &cv.Splits{Tested: [][]int{{0, 0, 1, cv.Untested}}}
	read(put(t, t.TempDir(), "one.csv", "bag,fold\nb0,0\nb1,0\nb2,1\nb3,\n"), "")
	s.Bags[0].Group, s.Bags[2].Group = "p", "p"
	read(put(t, t.TempDir(), "torn.csv", "bag,fold\nb0,0\nb1,0\nb2,1\nb3,\n"), "of the same group (p) in the test part; put the group into one part, or figures may be too good")
}

func TestReadSplitsRefuses(t *testing.T) {
	s := toy(t, 4)
	for text, want := range map[string]string{
		"":                                         "an empty file",
		"bag,fold\n":                               "no bags",
		"bag,repeat\nb0,0\n":                       "line 1: no column fold; the columns bag, fold are needed",
		"bag,fold\nb0,x\n":                         `line 2: fold "x"; a whole number from 0 to 1000 is needed`,
		"bag,fold,repeat\nb0,0,-1\n":               `line 2: repeat "-1"`,
		"bag,fold\nb0,2\nb1,3\nb2,2\nb3,3\n":       "its first repeat is 0 and its first fold 2; they count from 0 or from 1",
		"bag,fold\nb0,0\nb0,1\nb2,1\nb3,1\n":       "bag b0 occurs twice in its repeat",
		"bag,fold\nb0,0\nb1,1\nb2,1\n":             "bag b3 of toy is not in repeat 1",
		"bag,fold\nb0,0\nb1,2\nb2,2\nb3,2\n":       "repeat 1 has no fold 2 of 3",
		"bag,fold\nb0,0\nb1,1\nb2,1\nc3,1\n":       "bag c3 is not among the 4 bags of toy",
		"bag,fold\n1,0\n2,1\n3,1\n5,1\n":           "bag 1 is not among the 4 bags of toy",
		"bag,fold\n1,0\n2,1\n3,1\n4,1\n5,0\n":      "bag 1 is not among the 4 bags of toy",
		"bag,fold\n01,0\n2,1\n3,1\n4,1\n":          "bag 01 is not among the 4 bags of toy",
		"bag,fold\nb0,\nb1,\nb2,\nb3,\n":           "no bag has a fold",
		"bag,fold\nb0,0\nb1,\nb2,\nb3,\n":          "only one fold; two at least are needed",
		"bag,fold\nb0,0\nb1,1\nb2,1\nb3,1\nb3,0\n": "bag b3 occurs twice",
	} {
		_, err := ReadSplits(put(t, t.TempDir(), "f.csv", text), s, func(string) {})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "f.csv") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	first := putFolds(t, dir, &cv.Splits{Tested: [][]int{{0, 0, 1, 1}, {0, 1, 1, 0}}}, func(i int) string { return fmt.Sprint("b", i) })
	must(t, os.Remove(filepath.Join(dir, "Toy.csv_rep2_fold1.txt")))
	if _, err := ReadSplits(first, s, nil); err == nil || !strings.Contains(err.Error(), "repeat 2 has no fold 1 of 2") {
		t.Errorf("a missing file: %v", err)
	}
	put(t, dir, "Toy.csv_rep2_fold1.txt", "b0\nb9\n")
	if _, err := ReadSplits(first, s, nil); err == nil || !strings.Contains(err.Error(), "Toy.csv_rep2_fold1.txt: line 2: bag b9 is not among") {
		t.Errorf("another bag: %v", err)
	}
	if _, err := ReadSplits(filepath.Join(dir, "None_rep1_fold1.txt"), s, nil); err == nil || !strings.Contains(err.Error(), "None_rep1_fold1.txt") {
		t.Errorf("no file: %v", err)
	}
}

// TestGivenParts: parts with given folds carry their sum, divided groups and all, and so do the results of scores.
func TestGivenParts(t *testing.T) {
	s := toy(t, 8)
	splits := &cv.Splits{Tested: [][]int{{0, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 1, 0, 0, 1, 1, 0}}}
	p, err := Of(s, cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 2, Splits: splits}, 1)
	must(t, err)
	var b bytes.Buffer
	must(t, p.Write(&b))
	back, err := Read(&b, "f.csv")
	if err != nil || !reflect.DeepEqual(back, p) || p.Splits != splits.Sum() {
		t.Fatalf("%+v, %v; want %+v", back, err, p)
	}
	scores := "bag,repeat,fold,score\n"
	for repeat, tested := range p.Tested {
		for i, fold := range tested {
			scores += fmt.Sprintf("b%d,%d,%d,%d\n", i, repeat, fold, i)
		}
	}
	all, err := p.Results(strings.NewReader(scores), "s.csv", "own")
	must(t, err)
	for _, r := range all {
		must(t, r.Validate())
		other := r
		other.Splits = ""
		if id, err := other.ID(); err != nil || id == r.Fit {
			t.Errorf("the id %s does not depend on the folds, %v", id, err)
		}
	}
}

// FuzzReadSplits: no file of folds causes a panic, and what is read gives a protocol that cuts nothing.
func FuzzReadSplits(f *testing.F) {
	f.Add("bag,repeat,fold\nb0,0,0\nb1,0,0\nb2,0,1\nb3,0,1\n", "x.csv")
	f.Add("1\n3\n", "x_rep1_fold1.txt")
	s := toy(f, 4)
	f.Fuzz(func(t *testing.T, text, name string) {
		if strings.HasSuffix(name, ".txt") {
			name = "x_rep1_fold1.txt"
		} else {
			name = "x.csv"
		}
		splits, err := ReadSplits(put(t, t.TempDir(), name, text), s, func(string) {})
		if err != nil {
			return
		}
		for _, tested := range splits.Tested {
			if len(tested) != len(s.Bags) {
				t.Errorf("%v of %d bags", tested, len(s.Bags))
			}
		}
		must(t, cv.Protocol{Name: cv.HonestProtocol, Repeats: len(splits.Tested), Splits: splits}.On(s).Validate())
	})
}
