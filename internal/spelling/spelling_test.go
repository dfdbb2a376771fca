package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"syn", "softmax", "hopfield", "attention", "gated", "mean", "max", "sum", "lse"}
	for misspelt, want := range map[string]string{
		"hopfeld": "hopfield", "sofmax": "softmax", "softmax": "softmax", "atention": "attention", "men": "mean",
		"": "", "transformer": "", "hop": "",
	} {
		if got := Nearest(misspelt, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", misspelt, got, want)
		}
	}
}

func TestLevenshtein(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"", "abc", 3}, {"abc", "", 3}, {"same", "same", 0}} {
		if got := levenshtein(test.a, test.b); got != test.want {
			t.Errorf("levenshtein(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
