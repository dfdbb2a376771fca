package main

import (
	"testing"

	"synpool/course/examples/fit/fittest"
)

func TestArguments(t *testing.T) {
	fittest.RequireArguments(t, run, map[string]string{
		"slow":     `unknown argument "slow"; see -help`,
		"-show -1": "-show -1; give 0 or more",
	})
}
