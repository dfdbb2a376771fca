package plotting

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"synpool/internal/disk"
)

// Format is a file format of figures.
type Format string

// The formats, named by their file extensions.
const (
	PNG Format = "png"
	SVG Format = "svg"
	PDF Format = "pdf"
)

// Figure is a drawing of a fixed size: a title, a legend below it, and a plot.
type Figure struct {
	title  []string // its lines
	legend []row
	plot   *plot.Plot

	width, height vg.Length
}

// newFigure lays out a figure whose plot, including axes, has the given height.
func newFigure(title string, entries []entry, p *plot.Plot, width, height vg.Length) *Figure {
	f := &Figure{
		title:  wrap(titleStyle(), title, width-2*margin),
		legend: arrange(entries, width-2*margin),
		plot:   p,
		width:  width,
	}
	f.height = 2*margin + titleHeight(f.title) + legendHeight(f.legend) + height
	return f
}

// painting draws on a canvas with the axes of a plot.
type painting func(c *draw.Canvas, p *plot.Plot)

// Plot implements [plot.Plotter].
func (d painting) Plot(c draw.Canvas, p *plot.Plot) { d(&c, p) }

// newDrawing lays out a figure without axes, whose body is painted on a canvas of the size width - 2 margin by height.
func newDrawing(title string, entries []entry, width, height vg.Length, body func(c *draw.Canvas)) *Figure {
	p := newPlot("", "")
	p.HideAxes()
	p.Add(painting(func(c *draw.Canvas, _ *plot.Plot) { body(c) }))
	return newFigure(title, entries, p, width, height)
}

// draw paints the figure.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	s := titleStyle()
	for i, l := range f.title {
		c.FillText(s, vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Length(i)*s.FontExtents().Height}, l)
	}
	c.Max.Y -= titleHeight(f.title)
	drawLegend(c, f.legend)
	c.Max.Y -= legendHeight(f.legend)
	f.plot.Draw(c)
}

// pixels paints the figure with a resolution in dots per inch.
func (f *Figure) pixels(resolution int) *vgimg.Canvas {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(resolution))
	f.draw(draw.New(c))
	return c
}

// Write writes the figure to w in the given format.
func (f *Figure) Write(w io.Writer, format Format) error {
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case PNG:
		_, err := vgimg.PngCanvas{Canvas: f.pixels(dotsPerInch)}.WriteTo(w)
		return err
	case SVG:
		canvas = newSVG(f.width, f.height)
	case PDF:
		canvas = outlined{vgpdf.New(f.width, f.height)}
	default:
		return fmt.Errorf("a figure cannot be written as %q; use png, svg or pdf", format)
	}
	f.draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

// Save writes the figure to a file in the format of its extension: .png, .svg or .pdf. An existing file is replaced only
// once the new one is complete.
func (f *Figure) Save(path string) error {
	format := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")))
	if !slices.Contains([]Format{PNG, SVG, PDF}, format) {
		return fmt.Errorf("saving the figure %s: the extension must be .png, .svg or .pdf", path)
	}
	if err := disk.Write(path, func(w io.Writer) error { return f.Write(w, format) }); err != nil {
		return fmt.Errorf("saving the figure %s: %w", path, err)
	}
	return nil
}

// titleHeight returns the space that the lines of a title take, with the gap below.
func titleHeight(lines []string) vg.Length {
	if len(lines) == 0 {
		return 0
	}
	return vg.Length(len(lines))*titleStyle().FontExtents().Height + gap
}

// wrap breaks a title into lines no wider than width.
func wrap(s text.Style, title string, width vg.Length) []string {
	var lines []string
	for _, word := range strings.Fields(title) {
		if n := len(lines) - 1; n >= 0 && s.Width(lines[n]+" "+word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, fit(s, word, width))
		}
	}
	return lines
}

// fit puts a label on one line, and replaces its middle by an ellipsis if it is wider than width.
func fit(s text.Style, label string, width vg.Length) string {
	label = strings.Join(strings.Fields(label), " ")
	runes := []rune(label)
	if len(runes) < 2 || s.Width(label) <= width {
		return label
	}
	keep := func(n int) string { return string(runes[:(n+1)/2]) + "…" + string(runes[len(runes)-n/2:]) }
	return keep(1 + sort.Search(len(runes)-2, func(n int) bool { return s.Width(keep(n+2)) > width }))
}
