package plotting

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// matrix is a table of values, drawn as shaded cells with the first row on top.
type matrix struct {
	values        [][]float64 // NaN leaves its cell empty
	rows, columns []string    // names; nil for numbers from 1
	row, column   string      // names for one row and one column
	square        bool        // cells are square

	bar     string // label of the colour bar
	shades  shading
	least   vg.Length  // width of a cell
	most    vg.Length  // maximum width of a cell; 0 for mostWidth
	longest vg.Length  // maximum length of a row name; 0 for cellName
	wide    vg.Length  // minimum width of the figure; 0 for leastFigure
	texts   [][]string // texts in the cells; nil for the values
	marked  [][]bool   // cells to frame and set in bold; nil for none
	entries []entry    // entries of the legend
}

// check reports why a matrix cannot be drawn.
func (m matrix) check() error {
	if len(m.values) == 0 || len(m.values[0]) == 0 {
		return fmt.Errorf("there are no %s values", m.bar)
	}
	for i, row := range m.values {
		if len(row) != len(m.values[0]) {
			return fmt.Errorf("%s 1 has %d %s values but %s %d has %d", m.row, len(m.values[0]), m.bar, m.row, i+1, len(row))
		}
	}
	return cmp.Or(checkNames(m.row, m.rows, len(m.values), mostRows), checkNames(m.column, m.columns, len(m.values[0]), mostColumns))
}

// capital turns the name of a row or column into the form for axes.
func capital(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }

// Limits and measures of a matrix.
const (
	mostRows    = 100
	mostColumns = 400
	cellHeight  = 20 * vg.Length(1)
	leastHeight = 10 * vg.Length(1)
	mostWidth   = 32 * vg.Length(1)
	namedWidth  = 9 * vg.Length(1)  // minimum width of a cell whose column has a name
	leaning     = 13 * vg.Length(1) // minimum width at which names are slanted instead of vertical
	cellName    = 1.4 * vg.Inch     // maximum length of a name
	nameGap     = 4 * vg.Length(1)
	overlap     = 0.5 * vg.Length(1)
	barGap      = 14 * vg.Length(1)
	barHeight   = 72 * vg.Length(1)  // minimum
	barMost     = 200 * vg.Length(1) // maximum
	leastFigure = 3 * vg.Inch        // minimum width of the figure
)

// layout has the positions of the parts of a matrix, measured from its top left corner to the right and downwards.
type layout struct {
	rows, columns []string // labels, "" where one is left out
	names, label  text.Style
	angle         float64   // of the columns' names
	left, top     vg.Length // of the cells
	cell          vg.Point
	ticks         plot.ConstantTicks // of the colour bar
	bar           vg.Rectangle
	right         vg.Length // of the cells, for the colour bar
	width, height vg.Length
}

// labels returns the names, or numbers from 1, cut to fit a width.
func labels(s text.Style, names []string, n int, width vg.Length) []string {
	out := make([]string, n)
	for i := range out {
		if names == nil {
			out[i] = strconv.Itoa(i + 1)
		} else {
			out[i] = fit(s, names[i], width)
		}
	}
	return out
}

// thin keeps only the numbers that are multiples of a round step, which fits the pitch.
func thin(s text.Style, numbers []string, pitch vg.Length) {
	every := roundStep(pitch, widest(s, numbers)+nameGap)
	for i := range numbers {
		if (i+1)%every != 0 {
			numbers[i] = ""
		}
	}
}

// layout computes the positions.
func (m matrix) layout() layout {
	l := layout{names: plain(9), label: plain(10), ticks: m.shades.ticks()}
	l.rows = labels(l.names, m.rows, len(m.values), cmp.Or(m.longest, cellName))
	l.left = l.label.Font.Size + 2*nameGap + widest(l.names, l.rows) + nameGap

	var bar []string
	for _, t := range l.ticks {
		bar = append(bar, t.Label)
	}
	l.right = barGap + barSize + barTick + nameGap + widest(l.names, bar) + 2*nameGap + l.label.Font.Size
	n := vg.Length(len(m.values[0]))
	l.cell.X = min((figureWidth-2*margin-l.left-l.right)/n, cmp.Or(m.most, mostWidth))
	if m.columns != nil {
		l.cell.X = max(l.cell.X, namedWidth)
	}
	l.cell.X = max(l.cell.X, m.least)
	l.cell.Y = max(min(cellHeight, 480/vg.Length(len(m.values))), leastHeight)
	if m.square {
		l.cell.Y = l.cell.X
	}
	if min(l.cell.X, l.cell.Y) < 11 {
		l.names.Font.Size = 7.5
	}

	l.columns = labels(l.names, m.columns, len(m.values[0]), cellName)
	if m.columns == nil {
		thin(l.names, l.columns, l.cell.X)
	}
	wide, size := widest(l.names, l.columns), l.names.Font.Size
	high, past := size, vg.Length(0) // of the names of columns, and how far they reach over the cells on the right
	switch {
	case m.columns == nil || wide+nameGap <= l.cell.X:
	case l.cell.X >= leaning:
		l.angle = math.Pi / 4
		for i, name := range l.columns {
			reach := l.names.Width(name)*math.Sqrt2/2 + size/2
			high, past = max(high, reach), max(past, reach-(n-vg.Length(i)-0.5)*l.cell.X)
		}
	default:
		l.angle, high = math.Pi/2, wide
	}
	l.top = l.label.Font.Size + nameGap + high + nameGap

	cells := vg.Point{X: n * l.cell.X, Y: vg.Length(len(m.values)) * l.cell.Y}
	l.bar.Min = vg.Point{X: l.left + cells.X + barGap, Y: l.top}
	l.bar.Max = vg.Point{X: l.bar.Min.X + barSize, Y: l.top + min(max(cells.Y, barHeight), barMost)}
	l.width = l.left + cells.X + max(l.right, past+nameGap)
	l.height = max(l.top+cells.Y, l.bar.Max.Y) + nameGap
	return l
}

// figure draws the matrix.
func (m matrix) figure(title string) (*Figure, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	l := m.layout()
	return newDrawing(title, m.entries, max(l.width+2*margin, cmp.Or(m.wide, leastFigure)), l.height, func(c *draw.Canvas) { m.draw(c, l) }), nil
}

// draw paints the matrix from the top left corner of c.
func (m matrix) draw(c *draw.Canvas, l layout) {
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: c.Min.X + x, Y: c.Max.Y - y} }
	size := vg.Point{X: vg.Length(len(m.values[0])) * l.cell.X, Y: vg.Length(len(m.values)) * l.cell.Y}
	all := vg.Rectangle{Min: at(l.left, l.top+size.Y), Max: at(l.left+size.X, l.top)}

	// Each cell slightly overlaps the cells painted after it, so that no seam shows.
	for i, row := range m.values {
		for j, w := range row {
			r := vg.Rectangle{Max: vg.Point{X: all.Min.X + vg.Length(j+1)*l.cell.X + overlap, Y: all.Max.Y - vg.Length(i)*l.cell.Y}}
			r.Min = r.Max.Sub(l.cell).Sub(vg.Point{X: overlap, Y: overlap})
			r.Max.X, r.Min.Y = min(r.Max.X, all.Max.X), max(r.Min.Y, all.Min.Y)
			fill(c, m.shade(w), r)
		}
	}
	if min(l.cell.X, l.cell.Y) >= 6 {
		lines := draw.LineStyle{Color: color.White, Width: 0.6}
		for j := 1; j < len(m.values[0]); j++ {
			x := all.Min.X + vg.Length(j)*l.cell.X
			c.StrokeLine2(lines, x, all.Min.Y, x, all.Max.Y)
		}
		for i := 1; i < len(m.values); i++ {
			y := all.Max.Y - vg.Length(i)*l.cell.Y
			c.StrokeLine2(lines, all.Min.X, y, all.Max.X, y)
		}
	}
	frame(c, draw.LineStyle{Color: muted, Width: 0.5}, all)
	for i, row := range m.marked {
		for j, marked := range row {
			if marked {
				r := vg.Rectangle{Max: vg.Point{X: all.Min.X + vg.Length(j+1)*l.cell.X - 1, Y: all.Max.Y - vg.Length(i)*l.cell.Y - 1}}
				r.Min = r.Max.Sub(l.cell).Add(vg.Point{X: 2, Y: 2})
				frame(c, mark(), r)
			}
		}
	}
	m.drawValues(c, l.cell, vg.Point{X: all.Min.X, Y: all.Max.Y})

	// The names of rows on the left, those of columns on top.
	for i, name := range l.rows {
		c.FillText(aligned(l.names, draw.XRight), at(l.left-nameGap, l.top+(vg.Length(i)+0.5)*l.cell.Y), name)
	}
	columns := aligned(l.names, draw.XCenter)
	base := l.top - nameGap - l.names.Font.Size/2
	if l.angle > 0 {
		columns = turned(aligned(l.names, draw.XLeft), l.angle)
		base = l.top - nameGap
	}
	for j, name := range l.columns {
		c.FillText(columns, at(l.left+(vg.Length(j)+0.5)*l.cell.X, base), name)
	}
	c.FillText(aligned(l.label, draw.XCenter), at(l.left+size.X/2, l.label.Font.Size/2), capital(m.column))
	c.FillText(turned(aligned(l.label, draw.XCenter), math.Pi/2), at(l.label.Font.Size/2, l.top+size.Y/2), capital(m.row))

	tick := draw.LineStyle{Color: muted, Width: 0.5}
	m.shades.drawScale(c, vg.Rectangle{Min: at(l.bar.Min.X, l.bar.Max.Y), Max: at(l.bar.Max.X, l.bar.Min.Y)}, tick, m.bar, c.Min.X+l.left+size.X+l.right)
}

// shade returns the colour of a cell.
func (m matrix) shade(v float64) color.Color {
	if math.IsNaN(v) {
		return color.White
	}
	return m.shades.at(v)
}

// written returns the text of a cell.
func (m matrix) written(i, j int) string {
	switch v := m.values[i][j]; {
	case m.texts != nil:
		return m.texts[i][j]
	case math.IsNaN(v):
		return "–"
	default:
		return m.shades.shortly(v)
	}
}

// mark returns the stroke around marked cells.
func mark() draw.LineStyle { return draw.LineStyle{Color: colour(1), Width: 1.5} }

// drawValues writes the values into the cells, beginning at the top left corner, if the widest fits.
func (m matrix) drawValues(c *draw.Canvas, cell, corner vg.Point) {
	text := plain(8)
	widest := text.Width("0") // a cell narrower than a figure is not measured
	if cell.X < widest {
		return
	}
	for i, row := range m.values {
		for j := range row {
			widest = max(widest, text.Width(m.written(i, j)))
		}
	}
	if room := (cell.X - 3) / widest; room < 1 {
		text.Font.Size *= room
	}
	if text.Font.Size < 6 || cell.Y < text.Font.Size+2 {
		return
	}
	for i, row := range m.values {
		for j, v := range row {
			as := aligned(text, draw.XCenter)
			if m.marked != nil && m.marked[i][j] {
				as = aligned(bold(text.Font.Size), draw.XCenter)
			}
			as.Color = inkOn(m.shade(v))
			c.FillText(as, vg.Point{X: corner.X + (vg.Length(j)+0.5)*cell.X, Y: corner.Y - (vg.Length(i)+0.5)*cell.Y}, m.written(i, j))
		}
	}
}
