package neural_test

import (
	"slices"
	"strings"
	"testing"

	"synpool/milbench/learners/neural"
)

// TestSample checks that settings are different, valid, taken from the lists, and determined by the seed.
func TestSample(t *testing.T) {
	g := neural.SearchGrid(neural.Poolings...)
	configs := must(g.Sample(32, 1))
	count, dropouts := make(map[string]int), make(map[float64]int)
	for i, c := range configs {
		count[c.Pooling]++
		dropouts[c.Dropout]++
		if err := c.Validate(); err != nil || slices.Contains(configs[:i], c) {
			t.Errorf("%+v occurs twice or makes no sense: %v", c, err)
		}
		if !slices.Contains(g["lr"], any(c.LR)) || !slices.Contains(g["width"], any(c.Width)) || c.Epochs != 80 {
			t.Errorf("%+v is not of the lists", c)
		}
	}
	for _, pooling := range neural.Poolings {
		if count[pooling] != 32 {
			t.Errorf("%d settings of %s", count[pooling], pooling)
		}
	}
	for _, v := range []float64{0, 0.2, 0.5, 0.75} { // a quarter each: six standard deviations
		if share := float64(dropouts[v]) / float64(len(configs)); share < 0.12 || share > 0.38 {
			t.Errorf("dropout %v in %.2f of the settings", v, share)
		}
	}
	again, err := g.Sample(32, 1)
	if err != nil || !slices.Equal(again, configs) {
		t.Errorf("the same seed gives other settings, %v", err)
	}
	if other, err := g.Sample(32, 2); err != nil || slices.Equal(other, configs) {
		t.Errorf("another seed gives the same settings, %v", err)
	}

	few := neural.Grid{"pooling": {"mean"}, "width": {8, 16}, "heads": {1, 2, 3}}
	if configs, err := few.Sample(10, 1); err != nil || len(configs) != 2 { // mean has no heads
		t.Errorf("%d settings of two, %v", len(configs), err)
	}
	for _, c := range []struct {
		grid neural.Grid
		n    int
		want string
	}{
		{few, 0, "at least 1 is needed"},
		{neural.Grid{"width": {8}}, 3, "no pooling"},
		{neural.Grid{"pooling": {"mean"}, "width": {-1}}, 3, "width -1"},
		{neural.Grid{"pooling": {"maen"}}, 3, "did you mean"},
	} {
		if _, err := c.grid.Sample(c.n, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.grid, err, c.want)
		}
	}
}
