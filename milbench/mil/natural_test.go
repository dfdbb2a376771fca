package mil

import (
	"cmp"
	"testing"
)

// TestCompareNatural: every name comes before those after it, and is equal only to itself.
func TestCompareNatural(t *testing.T) {
	names := []string{"", "1", "2", "10", "a", "a2", "a10", "needle-0.05", "needle-0.1", "needle-0.2", "needle-0.25", "web1", "web01", "web2", "web10", "web10b"}
	for i, a := range names {
		for j, b := range names {
			if got := CompareNatural(a, b); got != cmp.Compare(i, j) && !(a == "web1" && b == "web01" || a == "web01" && b == "web1") {
				t.Errorf("%q and %q: %d", a, b, got)
			}
			if CompareNatural(a, b) != -CompareNatural(b, a) {
				t.Errorf("%q and %q: not the other way round", a, b)
			}
		}
	}
}
