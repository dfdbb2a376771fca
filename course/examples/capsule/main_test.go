package main

import (
	"testing"

	"synpool/course/examples/fit/fittest"
)

func TestArguments(t *testing.T) {
	fittest.RequireArguments(t, run, map[string]string{
		"-iterations -1": "-iterations -1; give 0 for the setting's own, or more",
		"-types -1":      "-types -1; give 0 or more",
		"-final NaN":     "-final NaN; give 0 for the setting's own, or a number above 0",
		"-epsilon Inf":   "-epsilon +Inf; give 0 for the setting's own, or a number above 0",
	})
}
