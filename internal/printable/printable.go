// Package printable keeps control characters of words from outside, such as bag ids, settings and cards, off the screen: a terminal
// would act upon them.
package printable

import (
	"io"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// shown replaces control characters, except line feeds and tabs, by their pictures, and bytes that are not UTF-8 by U+FFFD.
var shown = runes.Map(func(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || !unicode.IsControl(r):
		return r
	case r < 0x20:
		return '␀' + r
	case r == 0x7f:
		return '␡'
	}
	return unicode.ReplacementChar
})

// Text returns a text without control characters.
func Text(text string) string { return shown.String(text) }

// NewWriter returns a writer that writes to w without control characters. Close writes the rest and leaves w open.
func NewWriter(w io.Writer) io.WriteCloser { return transform.NewWriter(w, shown) }
