package plotting

import (
	"math"
	"strings"
	"testing"
)

func TestConfusion(t *testing.T) {
	f, err := Confusion("Three classes, mean counts of 2 repeats", []string{"benign", "malignant", "uncertain"}, [][]float64{{22, 3, 0}, {7.5, 9, 4.5}, {0, 1.5, 12.5}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "confusion.svg")
	framed(t, "golden", f)
}

func TestConfusionFits(t *testing.T) {
	for name, n := range map[string]int{"two": 2, "eight": 8, "thirty": 30} {
		var classes []string
		counts := make([][]float64, n)
		for i := range n {
			classes = append(classes, strings.Repeat("a long word ", i+1))
			counts[i] = make([]float64, n)
			counts[i][i], counts[i][(i+1)%n] = float64(700*i), float64(i) // none of the first class
		}
		f, err := Confusion(strings.Repeat("A long title ", 15), classes, counts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
	}
}

func TestConfusionRefuses(t *testing.T) {
	two := []string{"a", "b"}
	for want, counts := range map[string][][]float64{
		"2 classes and 0 rows":             nil,
		"row 2 has 1 counts of 2 classes":  {{1, 2}, {1}},
		"row 1, column 2: -1 is negative":  {{1, -1}, {1, 1}},
		"row 2, column 1: NaN is not a nu": {{1, 1}, {math.NaN(), 1}},
	} {
		if _, err := Confusion("", two, counts); err == nil || !strings.HasPrefix(err.Error(), "drawing a confusion matrix: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Confusion("", two[:1], [][]float64{{1}}); err == nil {
		t.Error("one class")
	}
}
