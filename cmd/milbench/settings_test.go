package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
)

// asked returns the settings that the flags of a run choose, as its dry run lists them.
func asked(t *testing.T, flags string) []string {
	t.Helper()
	args := append([]string{"run", write(t, "bags.csv", toy(false)), "--folds", "3", "--repeats", "1", "--dry-run", "--json", "--out", newFolder(t)}, strings.Fields(flags)...)
	return namesOf(decoded[estimate](t, args...).Settings, func(s json.RawMessage) string { return string(s) })
}

// TestSettings: classical learners stand alone or beside networks, and bring their grid where validation parts choose.
func TestSettings(t *testing.T) {
	for flags, want := range map[string]string{
		"--learner instance":                                             "instance",
		"--learner instance --pooling mean":                              "mean instance",
		"--learner instance --protocol nested":                           "instance instance instance instance",
		"--learner auto":                                                 "auto",
		"--protocol nested --pooling lse --lr 0.001,0.01":                "lse lse",
		"--pooling softmax,syn,mean --iterations=-1,2 --protocol nested": "softmax syn syn mean",
	} {
		names := namesOf(asked(t, flags), func(s string) string { return learner.Name(json.RawMessage(s)) })
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", flags, got, want)
		}
	}
}

// TestSample: so many settings of each pooling, with the values that flags give, the same ones again.
func TestSample(t *testing.T) {
	const flags = "--pooling mean,gated --sample 3 --dropout 0,0.5 --epochs 1 --width 4 --batch 8"
	drawn := asked(t, flags)
	if len(drawn) != 6 {
		t.Fatalf("%d settings: %q", len(drawn), drawn)
	}
	search := neural.SearchGrid("mean")
	for _, text := range drawn {
		var c neural.Config
		must(t, json.Unmarshal([]byte(text), &c))
		if c.Epochs != 1 || c.Width != 4 || c.Batch != 8 || c.Dropout != 0 && c.Dropout != 0.5 || !slices.Contains(search["lr"], any(c.LR)) || !slices.Contains(search["weight_decay"], any(c.WeightDecay)) {
			t.Errorf("drawn: %s", text)
		}
	}
	if again := asked(t, flags); !slices.Equal(again, drawn) {
		t.Errorf("drawn again: %q, want %q", again, drawn)
	}
	if other := asked(t, flags+" --seed 2"); slices.Equal(other, drawn) {
		t.Errorf("another seed draws the same: %q", other)
	}
}
