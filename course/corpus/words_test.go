package corpus

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		" \n\t":                          "",
		"A man sleeps.":                  "A|man|sleeps|.",
		"Isn't it 3.5, or 1,000?":        "Isn't|it|3.5|,|or|1,000|?",
		"T-Shirt am Straßenrand – schön": "T|-|Shirt|am|Straßenrand|–|schön",
		"so good!! 😀👍🏽":                  "so|good|!|!|😀|👍🏽",
		"e\u0301te\u0301":                "e\u0301te\u0301",
	} {
		if got := Words(text); strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %s", text, got, want)
		}
	}
}

func TestTweetWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"RT @Some_one: What A day":          "rt|<user>|:|what|a|day",
		".@someone, “@other”":               ".|<user>|,|“|<user>|”",
		"mail me@example.com":               "mail|me|@|example.com",
		"see https://example.com/a?b=c#d x": "see|<url>|x",
		"HTTP://EXAMPLE.COM":                "<url>",
		"go to www.example.com!":            "go|to|<url>",
		"#GoodDay a#b #über #1":             "#goodday|a|#|b|#über|#1",
		"you &amp; me &#8230; &#128514;":    "you|&|me|…|😂",
		"1 &lt; 2 &gt;":                     "1|<|2|>",
		"@":                                 "@",
		"# @ http://":                       "#|@|http|:|/|/",
	} {
		if got := TweetWords(text); strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %s", text, got, want)
		}
	}
}

func TestNgrams(t *testing.T) {
	words := strings.Fields("a b c")
	for longest, want := range map[int]string{-1: "a|b|c", 1: "a|b|c", 2: "a|b|c|a b|b c", 3: "a|b|c|a b|b c|a b c", 99: "a|b|c|a b|b c|a b c"} {
		if got := ngrams(words, longest); strings.Join(got, "|") != want {
			t.Errorf("%d: %q", longest, got)
		}
	}
	if got := ngrams(nil, 3); len(got) != 0 {
		t.Errorf("%q", got)
	}
	ngrams(words[:2], 2)
	if !slices.Equal(words, []string{"a", "b", "c"}) {
		t.Errorf("the words were changed: %q", words)
	}
}
