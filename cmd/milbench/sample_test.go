package main

import (
	"encoding/json"
	"slices"
	"testing"

	"synpool/milbench/learners/neural"
	"synpool/milbench/results"
)

// TestSample: so many settings of each pooling, with the values that flags give, the same ones again.
func TestSample(t *testing.T) {
	file := write(t, "bags.csv", toy(false))
	settings := func(flags ...string) (list []string) {
		dir := newFolder(t)
		succeed(t, append([]string{"run", file, "--epochs", "1", "--width", "4", "--batch", "8", "--folds", "2", "--repeats", "1", "--out", dir}, flags...)...)
		rs, err := results.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			if !slices.Contains(list, string(r.Config)) {
				list = append(list, string(r.Config))
			}
		}
		slices.Sort(list)
		return list
	}
	drawn := settings("--pooling", "mean,gated", "--sample", "3", "--dropout", "0,0.5")
	if len(drawn) != 6 {
		t.Fatalf("%d settings: %q", len(drawn), drawn)
	}
	search := neural.SearchGrid("mean")
	for _, text := range drawn {
		var c neural.Config
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		if c.Epochs != 1 || c.Width != 4 || c.Batch != 8 || c.Dropout != 0 && c.Dropout != 0.5 || !slices.Contains(search["lr"], any(c.LR)) || !slices.Contains(search["weight_decay"], any(c.WeightDecay)) {
			t.Errorf("drawn: %s", text)
		}
	}
	if again := settings("--pooling", "mean,gated", "--sample", "3", "--dropout", "0,0.5"); !slices.Equal(again, drawn) {
		t.Errorf("drawn again: %q, want %q", again, drawn)
	}
	if other := settings("--pooling", "mean,gated", "--sample", "3", "--dropout", "0,0.5", "--seed", "2"); slices.Equal(other, drawn) {
		t.Errorf("another seed draws the same: %q", other)
	}
}
