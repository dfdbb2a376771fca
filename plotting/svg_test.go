package plotting

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"testing"
)

// TestSVGText: every text of an SVG is as wide as the font of the figure makes it, whatever font a reader has, unless that font lacks a
// letter of it.
func TestSVGText(t *testing.T) {
	f, err := Functions("A title & more", "x", "語", []FunctionCurve{{Name: "f", X: []float64{0, 1}, Y: []float64{0, 1}}})
	must(t, err)
	type label struct {
		Text   string `xml:",chardata"`
		Style  string `xml:"style,attr"`
		Length string `xml:"textLength,attr"`
	}
	var drawing struct {
		Groups []struct {
			Fonts string  `xml:"font-family,attr"`
			Texts []label `xml:"text"`
			Inner []struct {
				Texts []label `xml:"text"`
			} `xml:"g"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(svgOf(t, f)), &drawing); err != nil || len(drawing.Groups) != 1 || drawing.Groups[0].Fonts == "" {
		t.Fatalf("%v, %+v", err, drawing)
	}
	texts := drawing.Groups[0].Texts
	for _, g := range drawing.Groups[0].Inner {
		texts = append(texts, g.Texts...)
	}
	found := map[string]string{}
	for _, l := range texts {
		found[l.Text] = l.Length
	}
	if len(texts) < 8 {
		t.Errorf("%d texts", len(texts))
	}
	for text, length := range found {
		if text == "語" {
			if length != "" {
				t.Errorf("a letter that the font lacks is %s wide", length)
			}
			continue
		}
		if v, err := strconv.ParseFloat(length, 64); err != nil || !(v > 0 && v < 468) {
			t.Errorf("%q is %q wide", text, length)
		}
	}
	if want := strconv.FormatFloat(titleStyle().Width("A title & more").Points(), 'g', 4, 64); found["A title & more"] != want {
		t.Errorf("the title is %s wide, want %s", found["A title & more"], want)
	}
}

// TestSVGBlanks: a text between blanks stands where it would stand with them, and is as wide as without.
func TestSVGBlanks(t *testing.T) {
	curves := []FunctionCurve{{Name: "f", X: []float64{0, 1}, Y: []float64{0, 1}}}
	f, err := Functions("", "   axis", "y", curves)
	must(t, err)
	plain, err := Functions("", "axis", "y", curves)
	must(t, err)
	at := regexp.MustCompile(`<text x="([0-9.]+)"[^>]*textLength="([0-9.]+)"[^>]*>axis</text>`)
	with, without := at.FindStringSubmatch(svgOf(t, f)), at.FindStringSubmatch(svgOf(t, plain))
	if with == nil || without == nil || with[2] != without[2] || with[1] == without[1] {
		t.Errorf("%q with blanks, %q without", with, without)
	}
}
