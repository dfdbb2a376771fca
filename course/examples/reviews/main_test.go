package main

import (
	"testing"

	"synpool/course/examples/fit/fittest"
)

func TestArguments(t *testing.T) {
	fittest.RequireArguments(t, run, map[string]string{
		"-fold 10": "-fold 10; give 0 to 9",
	})
}
