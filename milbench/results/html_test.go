package results

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// parsedHTML returns the texts of all cells and paragraphs, and the bold texts. Unmatched tags fail the test.
func parsedHTML(t *testing.T, table Table) (texts, bold []string) {
	t.Helper()
	var b strings.Builder
	must(t, table.Write(&b, "html"))
	d := xml.NewDecoder(strings.NewReader(b.String()))
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, bold
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		switch token := token.(type) {
		case xml.StartElement:
			if open = append(open, token.Name.Local); !slices.Contains([]string{"div", "table", "tr", "th", "td", "p", "b"}, token.Name.Local) {
				t.Errorf("element %s", token.Name.Local)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			text := string(token)
			if strings.TrimSpace(text) == "" {
				continue
			}
			texts = append(texts, text)
			if slices.Contains(open, "b") {
				bold = append(bold, text)
			}
		}
	}
}

// The best figure is bold only if the verdict calls all other rows worse.
func TestBold(t *testing.T) {
	high, low := []float64{.9, .95, .92, .97, .91}, []float64{.6, .66, .61, .64, .63}
	for name, c := range map[string]struct {
		aucs map[string][][]float64
		bold []string
	}{
		"apart":               {map[string][][]float64{"a": {low}, "b": {high}, "c": {{.62, .6, .66, .61, .64}}}, []string{"0.930"}},
		"two that are best":   {map[string][][]float64{"a": {low}, "b": {high}, "c": {{.95, .9, .97, .92, .91}}}, nil},
		"one not told apart":  {map[string][][]float64{"a": {low}, "b": {high}, "c": {{.88, .96, .9, .97, .92}}}, nil},
		"perhaps worse":       {map[string][][]float64{"a": {{.75, .85, .82, .8, .88}}, "b": {{.93, .96, .92, .97, .92}}, "c": {low}, "d": {{.76, .84, .81, .82, .87}}}, nil},
		"one row":             {map[string][][]float64{"a": {high}}, nil},
		"repeats are missing": {map[string][][]float64{"a": {low}, "b": {high, high}}, nil},
	} {
		table := Table{Rows: rowsOf(5, c.aucs)}
		var err error
		if table.Verdicts, err = table.verdicts(); err != nil {
			t.Fatal(err)
		}
		table.Rank()
		texts, bold := parsedHTML(t, table)
		if !slices.Equal(bold, c.bold) {
			t.Errorf("%s: bold %q, want %q by %q", name, bold, c.bold, table.Verdicts)
		}
		if said := strings.Count(strings.Join(texts, "\n"), "Bold: "); said != len(c.bold) {
			t.Errorf("%s: %d notes of what is bold", name, said)
		}
	}
}

// Names given by users are treated as text.
func TestEscapedHTML(t *testing.T) {
	const name = "<b>&\"'</td>"
	results := pair(name, fmt.Sprintf(`{"pooling":%q}`, "syn"+name), 0, 0)
	results = append(results, pair(name, `{"pooling":"max"}`, 0, 0)...)
	for i := range results {
		results[i].Classes = []string{name, "other"}
	}
	table := tabulated(t, results)
	texts, bold := parsedHTML(t, table)
	for _, want := range []string{name, "syn" + name, name + ": positive is other, negative " + name} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not among %q", want, texts)
		}
	}
	if len(bold) > 0 {
		t.Errorf("bold %q", bold)
	}
}
