package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/results"
)

// TestChoices has two folds and three settings whose validation and test AUCs are known, and works out by hand what the choice
// is worth.
func TestChoices(t *testing.T) {
	settings := []string{`{"pooling":"instance","c":1}`, `{"pooling":"mean","width":64}`, `{"pooling":"mean","width":256}`}
	inside := map[string][]float64{settings[0]: {0.75, 0.5}, settings[1]: {0.75, 1}, settings[2]: {1, 0.75}}
	test := map[string][]float64{settings[0]: {0.9, 0.8}, settings[1]: {0.5, 0.75}, settings[2]: {0.7, 0.65}}
	fits := planted(t, "nested", 2, 1, []string{"musk1"}, settings, func(r results.Result) float64 { return test[string(r.Config)][r.Fold] })
	for i := range fits {
		r := &fits[i]
		r.Validation, r.Inside = nil, &results.Inside{Figure: inside[string(r.Config)][r.Fold], Loss: 1}
	}
	all := choicesOf(fits)
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	got := all[0] // width 256 is chosen in the first fold, width 64 in the second
	// The pairs of settings: in the first fold one tied, one discordant, one concordant; in the second two discordant, one
	// concordant.
	tau := (0 + -1.0/3) / 2
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"folds", float64(got.Folds), 2}, {"settings", float64(got.Settings), 3},
		{"validation", got.Validation, 1}, {"test", got.Test, (0.7 + 0.75) / 2},
		{"all", got.All, (0.85 + 0.625 + 0.675) / 3}, {"hindsight", got.Hindsight, 0.85}, {"together", got.Together, tau},
		{"networks", got.Networks, (0.25 + 0.25 + 0.3 + 0.1) / 4}, {"instances", got.Instances, (-0.15 - 0.3) / 2}, {"taken", float64(got.Taken), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s %g, want %g", c.name, c.got, c.want)
		}
	}
	if got.Best != "instance" || got.Set != "musk1" {
		t.Errorf("%s is best on %s", got.Best, got.Set)
	}
	for least, want := range map[float64]string{
		0.84: "musk1 | 72.5 | 84.0 | 0 of 2 | 1 of 1 | instance | 85.0 | 71.7 | 0 of 2 folds | no network reaches it; the classifier of instances does",
		0.86: "musk1 | 72.5 | 86.0 | 0 of 2 | 0 of 1 | instance | 85.0 | 71.7 | 0 of 2 folds | no setting reaches it",
		0.65: "musk1 | 72.5 | 65.0 | 1 of 2 | 1 of 1 | instance | 85.0 | 71.7 | 0 of 2 folds | some settings reach it; the validation parts do not find them",
	} {
		if row := all.why("musk1", got.Test, least); strings.Join(row, " | ") != want || len(row) != len(whyHead) {
			t.Errorf("%q, want %q", row, want)
		}
	}
	other := got
	other.Set, other.Test = "fox", got.Test+0.1
	web1, web2 := other, got
	web1.Set, web2.Set = "web1", "web2"
	for want, of := range map[string]choices{"+0.058 (95 % interval −0.577 to +0.694, 2 families of sets)": {got, other},
		"+0.033 (95 % interval −0.284 to +0.351, 2 families of sets)": {got, web1, web2}} {
		if text := of.Worth().String(); text != want || of.Tau() != "−0.167" {
			t.Errorf("%s with a τ-b of %s, want %s", text, of.Tau(), want)
		}
	}
	if row := all.why("fox", 0.4, 0.5); !strings.Contains(row[len(row)-1], "not enough fits") || len(row) != len(whyHead) {
		t.Errorf("%q", row)
	}
	seeds := slices.Clone(fits)
	for _, r := range fits {
		r.Seed, r.Inside = 2, &results.Inside{Figure: 0.5, Loss: 1}
		seeds = append(seeds, r)
	}
	if all = choicesOf(seeds); len(all) != 1 || all[0].Folds != 4 || all[0].Validation != 0.75 {
		t.Errorf("two seeds: %+v, want four folds", all)
	}
	for i := range fits { // in the first fold validation AUCs are equal: there they agree with nothing
		if fits[i].Fold == 0 {
			fits[i].Inside = &results.Inside{Figure: 1, Loss: 1}
		}
	}
	if all = choicesOf(fits); len(all) != 1 || math.Abs(all[0].Together+1.0/3) > 1e-9 {
		t.Errorf("a fold of equal validation AUCs: %+v, want the τ-b of the other, −1/3", all)
	}
	for i := range fits {
		fits[i].Inside = &results.Inside{Figure: 1, Loss: 1}
	}
	if all = choicesOf(fits); len(all) != 1 || !math.IsNaN(all[0].Together) {
		t.Fatalf("folds of equal validation AUCs: %+v, want no τ-b", all)
	}
	fits[0].Inside = nil
	if _, err := attempt(func() choices { return choicesOf(fits) }); err == nil || !strings.Contains(err.Error(), "validation part") {
		t.Errorf("without a validation part: %v", err)
	}
}
