package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// The bags of results are drawn by the figure of their kind of target; what another figure needs is refused by its flag.
func TestPlotBags(t *testing.T) {
	random, dir := rand.New(rand.NewPCG(5, 0)), t.TempDir()
	file := write(t, "grades.csv", bagTable("label,p,q", 36, pairs, func(bag, _ int) string {
		return fmt.Sprintf("%s,%.4f,%.4f", []string{"benign", "malignant", "not sure"}[bag%3], float64(bag%3)+random.Float64(), random.NormFloat64())
	}))
	results, drawn := filepath.Join(dir, "results"), filepath.Join(dir, "drawn.svg")
	succeed(t, "run", file, "--learner", "statistics-svm", "--folds", "3", "--repeats", "2", "--out", results)
	prints(t, "drawn: "+drawn, "plot", results, "--out", drawn)
	prints(t, "drawn: "+drawn, "plot", results, "--figure", "confusion", "--out", drawn)
	has(t, contents(t, drawn), "not sure (n = 12)", "Called class", "honest, 3 folds")
	for want, args := range map[string][]string{
		`no setting "x"; the settings are `:   {"--figure", "confusion", "--setting", "x"},
		`no set "x"; the sets are grades`:     {"--figure", "confusion", "--set", "x"},
		"draws one set; name one with --set":  {"--figure", "confusion", "--set", "x", "--set", "y"},
		"--setting is for the figures conf":   {"--setting", "x"},
		"--set is for tables and for the fig": {"--figure", "heatmap", "--set", "x"},
		"leave the flag out or take one of":   {"--figure", "auc"},
		"results: no set":                     {"--set", "x"},
		"; use confusion":                     {"--figure", "scatter"},
	} {
		refuse(t, exitUse, want, append([]string{"plot", results, "--out", drawn}, args...)...)
	}
}
