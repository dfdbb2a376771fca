package plotting

import (
	"math"
	"strings"
	"testing"
)

func TestComparison(t *testing.T) {
	rows := []ComparedRow{
		{"musk1: gated", 0.005, -0.03, 0.04, 0, false}, {"musk1: syn I=-3", 0.06, 0.02, 0.10, 1, false}, {"elephant: gated", -0.05, -0.08, -0.02, -1, false}, {"elephant: syn I=-3", 0.001, -0.006, 0.008, 0, true},
	}
	f, err := Comparison("mean against others", "AUC of mean less that of the other (95 % CI)", 0.01, rows)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "comparison.svg")
	framed(t, "golden", f)
	for name, c := range map[string]struct {
		rope float64
		rows []ComparedRow
		want string
	}{
		"none":     {0.01, nil, "there are no rows"},
		"many":     {0.01, make([]ComparedRow, 61), "61 rows are too many"},
		"rope":     {-1, rows, "a region of practical equivalence of -1"},
		"NaN":      {0, []ComparedRow{{"x", math.NaN(), 0, 1, 0, false}}, "x: NaN is not a number"},
		"both":     {0, []ComparedRow{{"x", 0, 0, 0, 1, true}}, "x: it is the same and has the verdict 1"},
		"interval": {0, []ComparedRow{{"x", 2, 0, 1, 0, false}}, "x: the difference 2 is not in its interval [0, 1]"},
	} {
		if _, err := Comparison("", "", c.rope, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
