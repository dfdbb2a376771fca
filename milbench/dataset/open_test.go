package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/dataset/audit"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

// leakyCSV has 20 bags with two instances; the third feature is the bag label.
func leakyCSV(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("bag,label,width,height,answer\n")
	for i := range 40 {
		fmt.Fprintf(&text, "b%d,%d,%d,%d,%d\n", i/2, i/2%2, i*7%11, i*5%13, i/2%2)
	}
	return written(t, "toy.csv", []byte(text.String()))
}

func TestOpenFile(t *testing.T) {
	src, err := Open(leakyCSV(t))
	must(t, err)
	if src.Entry != nil || src.Stored.NumFeatures() != 3 {
		t.Fatalf("%+v", src)
	}
	r, err := audit.Inspect(src.Stored)
	if err != nil || len(r.Leaks) != 1 || r.Leaks[0].Column != 3 || r.Leaks[0].Name != "answer" {
		t.Fatalf("leaks %v", r.Leaks)
	}
	as, err := src.Set(NoColumn)
	if err != nil || as.NumFeatures() != 3 {
		t.Errorf("kept: %v, %v", as, err)
	}
	for _, c := range []Column{LastColumn, 3} {
		moved, err := src.Set(c)
		if err != nil || moved.NumFeatures() != 2 || len(moved.InstanceLabels) != 20 || !audited(t, moved).OK() {
			t.Errorf("column %v moved: %+v, %v", c, moved, err)
		}
	}
	if _, err := src.Set(4); err == nil || !strings.Contains(err.Error(), "column 4") {
		t.Errorf("column 4: %v", err)
	}
}

// TestLeaked checks that all features are unchanged and that the audit finds the additional one.
func TestLeaked(t *testing.T) {
	for name, open := range map[string]func() (*Source, error){
		"named": func() (*Source, error) { return Open("musk1") },
		"with instance labels": func() (*Source, error) {
			c := generate.DefaultNeedle()
			c.TrainBags, c.TestBags, c.Size, c.Features = 40, 0, 12, 3
			s, err := generate.DrawNeedle(c)
			if err != nil {
				return nil, err
			}
			s.InstanceLabels = nil
			for i, b := range s.Bags {
				labels := make([]float64, b.Instances.Len())
				labels[0] = float64(b.Label)
				s.InstanceLabels = append(s.InstanceLabels, labels)
				s.Bags[i].Instances = alternately(b.Instances, i)
			}
			return &Source{Stored: s}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			source, err := open()
			must(t, err)
			clean, err := source.Set(NoColumn)
			must(t, err)
			leaked, err := source.Leaked()
			must(t, err)
			n := clean.NumFeatures()
			if !leaked.Leaked || clean.Leaked || leaked.Name != clean.Name+"+leak" || leaked.Checksum == clean.Checksum ||
				leaked.InstanceLabels != nil || leaked.NumFeatures() != n+1 || leaked.Validate() != nil {
				t.Errorf("%s, leaked %v, %d features, %v", leaked.Name, leaked.Leaked, leaked.NumFeatures(), leaked.Validate())
			}
			if r := audited(t, leaked); len(r.Leaks) != 1 || r.Leaks[0].Column != n+1 {
				t.Errorf("the audit found %v", r.Leaks)
			}
			for i, b := range leaked.Bags {
				if mil.IsSparse(b.Instances) != mil.IsSparse(clean.Bags[i].Instances) {
					t.Fatalf("bag %s: sparse %v", b.ID, mil.IsSparse(b.Instances))
				}
				wide, narrow := make([]float32, n+1), make([]float32, n)
				for row := range b.Instances.Len() {
					must(t, errors.Join(b.Instances.Read(row, row+1, wide), clean.Bags[i].Instances.Read(row, row+1, narrow)))
					want := float64(b.Label)
					if clean.InstanceLabels != nil {
						want = clean.InstanceLabels[i][row]
					}
					if !slices.Equal(wide[:n], narrow) || float64(wide[n]) != want {
						t.Fatalf("bag %s, instance %d: %v, want %v and %v", b.ID, row, wide, narrow, want)
					}
				}
			}
		})
	}
}

// audited returns the report about a set.
func audited(t *testing.T, s *mil.Set) audit.Report {
	t.Helper()
	r, err := audit.Inspect(s)
	must(t, err)
	return r
}

// alternately returns every second bag in compressed rows.
func alternately(m mil.Instances, i int) mil.Instances {
	if i%2 == 0 {
		return m
	}
	s, err := mil.ToSparse(m)
	if err != nil {
		panic(err) // in memory there is no error
	}
	return s
}

func TestOpenNamed(t *testing.T) {
	data := t.TempDir()
	t.Setenv("MILBENCH_DATA", data)
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("musk1", []byte("not a set"), 0o666))
	src, err := Open("musk1")
	if err != nil || src.Entry == nil || src.Entry.Name != "musk1" || src.Stored.Name != "musk1" {
		t.Fatalf("%+v, %v", src, err)
	}
	s, err := src.Set(NoColumn)
	if err != nil || s.NumFeatures() != 166 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := src.Set(LastColumn); err == nil || !strings.HasPrefix(err.Error(), "musk1: ") {
		t.Errorf("a column of a named set: %v", err)
	}
	if _, err := Open("./musk1"); err == nil || !strings.Contains(err.Error(), "./musk1") {
		t.Errorf("the file of that name: %v", err)
	}
	if _, err := Open("tiger"); !errors.Is(err, ErrNotFetched) || err.Error() != "tiger: not fetched yet, "+filepath.Join(data, "tiger.mat")+" is not there; run `milbench data fetch tiger`" {
		t.Errorf("not fetched: %v", err)
	}
	if _, err := Open("elefant"); !errors.Is(err, ErrUnknownSet) || err.Error() != `no file and no named set "elefant"; did you mean elephant?` {
		t.Errorf("neither: %v", err)
	}
	beside := filepath.Join(t.TempDir(), "slides.csv")
	if err := os.WriteFile(beside, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(strings.Replace(beside, "slides", "slide", 1)); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("did you mean %q?", beside)) {
		t.Errorf("a file with another beside it: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || errors.Is(err, ErrUnknownSet) {
		t.Errorf("a folder: %v", err)
	}
}

func ExampleOpen() {
	source, err := Open("musk1")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := audit.Inspect(source.Stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	if !report.OK() && source.Entry == nil {
		fmt.Println("the file leaks its labels:", report.Leaks)
		return
	}
	set, err := source.Set(NoColumn)
	fmt.Println(set.Name, set.NumFeatures(), err)
	// Output: musk1 166 <nil>
}
