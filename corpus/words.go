package corpus

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
)

// Words returns the words, numbers, marks and emoji of a text, between the word boundaries of Unicode (UAX #29), case
// kept: "Isn't it 3.5?" has Isn't, it, 3.5 and ?. A text of spaces has none.
func Words(text string) []string {
	var found []string
	for tokens := words.FromString(text); tokens.Next(); {
		if word := tokens.Value(); strings.ContainsFunc(word, visible) {
			found = append(found, word)
		}
	}
	return found
}

// visible says whether r leaves a mark of its own.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// Sentences returns the sentences of a text, between the sentence boundaries of Unicode (UAX #29), without the spaces
// around them. An abbreviation before a capital ("Dr. Smith") ends a sentence too.
func Sentences(text string) []string {
	var found []string
	for tokens := sentences.FromString(text); tokens.Next(); {
		if sentence := strings.TrimSpace(tokens.Value()); strings.ContainsFunc(sentence, visible) {
			found = append(found, sentence)
		}
	}
	return found
}

// Document returns the [Words] of the [Sentences] of a text.
func Document(text string) [][]string {
	var document [][]string
	for _, sentence := range Sentences(text) {
		document = append(document, Words(sentence))
	}
	return document
}

// What [TweetWords] puts for an address and a mention.
const (
	URLWord  = "<url>"
	UserWord = "<user>"
)

// inTweet finds addresses, mentions and hashtags.
var inTweet = regexp.MustCompile(`(?i:https?://\S+|\bwww\.\S+)|\B@\w+|\B#[\pL\pN_]+`)

// TweetWords returns the words of a tweet in lower case: HTML entities are resolved (&amp;), addresses become <url>,
// mentions <user>, a hashtag is one word with its #, and the rest is split as by [Words].
func TweetWords(text string) []string {
	text = strings.ToLower(html.UnescapeString(text))
	var found []string
	done := 0
	for _, at := range inTweet.FindAllStringIndex(text, -1) {
		found = append(found, Words(text[done:at[0]])...)
		word := text[at[0]:at[1]]
		switch word[0] {
		case '#':
		case '@':
			word = UserWord
		default:
			word = URLWord
		}
		found = append(found, word)
		done = at[1]
	}
	return append(found, Words(text[done:])...)
}

// Ngrams returns the words and behind them the runs of 2 to longest words, each joined by spaces. longest below 2
// returns the words.
func Ngrams(words []string, longest int) []string {
	grams := append([]string(nil), words...)
	for n := 2; n <= min(longest, len(words)); n++ {
		for i := 0; i+n <= len(words); i++ {
			grams = append(grams, strings.Join(words[i:i+n], " "))
		}
	}
	return grams
}
