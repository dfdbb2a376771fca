package corpus

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

// Words splits a text at Unicode word boundaries (UAX #29) into words, numbers, punctuation and emoji, and keeps case:
// "Isn't it 3.5?" has Isn't, it, 3.5 and ?. White space is dropped.
func Words(text string) []string {
	var found []string
	for tokens := words.FromString(text); tokens.Next(); {
		if word := tokens.Value(); strings.ContainsFunc(word, visible) {
			found = append(found, word)
		}
	}
	return found
}

// visible reports whether r is a visible character.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// inTweet matches URLs, mentions and hashtags.
var inTweet = regexp.MustCompile(`(?i:https?://\S+|\bwww\.\S+)|\B@\w+|\B#[\pL\pN_]+`)

// TweetWords returns the words of a tweet in lower case. HTML entities (&amp;) are resolved, URLs become <url>, mentions
// become <user>, a hashtag is one word including its #, and the rest is split as by [Words].
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
			word = "<user>"
		default:
			word = "<url>"
		}
		found = append(found, word)
		done = at[1]
	}
	return append(found, Words(text[done:])...)
}

// ngrams returns the words, followed by their n-grams of 2 to longest words, each joined by spaces. If longest is below 2 it
// returns only the words.
func ngrams(words []string, longest int) []string {
	grams := append([]string(nil), words...)
	for n := 2; n <= min(longest, len(words)); n++ {
		for i := 0; i+n <= len(words); i++ {
			grams = append(grams, strings.Join(words[i:i+n], " "))
		}
	}
	return grams
}
