package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/milbench"
)

// TestNumbers: integers are classes, and with [Options.Numbers] a real target, two of them, too.
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
	if _, err := (Options{Numbers: true}).Open(file("words.csv", "low", "high", "low", "high")); err == nil || !strings.Contains(err.Error(), `words: bag a has label "low", which is no number; leave --numbers out`) {
		t.Error(err)
	}
}
