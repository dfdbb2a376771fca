package plotting

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWordsHTML(t *testing.T) {
	var b bytes.Buffer
	if err := WordsHTML(&b, "What makes a review positive", document()); err != nil {
		t.Fatal(err)
	}
	goldenFile(t, "page", b.Bytes(), "words.html")
}

// readPage returns the words of a page as a reader sees them; a page whose tags do not match fails.
func readPage(t *testing.T, page []byte) []string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var words []string
	inside := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch name := token.Name.Local; name {
			case "script", "link", "img", "iframe", "object":
				t.Errorf("the page has an element %s", name)
			case "b":
				inside = true
				words = append(words, "")
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Value, "url(") || a.Name.Local == "src" || a.Name.Local == "href" {
					t.Errorf("the attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			inside = inside && token.Name.Local != "b"
		case xml.CharData:
			if inside {
				words[len(words)-1] += string(token)
			}
		}
	}
}

func TestWordsHTMLEscapes(t *testing.T) {
	sentences := []Sentence{{
		Words:   []string{"<script>alert(1)</script>", "a&b;", `"quoted'`, "</b></td>", "日本", "two\nlines", "\xff", "{{.Title}}", "<!--"},
		Weights: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9},
		Weight:  0.5,
	}}
	var b bytes.Buffer
	if err := WordsHTML(&b, "</title><script>alert(2)</script>", sentences); err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(b.Bytes()) || strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "ZgotmplZ") {
		t.Errorf("not escaped:\n%s", &b)
	}
	want := []string{"<script>alert(1)</script>", "a&b;", `"quoted'`, "</b></td>", "日本", "two lines", "\ufffd", "{{.Title}}", "<!--"}
	if got := readPage(t, b.Bytes()); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("words %q, want %q", got, want)
	}
}

// TestWordsHTMLReads: every word has the contrast that WCAG 2.1 asks for.
func TestWordsHTMLReads(t *testing.T) {
	var b bytes.Buffer
	if err := WordsHTML(&b, "", document()); err != nil {
		t.Fatal(err)
	}
	pairs := regexp.MustCompile(`background: #(\w{6}); color: #(\w{6})"`).FindAllStringSubmatch(b.String(), -1)
	n := 0
	for _, s := range document() {
		n += len(s.Words)
	}
	if len(pairs) != n {
		t.Errorf("%d words have colours, want %d", len(pairs), n)
	}
	hex := func(s string) color.Color {
		v, err := strconv.ParseUint(s, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
	}
	for _, p := range pairs {
		if got := contrast(hex(p[1]), hex(p[2])); got < 4.5 {
			t.Errorf("%s on %s has the contrast %.2f", p[2], p[1], got)
		}
	}
}

func TestWordsHTMLFits(t *testing.T) {
	for name, sentences := range oddSentences() {
		var b bytes.Buffer
		if err := WordsHTML(&b, name, sentences); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for _, s := range sentences {
			n += len(s.Words)
		}
		if got := len(readPage(t, b.Bytes())); got != n {
			t.Errorf("%s: %d words, want %d", name, got, n)
		}
	}
	if err := WordsHTML(io.Discard, "", []Sentence{{Words: wordsOf(20000), Weights: same(20000, 1)}}); err != nil {
		t.Errorf("a long document: %v", err)
	}
}

func TestWordsHTMLRefuses(t *testing.T) {
	for want, sentences := range wordsRefused() {
		var b bytes.Buffer
		err := WordsHTML(&b, "", sentences)
		refused(t, "writing words as HTML: "+want)(nil, err)
		if b.Len() > 0 {
			t.Errorf("%v, but %d bytes were written", err, b.Len())
		}
	}
	if err := WordsHTML(failing{}, "", document()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a full disk: %v", err)
	}
}
