package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/milbench"
)

// TestNumbers: integers are classes. With [Options.Numbers] they are a real target, even if there are only two.
func TestNumbers(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, labels ...string) string {
		var b strings.Builder
		b.WriteString("bag,label,x\n")
		for i, label := range labels {
			b.WriteString(string(rune('a'+i)) + "," + label + ",1\n")
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	counts := file("counts.csv", "0", "2", "7", "2", "-1", "0")
	classes, err := Options{}.Open(counts)
	if err != nil || classes.Stored.Kind != milbench.ClassTarget {
		t.Fatalf("%+v, %v", classes, err)
	}
	numbers, err := Options{Numbers: true}.Open(counts)
	if err != nil || numbers.Stored.Kind != milbench.RealTarget || numbers.Stored.Classes != nil || numbers.Stored.Bags[2].Value != 7 || numbers.Stored.Bags[4].Value != -1 ||
		numbers.Stored.Bags[2].Label != 0 || numbers.Stored.Checksum == classes.Stored.Checksum {
		t.Errorf("%+v, %v", numbers, err)
	}
	if two, err := (Options{Numbers: true}).Open(file("two.csv", "0", "1", "1", "0")); err != nil || two.Stored.Kind != milbench.RealTarget || two.Stored.Bags[1].Value != 1 {
		t.Errorf("%+v, %v", two, err)
	}
	if _, err := (Options{Numbers: true}).Open(file("words.csv", "low", "high", "low", "high")); err == nil || !strings.Contains(err.Error(), `words.csv: bag a has label "low", which is not a number; leave --numbers out`) {
		t.Error(err)
	}
}

func TestOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grades.csv")
	if err := os.WriteFile(path, []byte("bag,label,x\na,low,1\nb,top,1\nc,mid,1\nd,top,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
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
	if _, err := (Options{Order: []string{"0", "1"}, Numbers: true}).Open(writeTwo(t)); err == nil || err.Error() != "two: --order is for three classes or more; the target is of kind real" {
		t.Error(err)
	}
}

// writeTwo writes bags with labels 0 and 1.
func writeTwo(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "two.csv")
	if err := os.WriteFile(path, []byte("bag,label,x\na,0,1\nb,1,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
