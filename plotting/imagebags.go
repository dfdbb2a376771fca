package plotting

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ImageBag is a bag of greyscale images, such as digits, with one value per image, such as its attention weight.
type ImageBag struct {
	Name   string      // drawn over the images
	Images [][]float64 // row by row from 0, white, to 1, black
	Values []float64   // one value per image
	Winner bool        // mark the image with the largest value, unless all are equal
	Labels []string    // one label per image, or nil; if the winner is marked, only its label is written
}

// check reports why a bag cannot be drawn; a value may be refused by checkValue.
func (b ImageBag) check(pixels int, checkValue func(float64) error) error {
	switch {
	case len(b.Images) == 0:
		return errors.New("there are no images")
	case len(b.Values) != len(b.Images):
		return fmt.Errorf("%d images but %d values", len(b.Images), len(b.Values))
	case b.Labels != nil && len(b.Labels) != len(b.Images):
		return fmt.Errorf("%d images but %d labels", len(b.Images), len(b.Labels))
	}
	for i, m := range b.Images {
		if len(m) != pixels {
			return fmt.Errorf("image %d has %d pixels, not %d", i+1, len(m), pixels)
		}
		if err := each("pixel", m, isFraction); err != nil {
			return fmt.Errorf("image %d, %w", i+1, err)
		}
	}
	return each("image", b.Values, checkValue)
}

// Limits and measures of images.
const (
	mostImages = 400
	mostPixels = 256 // along a side
	imageGap   = 7 * vg.Length(1)
	imageMost  = 52 * vg.Length(1) // maximum of the longer side
	imageLeast = 27 * vg.Length(1) // minimum of the longer side; bags with more images take several lines
	bagHead    = 15 * vg.Length(1)
	bagGap     = 9 * vg.Length(1)
	weightBar  = 4 * vg.Length(1)
	weightText = 12 * vg.Length(1)
	imageText  = 7.5 * vg.Length(1)
)

// ImageBags draws bags of images, one bag below the other. Under each image it draws its value as a bar and a number, after
// the label if there is one. Images have rows × columns pixels. value says what the values are, such as "weight".
func ImageBags(title, value string, rows, columns int, bags []ImageBag) (f *Figure, err error) {
	defer about(&err, "drawing bags of images")
	if value == "" {
		return nil, errors.New("the values have no name")
	}
	if err := checkBags(rows, columns, bags, notNegative); err != nil {
		return nil, err
	}
	var all []float64
	for _, b := range bags {
		all = append(all, b.Values...)
	}
	return drawImages(title, value, rows, columns, bags, shadingOf(all)), nil
}

// ImageShares is [ImageBags] for values that are shares of the bag's weight: a full bar is 1 in every figure.
func ImageShares(title string, rows, columns int, bags []ImageBag) (f *Figure, err error) {
	defer about(&err, "drawing shares of images")
	if err := checkBags(rows, columns, bags, isShare); err != nil {
		return nil, err
	}
	return drawImages(title, "share", rows, columns, bags, unit), nil
}

// drawImages draws checked bags with values on the scale s.
func drawImages(title, value string, rows, columns int, bags []ImageBag, s shading) *Figure {
	most := 0
	for _, b := range bags {
		most = max(most, len(b.Images))
	}
	g := imageGrid{rows: rows, columns: columns, shading: s}
	width := figureWidth - 2*margin + imageGap
	side := max(min(width/vg.Length(most)-imageGap, imageMost), imageLeast)
	scale := side / vg.Length(max(rows, columns))
	g.size = vg.Point{X: vg.Length(columns) * scale, Y: vg.Length(rows) * scale}
	g.pitch = vg.Point{X: side + imageGap, Y: g.size.Y + 3 + weightBar + weightText + 3}
	g.across = int(width / g.pitch.X)

	var height vg.Length
	for _, b := range bags {
		height += g.height(b)
	}
	entries := []entry{{label: value + ", a full bar is " + g.shortly(g.high), line: draw.LineStyle{Color: colour(0), Width: weightBar}}}
	if slices.ContainsFunc(bags, func(b ImageBag) bool { return b.Winner }) {
		mark := draw.GlyphStyle{Color: colour(1), Radius: 4, Shape: polygon{4, math.Pi / 4, true}}
		entries = slices.Insert(entries, 0, entry{label: "largest " + value + " of its bag", glyph: mark})
	}
	return newDrawing(title, entries, figureWidth, height, func(c *draw.Canvas) {
		top := c.Max.Y
		for _, b := range bags {
			g.draw(c, b, top)
			top -= g.height(b)
		}
	})
}

// checkBags reports why bags cannot be drawn; a value may be refused by checkValue.
func checkBags(rows, columns int, bags []ImageBag, checkValue func(float64) error) error {
	if rows < 1 || columns < 1 || max(rows, columns) > mostPixels {
		return fmt.Errorf("images of %d × %d pixels; a side has 1 to %d", rows, columns, mostPixels)
	}
	if len(bags) == 0 {
		return errors.New("there are no bags")
	}
	n := 0
	for i, b := range bags {
		if err := b.check(rows*columns, checkValue); err != nil {
			return fmt.Errorf("bag %d: %w", i+1, err)
		}
		n += len(b.Images)
	}
	if n > mostImages {
		return fmt.Errorf("%d images; at most %d fit in a figure", n, mostImages)
	}
	return nil
}

// imageGrid describes how the bags of a figure are drawn.
type imageGrid struct {
	shading                        // scale of the values
	rows, columns, across int      // pixels per image, and images per line
	size, pitch           vg.Point // size of an image, and distance to the next
}

// height returns the height of a bag.
func (g imageGrid) height(b ImageBag) vg.Length {
	lines := (len(b.Images) + g.across - 1) / g.across
	h := vg.Length(lines)*g.pitch.Y + bagGap
	if b.Name != "" {
		h += bagHead
	}
	return h
}

// draw paints a bag downwards from top.
func (g imageGrid) draw(c *draw.Canvas, b ImageBag, top vg.Length) {
	if b.Name != "" {
		name := aligned(bold(9), draw.XLeft)
		c.FillText(name, vg.Point{X: c.Min.X, Y: top - bagHead/2 + 2}, fit(name, b.Name, c.Max.X-c.Min.X))
		top -= bagHead
	}
	var won []int
	if b.Winner {
		won = winners(b.Values)
	}
	for i, pixels := range b.Images {
		corner := vg.Point{X: c.Min.X + vg.Length(i%g.across)*g.pitch.X, Y: top - vg.Length(i/g.across)*g.pitch.Y}
		middle, side := corner.X+(g.pitch.X-imageGap)/2, g.pitch.X-imageGap
		r := box(middle-g.size.X/2, corner.Y-g.size.Y, middle+g.size.X/2, corner.Y)
		c.DrawImage(r, g.image(pixels))
		edge, text, says := draw.LineStyle{Color: muted, Width: 0.4}, plain(imageText), g.shortly(b.Values[i])
		if slices.Contains(won, i) {
			edge, text = draw.LineStyle{Color: colour(1), Width: 1.8}, bold(imageText)
		}
		if b.Labels != nil && (!b.Winner || slices.Contains(won, i)) {
			says = ": " + says
			says = fit(text, b.Labels[i], side-text.Width(says)) + says
		}
		frame(c, edge, r)

		bar := box(corner.X, r.Min.Y-3-weightBar, corner.X+side, r.Min.Y-3)
		fill(c, rule, bar)
		bar.Max.X = bar.Min.X + vg.Length(b.Values[i]/g.high)*side
		fill(c, colour(0), bar)
		c.FillText(aligned(text, draw.XCenter), vg.Point{X: middle, Y: bar.Min.Y - weightText/2}, says)
	}
}

// image returns an image scaled up to print resolution, so that no viewer blurs the pixels.
func (g imageGrid) image(pixels []float64) image.Image {
	k := int(math.Ceil(max(g.size.X, g.size.Y).Dots(dotsPerInch) / float64(max(g.rows, g.columns))))
	m := image.NewGray(image.Rect(0, 0, k*g.columns, k*g.rows))
	for y := range k * g.rows {
		for x := range k * g.columns {
			m.SetGray(x, y, color.Gray{Y: uint8(math.Round(255 * (1 - pixels[y/k*g.columns+x/k])))})
		}
	}
	return m
}
