// Package large tells tests how many repetitions to run. By default, tests that draw, kill or merge many times do so only a
// few times, so that the module's tests are fast. With SYNPOOL_LARGE=1, as in continuous integration, they do so many times.
package large

import (
	"os"
	"slices"
)

// Asked reports whether the large number of repetitions was requested.
func Asked() bool { return os.Getenv("SYNPOOL_LARGE") == "1" }

// Number returns many if the large number was requested, and few otherwise.
func Number(few, many int) int {
	if Asked() {
		return many
	}
	return few
}

// Part returns all values if the large number was requested, and otherwise the first of each k.
func Part[T any](values []T, k int) []T {
	if Asked() {
		return values
	}
	var part []T
	for chunk := range slices.Chunk(values, k) {
		part = append(part, chunk[0])
	}
	return part
}
