package printable

import (
	"strings"
	"testing"
)

// TestText: whatever the pieces that a text is written in, no control character is left, and other characters stay.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb µ\n":          "a\tb µ\n",
		"\x1b]0;owned\a":    "␛]0;owned␇",
		"x\r\x7f\u009b31my": "x␍␡\ufffd31my",
		"half \xc3":         "half \ufffd",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		var b strings.Builder
		w := NewWriter(&b)
		for i := range len(text) {
			if _, err := w.Write([]byte{text[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || b.String() != want {
			t.Errorf("%q byte by byte: %q, %v; want %q", text, b.String(), err, want)
		}
	}
}
