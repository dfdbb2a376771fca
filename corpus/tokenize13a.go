package corpus

import (
	"regexp"
	"strings"
	"unicode"
)

// The rules of [Tokenize13a], in order; $1 and $2 are the groups.
var rules13a = []struct {
	pattern *regexp.Regexp
	replace string
}{
	{regexp.MustCompile("([!-&(-+/:-@\\[-`{-~])"), " $1 "}, // ASCII marks apart from ' , - .
	{regexp.MustCompile(`([^0-9])([.,])`), "$1 $2 "},
	{regexp.MustCompile(`([.,])([^0-9])`), " $1 $2"},
	{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},
}

// Tokenize13a returns the words of a sentence as mteval-v13a and sacrebleu's default tokeniser part them: at spaces and
// around ASCII marks, but not at an apostrophe, a hyphen behind a letter, or a point or comma between digits. Case is
// kept. Joined by spaces the words are found again, so that a translation made of such words is scored as it is; only
// points and commas in a row before a digit ("..5") are parted further.
func Tokenize13a(sentence string) []string {
	sentence = strings.TrimRightFunc(sentence, pythonSpace)
	sentence = strings.ReplaceAll(sentence, "<skipped>", "")
	sentence = strings.ReplaceAll(sentence, "-\n", "")
	sentence = strings.ReplaceAll(sentence, "\n", " ")
	// Each entity is resolved once for the whole text, one kind after the other: &amp;lt; ends as <.
	sentence = strings.ReplaceAll(sentence, "&quot;", `"`)
	sentence = strings.ReplaceAll(sentence, "&amp;", "&")
	sentence = strings.ReplaceAll(sentence, "&lt;", "<")
	sentence = strings.ReplaceAll(sentence, "&gt;", ">")
	sentence = " " + sentence + " "
	for _, r := range rules13a {
		sentence = r.pattern.ReplaceAllString(sentence, r.replace)
	}
	return TokenizeNone(sentence)
}

// TokenizeNone returns what spaces part, as sacrebleu does with its tokeniser none.
func TokenizeNone(sentence string) []string { return strings.FieldsFunc(sentence, pythonSpace) }

// pythonSpace says whether Python's str.split takes r for a space: Unicode's white space and the separators of ASCII.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
