package main

import (
	"testing"

	"synpool/course/examples/fit/fittest"
)

func TestArguments(t *testing.T) {
	fittest.RequireArguments(t, run, map[string]string{
		"-ablation":       "-ablation without Syn steps; give a number of them, -syn 3",
		"-vectors":        "flag needs an argument: -vectors; see -help",
		"-toxic none.csv": "open none.csv: no such file or directory",
	})
}
