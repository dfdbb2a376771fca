package large

import "testing"

func TestNumber(t *testing.T) {
	for value, want := range map[string]int{"": 3, "0": 3, "1": 500} {
		t.Setenv("SYNPOOL_LARGE", value)
		if got := Number(3, 500); got != want || Asked() != (want == 500) {
			t.Errorf("%q: %d, want %d", value, got, want)
		}
		if got := Part([]int{1, 2, 3, 4}, 3); (len(got) == 4) != Asked() || got[len(got)-1] != 4 {
			t.Errorf("%q: %v", value, got)
		}
	}
}
