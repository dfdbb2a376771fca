package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"
)

// requireMasked wants all but the first letter of every word that is not harmless to be gone, and that too if it is the
// only one.
func requireMasked(t *testing.T, text string) {
	t.Helper()
	masked := Mask(text)
	if utf8.RuneCountInString(masked) != utf8.RuneCountInString(text) {
		t.Errorf("%q becomes %q, of another length", text, masked)
	}
	if strings.Contains(text, "*") { // a star of its own
		return
	}
	inner := func(word string) string { return strings.TrimRight(strings.TrimLeft(word, opening), closing) }
	words := strings.Fields(text)
	for i, word := range strings.Fields(masked) {
		word = inner(word)
		shown := strings.ReplaceAll(word, "*", "")
		if (utf8.RuneCountInString(shown) > 1 || shown != "" && letters(inner(words[i])) == 1) && !harmless[strings.ToLower(word)] {
			t.Errorf("%q becomes %q, which shows too much of a word", text, masked)
			return
		}
	}
}

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"You silly GOOSE, aren't you":       "You s**** G****, aren't you",
		"@goosey: geese's":                  "@g*****: g******",
		"über-gänse 🦆 go":                   "ü********* 🦆 g*",
		"a$$ g$$se @$$":                     "*** g**** @$*",
		"g.o.o.s.e g-o-o-s-e!":              "g******** g********!",
		"g o o s e, (G)":                    "* * * * *, (*)",
		"g/ o_ -0s |e|":                     "** ** -** ***",
		"g\u0301 o\ufe0f \u200ds e. \u24d4": "** ** ** *. *",
		"I saw a 3 | b":                     "I s** a 3 | *",
		"<user> http://example.com/a":       "<u***> h*******************",
		"g\u200do\u0301ose":                 "g******",
		"a 1990s thing, 4th of 12":          "a ***** t****, 4** of 1*",
		"the\nthese":                        "the\nthese",
		"\xff":                              "\xff",
	} {
		if got := Mask(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		requireMasked(t, text)
	}
}

// However a tweet is printed, its text is masked.
func TestMasked(t *testing.T) {
	type hidden struct{ text Masked } // fmt calls no methods of the field
	tweet := Tweet{ID: 1, Text: NewMasked("silly goose")}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "tweet", tweet, "text", tweet.Text)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "tweet", tweet, "text", tweet.Text)
	encoded := must(json.Marshal([]any{tweet, &tweet, map[string]Masked{"x": tweet.Text}, map[Masked]int{tweet.Text: 1}}))
	printed := []string{
		logged.String(), string(encoded), tweet.Text.String(), fmt.Sprint(tweet, &tweet, tweet.Text, []Tweet{tweet}), fmt.Sprintln(tweet),
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%#q", "%+q", "%20s", "%.30s", "%x", "% X", "%d", "%t", "%z", "%!", "%p", "%w", "%#p", "%+w"} {
		printed = append(printed, fmt.Errorf(verb, tweet.Text).Error(), fmt.Errorf(verb, tweet).Error(), fmt.Errorf(verb, []Masked{tweet.Text}).Error())
		printed = append(printed, fmt.Sprintf(verb, tweet.Text), fmt.Sprintf(verb, tweet), fmt.Sprintf(verb, &tweet), fmt.Sprintf(verb, []Masked{tweet.Text}),
			fmt.Sprintf(verb, hidden{tweet.Text}), fmt.Sprintf(verb, &hidden{tweet.Text}), fmt.Sprintf(verb, map[Masked]Masked{tweet.Text: tweet.Text}))
	}
	for _, text := range printed {
		for _, secret := range []string{"illy", "oose", "696c6c79", "69 6C 6C 79"} { // the last two in hex
			if strings.Contains(text, secret) {
				t.Errorf("shown: %s", text)
			}
		}
	}
	if got := fmt.Sprintf("%q|%13s|%#v", tweet.Text, tweet.Text, tweet.Text); got != `"s**** g****"|  s**** g****|"s**** g****"` {
		t.Error(got)
	}
	if tweet.Text.Raw() != "silly goose" {
		t.Error("the original text is lost")
	}
	var back Tweet
	err := json.Unmarshal([]byte(`{"Text": "s**** g****"}`), &back)
	if requireOneLine(t, err, "cannot unmarshal"); back.Text.Raw() != "" {
		t.Errorf("stars are read as text: %s", back.Text)
	}
	var zero Masked
	if again := NewMasked("silly " + strings.ToLower("GOOSE")); again != tweet.Text || again == zero || zero != NewMasked("") || zero.Raw() != "" || zero.String() != "" {
		t.Error("equal texts are not equal, or unequal ones are")
	}
}
