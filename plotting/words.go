package plotting

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sentence is a sentence with a weight for each word, and possibly one for the sentence.
type Sentence struct {
	Words   []string
	Weights []float64 // one weight per word
	Weight  float64   // weight of the sentence in the document; not drawn if it is 0 in all sentences
}

// checkSentences reports why sentences cannot be drawn.
func checkSentences(sentences []Sentence) error {
	if len(sentences) == 0 {
		return errors.New("there are no sentences")
	}
	for i, s := range sentences {
		if len(s.Words) == 0 {
			return fmt.Errorf("sentence %d has no words", i+1)
		}
		if len(s.Words) != len(s.Weights) {
			return fmt.Errorf("sentence %d: %d words but %d weights", i+1, len(s.Words), len(s.Weights))
		}
		if err := notNegative(s.Weight); err != nil {
			return fmt.Errorf("sentence %d: %w", i+1, err)
		}
		for j, w := range s.Weights {
			if err := notNegative(w); err != nil {
				return fmt.Errorf("sentence %d, word %d: %w", i+1, j+1, err)
			}
			if strings.TrimSpace(s.Words[j]) == "" {
				return fmt.Errorf("sentence %d, word %d is blank", i+1, j+1)
			}
		}
	}
	return nil
}

// shadesOf returns the scale of the words' shades and the scale of the sentences' bars.
func shadesOf(sentences []Sentence) (words, whole shading) {
	var all [][]float64
	var weights []float64
	for _, s := range sentences {
		all = append(all, s.Weights)
		weights = append(weights, s.Weight)
	}
	return shadingOf(all...), shadingOf(weights)
}

// weighed reports whether any sentence has a weight.
func weighed(sentences []Sentence) bool {
	return slices.ContainsFunc(sentences, func(s Sentence) bool { return s.Weight > 0 })
}

// Measures of words.
const (
	mostWords    = 1500
	wordPad      = 2.5 * vg.Length(1) // padding beside a word, within its box
	wordGap      = 1.5 * vg.Length(1) // gap between boxes
	wordHeight   = 14 * vg.Length(1)
	linePitch    = 16 * vg.Length(1)
	sentenceGap  = 6 * vg.Length(1)
	sentenceBar  = 44 * vg.Length(1) // maximum length
	sentenceRoom = 90 * vg.Length(1) // space for the bar and the number
	keyWidth     = 110 * vg.Length(1)
	keyHeight    = 30 * vg.Length(1)
)

// placed is a word at its position, to the right and downwards from the top left corner.
type placed struct {
	label          string
	x, line, width vg.Length
	weight         float64
}

// Words draws sentences, each on a new line, with every word shaded by its weight, and a bar before each sentence for the
// sentence's weight, as in figure 5 of Yang, Yang, Dyer, He, Smola and Hovy, "Hierarchical attention networks for document
// classification", NAACL 2016. All words share one scale, so words of different sentences are comparable.
func Words(title string, sentences []Sentence) (*Figure, error) {
	if err := checkWords(sentences); err != nil {
		return nil, fmt.Errorf("drawing words: %w", err)
	}
	words, whole := shadesOf(sentences)
	return drawWords(title, "Weight of the word", words, whole, sentences), nil
}

// checkWords reports why sentences cannot be drawn in a figure.
func checkWords(sentences []Sentence) error {
	if err := checkSentences(sentences); err != nil {
		return err
	}
	n := 0
	for _, s := range sentences {
		n += len(s.Words)
	}
	if n > mostWords {
		return fmt.Errorf("%d words; at most %d fit in a figure; draw fewer sentences", n, mostWords)
	}
	return nil
}

// drawWords draws words on the scale words, with a labelled colour bar, and the bars of the sentences on the scale whole.
func drawWords(title, label string, words, whole shading, sentences []Sentence) *Figure {
	indent := vg.Length(0)
	var entries []entry
	if weighed(sentences) {
		indent = sentenceRoom
		entries = append(entries, entry{label: "weight of the sentence", line: draw.LineStyle{Color: colour(1), Width: 6}})
	}
	lines := make([][]placed, len(sentences))
	starts := make([]vg.Length, len(sentences)) // vertical positions of the sentences
	end := vg.Length(0)
	for i, s := range sentences {
		starts[i] = end
		lines[i] = place(s, figureWidth-2*margin-indent)
		end += lines[i][len(lines[i])-1].line + linePitch + sentenceGap
	}
	return newDrawing(title, entries, figureWidth, end+keyHeight, func(c *draw.Canvas) {
		number := aligned(style(9, stdfont.WeightNormal), draw.XRight)
		for i, s := range sentences {
			top := c.Max.Y - starts[i]
			if indent > 0 {
				middle := top - wordHeight/2
				c.FillText(number, vg.Point{X: c.Min.X + sentenceRoom - sentenceBar - 14, Y: middle}, whole.shortly(s.Weight))
				length := vg.Length(s.Weight/whole.high) * sentenceBar
				left := c.Min.X + sentenceRoom - sentenceBar - 10
				fill(c, colour(1), vg.Rectangle{Min: vg.Point{X: left, Y: middle - 3}, Max: vg.Point{X: left + length, Y: middle + 3}})
				c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.6}, left, middle-5, left, middle+5)
			}
			for _, w := range lines[i] {
				w.draw(c, words, vg.Point{X: c.Min.X + indent + w.x, Y: top - w.line})
			}
		}
		words.drawKey(c, label)
	})
}

// place breaks a sentence into lines of a width.
func place(s Sentence, width vg.Length) []placed {
	text := style(10, stdfont.WeightNormal)
	var out []placed
	var x, line vg.Length
	for i, word := range s.Words {
		w := placed{label: fit(text, word, width-2*wordPad), weight: s.Weights[i]}
		w.width = text.Width(w.label) + 2*wordPad
		if x > 0 && x+w.width > width {
			x, line = 0, line+linePitch
		}
		w.x, w.line = x, line
		x += w.width + wordGap
		out = append(out, w)
	}
	return out
}

// draw paints a word from its top left corner.
func (w placed) draw(c *draw.Canvas, s shading, at vg.Point) {
	back := s.at(w.weight)
	fill(c, back, vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - wordHeight}, Max: vg.Point{X: at.X + w.width, Y: at.Y}})
	text := aligned(style(10, stdfont.WeightNormal), draw.XLeft)
	text.Color = inkOn(back)
	c.FillText(text, vg.Point{X: at.X + wordPad, Y: at.Y - wordHeight/2}, w.label)
}

// drawKey draws a horizontal colour bar in the bottom left corner, with the label on its left.
func (s shading) drawKey(c *draw.Canvas, label string) {
	text, number := aligned(style(9, stdfont.WeightNormal), draw.XLeft), aligned(style(9, stdfont.WeightNormal), draw.XCenter)
	left := c.Min.X + text.Width(label) + 10
	bar := vg.Rectangle{Min: vg.Point{X: left, Y: c.Min.Y + 12}, Max: vg.Point{X: left + keyWidth, Y: c.Min.Y + 12 + barSize}}
	c.FillText(text, vg.Point{X: c.Min.X, Y: (bar.Min.Y + bar.Max.Y) / 2}, label)
	s.drawBar(c, bar, false)
	for _, t := range s.ticks() {
		x := left + vg.Length((t.Value-s.low)/(s.high-s.low))*keyWidth
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.5}, x, bar.Min.Y, x, bar.Min.Y-barTick)
		c.FillText(number, vg.Point{X: x, Y: bar.Min.Y - barTick - 5}, t.Label)
	}
}
