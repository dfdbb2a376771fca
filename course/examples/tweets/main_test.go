package main

import (
	"testing"

	"synpool/course/examples/fit/fittest"
)

func TestArguments(t *testing.T) {
	fittest.RequireArguments(t, run, map[string]string{
		"slow":       `unknown argument "slow"; see -help`,
		"-repeats 0": "-repeats 0; give 1 or more",
		"-ablation":  "-ablation without Syn steps; give a number of them, -syn 3",
	})
}
