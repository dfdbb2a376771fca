package main

import (
	"strings"
	"testing"

	"synpool/internal/bench"
)

// TestMeasure: a cut keeps six bags of a class at least, every candidate has figures, and the table has them.
func TestMeasure(t *testing.T) {
	set, err := bench.Set("musk1")
	if err != nil {
		t.Fatal(err)
	}
	small, err := cut(set, 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(small.Bags); n < 28 || n > 30 || small.NumPositive() < 6 || small.NumPositive() > n-6 {
		t.Errorf("%d bags, %d positive", n, small.NumPositive())
	}
	c, err := measure("musk1", set, 30, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Pooled) != 17 || len(c.Folds) != 17 || c.Pooled[after] < 0.7 || c.Folds[slope] < 0.7 {
		t.Errorf("%+v", c)
	}
	var b strings.Builder
	if err := tables(&b, []cell{c}); err != nil || !strings.Contains(b.String(), "\n| 30 | 1 | 1 | 1 | pooled | ") {
		t.Errorf("%v\n%s", err, &b)
	}
}
