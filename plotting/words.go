package plotting

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sentence is a sentence with a weight for each word, and possibly one for the sentence.
type Sentence struct {
	Words   []string
	Weights []float64 // one weight per word
	Weight  float64   // weight of the sentence in the document; not drawn if it is 0 in all sentences
}

// check reports why a sentence cannot be drawn.
func (s Sentence) check() error {
	switch {
	case len(s.Words) == 0:
		return errors.New("there are no words")
	case len(s.Words) != len(s.Weights):
		return fmt.Errorf("%d words but %d weights", len(s.Words), len(s.Weights))
	}
	for i, word := range s.Words {
		if strings.TrimSpace(word) == "" {
			return fmt.Errorf("word %d is blank", i+1)
		}
	}
	if err := each("word", s.Weights, isShare); err != nil {
		return err
	}
	return isShare(s.Weight)
}

// Limits and measures of words.
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

// WordShares draws sentences, each on a new line, with every word shaded by its share of its sentence, and a bar before each
// sentence for the sentence's share of the document, as in figure 5 of Yang, Yang, Dyer, He, Smola and Hovy, "Hierarchical
// attention networks for document classification", NAACL 2016. The scale goes from 0 to 1 in every figure, so figures are
// comparable, and nearly equal weights look nearly equal.
func WordShares(title string, sentences []Sentence) (f *Figure, err error) {
	defer about(&err, "drawing shares of words")
	if len(sentences) == 0 {
		return nil, errors.New("there are no sentences")
	}
	n, indent := 0, vg.Length(0)
	var entries []entry
	for i, s := range sentences {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("sentence %d: %w", i+1, err)
		}
		n += len(s.Words)
	}
	if n > mostWords {
		return nil, fmt.Errorf("%d words; at most %d fit in a figure; draw fewer sentences", n, mostWords)
	}
	if slices.ContainsFunc(sentences, func(s Sentence) bool { return s.Weight > 0 }) {
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
		for i, s := range sentences {
			top := c.Max.Y - starts[i]
			if indent > 0 {
				middle, left := top-wordHeight/2, c.Min.X+sentenceRoom-sentenceBar-10
				c.FillText(aligned(plain(9), draw.XRight), vg.Point{X: left - 4, Y: middle}, unit.shortly(s.Weight))
				fill(c, colour(1), box(left, middle-3, left+vg.Length(s.Weight)*sentenceBar, middle+3))
				c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.6}, left, middle-5, left, middle+5)
			}
			for _, w := range lines[i] {
				w.draw(c, vg.Point{X: c.Min.X + indent + w.x, Y: top - w.line})
			}
		}
		drawKey(c, "Share of the word")
	}), nil
}

// placed is a word at its position, to the right and downwards from the top left corner.
type placed struct {
	label          string
	x, line, width vg.Length
	weight         float64
}

// place breaks a sentence into lines of a width.
func place(s Sentence, width vg.Length) []placed {
	text := plain(10)
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
func (w placed) draw(c *draw.Canvas, at vg.Point) {
	back := unit.at(w.weight)
	fill(c, back, box(at.X, at.Y-wordHeight, at.X+w.width, at.Y))
	text := aligned(plain(10), draw.XLeft)
	text.Color = inkOn(back)
	c.FillText(text, vg.Point{X: at.X + wordPad, Y: at.Y - wordHeight/2}, w.label)
}

// drawKey draws the shades of shares in a bar in the bottom left corner, with the label on its left.
func drawKey(c *draw.Canvas, label string) {
	text, number := aligned(plain(9), draw.XLeft), aligned(plain(9), draw.XCenter)
	left := c.Min.X + text.Width(label) + 10
	bar := box(left, c.Min.Y+12, left+keyWidth, c.Min.Y+12+barSize)
	c.FillText(text, vg.Point{X: c.Min.X, Y: (bar.Min.Y + bar.Max.Y) / 2}, label)
	unit.drawBar(c, bar, false)
	for _, t := range unit.ticks() {
		x := left + vg.Length(t.Value)*keyWidth
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.5}, x, bar.Min.Y, x, bar.Min.Y-barTick)
		c.FillText(number, vg.Point{X: x, Y: bar.Min.Y - barTick - 5}, t.Label)
	}
}
