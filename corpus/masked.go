package corpus

import (
	"encoding"
	"fmt"
	"strings"
	"unicode"
)

// Masked is text that is fit to be computed with but not to be shown: whatever package fmt prints it with, and as a value
// in JSON, it is masked as by [Mask]. string(m) is the text itself. Neither package calls methods of what is in a field
// without a capital, and JSON of the keys of a map: do not keep such text there.
type Masked string

var (
	_ fmt.Formatter          = Masked("")
	_ encoding.TextMarshaler = Masked("")
)

// Format prints the masked text, whatever the verb.
func (m Masked) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), Mask(string(m)))
}

// String returns the masked text.
func (m Masked) String() string { return Mask(string(m)) }

// MarshalText returns the masked text.
func (m Masked) MarshalText() ([]byte, error) { return []byte(Mask(string(m))), nil }

// Mask returns text with stars for all but the first letter of every word, apart from about a hundred words of grammar
// (the, not, you), which are harmless everywhere. No list of slurs is needed, and none can be incomplete. Marks and
// spaces stay; the length in runes does too.
func Mask(text string) string {
	var masked strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) })
		switch {
		case n == 0: // what is between words
			n = strings.IndexFunc(text, inWord)
			if n < 0 {
				n = len(text)
			}
			masked.WriteString(text[:n])
			text = text[n:]
			continue
		case n < 0:
			n = len(text)
		}
		word := text[:n]
		text = text[n:]
		if harmless[strings.ToLower(word)] {
			masked.WriteString(word)
			continue
		}
		for i, r := range word {
			if i > 0 {
				r = '*'
			}
			masked.WriteRune(r)
		}
	}
	return masked.String()
}

// inWord says whether r belongs to a word; combining marks, joiners and variation selectors do, so that none cuts a
// word into pieces that each show a letter.
func inWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Cf) || r == '\'' || r == '’' || r == '_'
}

// harmless words of grammar.
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
