package milbench

import (
	"fmt"
	"testing"

	"synpool/milbench/dataset/audit"
)

func TestListed(t *testing.T) {
	var duplicates []audit.Duplicate
	for i := range 7 {
		duplicates = append(duplicates, audit.Duplicate{Bags: []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}})
	}
	for n, want := range map[int]string{1: "a0, b0", 2: "a0, b0; a1, b1", 7: "a0, b0; a1, b1; a2, b2; a3, b3; a4, b4; and 2 more times"} {
		if got := listed(duplicates[:n]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
