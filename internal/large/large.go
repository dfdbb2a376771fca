// Package large tells tests how much to do. Tests that draw, kill or merge many times do few of them as a rule, so that the tests
// of the module end soon, and many where SYNPOOL_LARGE is 1, as in continuous integration.
package large

import "os"

// Asked reports whether the large number of draws was asked for.
func Asked() bool { return os.Getenv("SYNPOOL_LARGE") == "1" }

// Number returns the large number where it was asked for, and the few otherwise.
func Number(few, many int) int {
	if Asked() {
		return many
	}
	return few
}
