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

// requireMasked wants all but the first letter of every word that is not harmless to be gone.
func requireMasked(t *testing.T, text string) {
	t.Helper()
	masked := Mask(text)
	if utf8.RuneCountInString(masked) != utf8.RuneCountInString(text) {
		t.Errorf("%q becomes %q, of another length", text, masked)
	}
	if strings.Contains(text, "*") { // a star of its own
		return
	}
	for _, word := range strings.FieldsFunc(masked, func(r rune) bool { return !inWord(r) && r != '*' }) {
		for i, r := range word {
			if i > 0 && inWord(r) && !harmless[strings.ToLower(word)] {
				t.Errorf("%q shows more than a letter of a word", masked)
				return
			}
		}
	}
}

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"You silly GOOSE, aren't you": "You s**** G****, aren't you",
		"@goosey: geese's":            "@g*****: g******",
		"über-gänse 🦆 go":             "ü***-g**** 🦆 g*",
		"g\u200do\u0301ose":           "g******",
		"a 1990s thing":               "a 1**** t****",
		"the\nthese":                  "the\nthese",
		"\xff":                        "\xff",
	} {
		if got := Mask(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		requireMasked(t, text)
	}
}

// However a tweet is printed, its text is masked.
func TestMasked(t *testing.T) {
	tweet := Tweet{ID: 1, Text: "silly goose"}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "tweet", tweet, "text", tweet.Text)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "tweet", tweet, "text", tweet.Text)
	encoded, err := json.Marshal([]any{tweet, &tweet, map[string]Masked{"x": tweet.Text}})
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{
		logged.String(), string(encoded), tweet.Text.String(), fmt.Sprint(tweet, &tweet, tweet.Text, []Tweet{tweet}), fmt.Sprintln(tweet),
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%#q", "%+q", "%20s", "%.30s", "%x", "% X", "%d", "%t", "%z", "%!"} {
		printed = append(printed, fmt.Sprintf(verb, tweet.Text), fmt.Sprintf(verb, tweet), fmt.Sprintf(verb, &tweet), fmt.Sprintf(verb, []Masked{tweet.Text}))
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
	if string(tweet.Text) != "silly goose" {
		t.Error("the text itself is not to be had")
	}
}
