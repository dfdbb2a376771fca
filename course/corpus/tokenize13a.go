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

// Tokenize13a splits a sentence into words like mteval-v13a and sacrebleu's default tokeniser: at spaces and around ASCII
// punctuation, but not at an apostrophe, at a hyphen after a letter, or at a point or comma between digits. Case is kept.
// Tokenising the words joined by spaces gives the same words again, so a translation made of such words is scored without
// further changes. The only exception are points and commas in a row before a digit ("..5"), which are split further.
func Tokenize13a(sentence string) []string {
	sentence = strings.TrimRightFunc(sentence, pythonSpace)
	sentence = strings.ReplaceAll(sentence, "<skipped>", "")
	sentence = strings.ReplaceAll(sentence, "-\n", "")
	sentence = strings.ReplaceAll(sentence, "\n", " ")
	// Each kind of entity is resolved once in the whole text, in this order: &amp;lt; becomes <.
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

// TokenizeNone splits at white space, like sacrebleu's tokeniser "none".
func TokenizeNone(sentence string) []string { return strings.FieldsFunc(sentence, pythonSpace) }

// pythonSpace reports whether Python's str.split treats r as white space: Unicode's white space and the ASCII separators.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
