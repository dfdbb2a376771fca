package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// Results of each kind of target are drawn by their main figure, and their bags by the figure of the kind.
func TestPlotKinds(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		figure, columns string
		target          func(bag int, x float64) string
		args            []string
		wants           []string
	}{
		{"confusion", "label", func(bag int, _ float64) string { return []string{"benign", "malignant", "not sure"}[bag%3] }, []string{"--learner", "statistics-svm"},
			[]string{"not sure (n = 12)", "Called class"}},
		{"scatter", "target", func(_ int, x float64) string { return fmt.Sprintf("%.3f", 10*x) }, []string{"--learner", "statistics-svm"},
			[]string{"True value", "MAE "}},
		{"survival", "time,event", func(bag int, x float64) string { return fmt.Sprintf("%.3f,%d", 10/(1+x), bag%5%2) },
			[]string{"--pooling", "mean", "--epochs", "2"}, []string{"At risk", "high risk"}},
	} {
		random, x := rand.New(rand.NewPCG(5, 0)), 0.0
		text := bagTable(c.columns+",p,q", 36, pairs, func(bag, instance int) string {
			if instance == 0 {
				x = float64(bag%3) + random.Float64()
			}
			return fmt.Sprintf("%s,%.4f,%.4f", c.target(bag, x), x+0.1*random.NormFloat64(), random.NormFloat64())
		})
		results, drawn := filepath.Join(dir, c.figure), filepath.Join(dir, c.figure+".svg")
		succeed(t, append([]string{"run", write(t, c.figure+".csv", text), "--folds", "3", "--repeats", "2", "--out", results}, c.args...)...)
		succeed(t, "plot", results, "--out", drawn)
		_, notes := succeed(t, "plot", results, "--figure", c.figure, "--out", drawn)
		has(t, notes, "drawn: "+drawn)
		svg := contents(t, drawn)
		for _, want := range append(c.wants, "honest, 3 folds") {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s: %q is not in the figure", c.figure, want)
			}
		}
		for want, args := range map[string][]string{
			`no setting "x"; the settings are `:    {"--figure", c.figure, "--setting", "x"},
			`no set "x"; the sets are ` + c.figure: {"--figure", c.figure, "--set", "x"},
			"draws one set; name one with --set":   {"--figure", c.figure, "--set", "x", "--set", "y"},
			"--setting is for the figures conf":    {"--setting", "x"},
			"--set is for tables and for the fig":  {"--figure", "heatmap", "--set", "x"},
			"leave the flag out or take one of":    {"--figure", "auc"},
			c.figure + ": no set":                  {"--set", "x"},
		} {
			refuse(t, exitUse, want, append([]string{"plot", results, "--out", drawn}, args...)...)
		}
		other := map[string]string{"confusion": "scatter", "scatter": "survival", "survival": "confusion"}[c.figure]
		refuse(t, exitUse, "; use "+c.figure, "plot", results, "--figure", other, "--out", drawn)
	}
}
