package corpus

import (
	"encoding"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
	"unique"
)

// Masked is text that programs can use but that is never shown: printed or encoded, alone or inside another value, it is
// masked as by [Mask]. Where package fmt calls no methods (an unexported field, an unsuitable verb), the address of the text
// is printed instead. [Masked.Raw] returns the text itself. Two values are equal if their texts are.
type Masked struct{ text unique.Handle[string] }

var (
	_ fmt.Formatter          = Masked{}
	_ encoding.TextMarshaler = Masked{}
)

// NewMasked returns text that is shown masked.
func NewMasked(text string) Masked {
	if text == "" {
		return Masked{}
	}
	return Masked{unique.Make(text)}
}

// Raw returns the unmasked text.
func (m Masked) Raw() string {
	if m == (Masked{}) {
		return ""
	}
	return m.text.Value()
}

// Format prints the masked text, whatever the verb.
func (m Masked) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), m.String())
}

// String returns the masked text.
func (m Masked) String() string { return Mask(m.Raw()) }

// MarshalText returns the masked text.
func (m Masked) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Punctuation before and after a word; any other mark is part of the word.
const (
	opening = `@#<"'“‘„«([{¡¿…—–-`
	closing = `.,;:!?>"'”’»)]}…—–-`
)

// Mask replaces all but the first character of every word by stars, and single-letter words completely, except for about a
// hundred function words (a, the, not, you). A word is the text between spaces, without surrounding punctuation. No list of
// slurs is needed. It hides words from a glance, but they can be guessed: first characters, lengths in runes, spaces and
// surrounding punctuation are kept.
func Mask(text string) string {
	var masked strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, unicode.IsSpace)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text)
			masked.WriteString(text[:n])
			text = text[n:]
			continue
		}
		if n < 0 {
			n = len(text)
		}
		behind := strings.TrimLeft(text[:n], opening)
		word := strings.TrimRight(behind, closing)
		masked.WriteString(text[:n-len(behind)])
		masked.WriteString(maskWord(word))
		masked.WriteString(behind[len(word):])
		text = text[n:]
	}
	return masked.String()
}

func maskWord(word string) string {
	stars := utf8.RuneCountInString(word)
	if stars == 0 || harmless[strings.ToLower(word)] {
		return word
	}
	first := ""
	if letters(word) != 1 {
		_, n := utf8.DecodeRuneInString(word)
		first = word[:n]
		stars--
	}
	return first + strings.Repeat("*", stars)
}

// letters counts letters, including circled ones; a letter with combining marks counts as one.
func letters(word string) int {
	n := 0
	for _, r := range word {
		if unicode.In(r, unicode.L, unicode.Other_Alphabetic) && !unicode.IsMark(r) {
			n++
		}
	}
	return n
}

// harmless has function words that are not masked.
var harmless = func() map[string]bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields(`
		a about after again all also always am an and any are aren't as at be because been before being both but by can
		can't cannot could couldn't did didn't do does doesn't doing don't down each else even ever every few for from had
		has have haven't having he her here hers him his how i i'm i've if in into is isn't it it's its just let's me more
		most much my never no nor not now of off often on once only or other our out over own same she should so some such
		than that that's the their them then there these they they're this those through to too under until up us very was
		wasn't we we're were what what's when where which while who why will with without won't would you you're your`) {
		words[w] = true
	}
	return words
}()
