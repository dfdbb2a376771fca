package plotting

import (
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"strings"
)

// WordsHTML writes sentences of any length in the style of [Words], as one HTML file without scripts or external resources.
// A tooltip shows the weight of a word.
func WordsHTML(w io.Writer, title string, sentences []Sentence) error {
	if err := checkSentences(sentences); err != nil {
		return fmt.Errorf("writing words as HTML: %w", err)
	}
	words, whole := shadesOf(sentences)
	page := wordsPage{
		Title: clean(title), Weighed: weighed(sentences), Low: words.shortly(words.low), High: words.shortly(words.high),
		Pale: css(words.at(words.low)), Middle: css(words.at((words.low + words.high) / 2)), Dark: css(words.at(words.high)),
		Bar: css(colour(1)), Ink: css(ink), Rule: css(rule),
	}
	for _, s := range sentences {
		line := wordsLine{Weight: whole.shortly(s.Weight), Percent: math.Round(1e4*s.Weight/whole.high) / 100}
		for i, word := range s.Words {
			back := words.at(s.Weights[i])
			line.Words = append(line.Words, wordsSpan{clean(word), fmt.Sprintf("%.4g", s.Weights[i]), css(back), css(inkOn(back))})
		}
		page.Lines = append(page.Lines, line)
	}
	if err := wordsTemplate.Execute(w, page); err != nil {
		return fmt.Errorf("writing words as HTML: %w", err)
	}
	return nil
}

// clean returns text on one line that is valid UTF-8.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
}

// css writes a colour in CSS.
func css(c color.Color) template.CSS {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return template.CSS(fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B))
}

// wordsPage, wordsLine and wordsSpan are the data of the template.
type wordsPage struct {
	Title              string
	Weighed            bool
	Lines              []wordsLine
	Low, High          string
	Pale, Middle, Dark template.CSS
	Bar, Ink, Rule     template.CSS
}

type wordsLine struct {
	Weight  string
	Percent float64
	Words   []wordsSpan
}

type wordsSpan struct {
	Text, Weight string
	Back, Ink    template.CSS
}

var wordsTemplate = template.Must(template.New("words").Parse(`<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{if .Title}}{{.Title}}{{else}}Words by weight{{end}}</title>
<style>
:root { color-scheme: light; }
body { background: #fff; color: {{.Ink}}; font: 16px/1.7 "Liberation Sans", Arial, Helvetica, sans-serif; margin: 2em auto; max-width: 46em; padding: 0 1em; }
h1 { font-size: 1.2em; }
table { border-collapse: collapse; width: 100%; }
td { padding: .15em .4em .15em 0; vertical-align: top; }
td.weight { text-align: right; white-space: nowrap; width: 3em; }
td.bar { width: 6em; }
td.bar div { border-left: 1px solid {{.Rule}}; margin-top: .5em; }
td.bar i { background: {{.Bar}}; display: block; height: .7em; }
b { border-radius: 2px; font-weight: normal; overflow-wrap: anywhere; padding: .1em .2em; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
b, td.bar i, .key i { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.key i { background: linear-gradient(to right, {{.Pale}}, {{.Middle}}, {{.Dark}}); border: 1px solid {{.Rule}}; display: inline-block; height: .8em; margin: 0 .4em; vertical-align: middle; width: 9em; }
</style>
</head>
<body>
{{with .Title}}<h1>{{.}}</h1>
{{end}}<table>
{{range .Lines}}<tr>{{if $.Weighed}}<td class="weight">{{.Weight}}</td><td class="bar"><div><i style="width: {{.Percent}}%"></i></div></td>{{end}}<td dir="auto">
{{range .Words}}<b style="background: {{.Back}}; color: {{.Ink}}" title="{{.Weight}}">{{.Text}}</b>
{{end}}</td></tr>
{{end}}</table>
<p class="key">Weight of the word: {{.Low}}<i></i>{{.High}}{{if .Weighed}}. The bars are the weights of the sentences.{{end}}</p>
</body>
</html>
`))
