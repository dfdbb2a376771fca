package cv

import "testing"

// TestSplitSeed pins the derivation, because stored results depend on it. The values are from Python's hashlib:
// int.from_bytes(hashlib.sha256(purpose + b"\0" + struct.pack("<Q"*n, seed, *at)).digest()[:8], "little").
func TestSplitSeed(t *testing.T) {
	for _, test := range []struct {
		seed    uint64
		purpose string
		at      []int
		want    uint64
	}{
		{1, "folds", nil, 11255720529458037156},
		{1, "folds", []int{0}, 303984442232525104},
		{1, "fit", []int{4, 9}, 11181190939327809049},
		{18446744073709551615, "validation", []int{0, 3}, 38018990896238736},
	} {
		if got := SplitSeed(test.seed, test.purpose, test.at...); got != test.want {
			t.Errorf("SplitSeed(%d, %q, %v) = %d, want %d", test.seed, test.purpose, test.at, got, test.want)
		}
	}
}
