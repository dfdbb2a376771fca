package plotting

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// matrix is a table of weights, drawn as shaded cells with the first row on top.
type matrix struct {
	weights       [][]float64
	rows, columns []string // names; nil for numbers from 1
	row, column   string   // names for one row and one column
	square        bool     // cells are square

	shades  *shading   // nil for a scale that covers the weights and 0
	bar     string     // label of the colour bar; "" for weights
	least   vg.Length  // width of a cell
	most    vg.Length  // maximum width of a cell; 0 for mostWidth
	longest vg.Length  // maximum length of a row name; 0 for cellName
	wide    vg.Length  // minimum width of the figure; 0 for leastFigure
	gaps    bool       // a NaN leaves its cell empty
	texts   [][]string // texts in the cells; nil for the weights
	marked  [][]bool   // cells to frame and set in bold; nil for none
	entries []entry    // entries of the legend
}

// Limits of a matrix.
const (
	mostRows    = 100
	mostNamed   = 100 // columns that have names
	mostColumns = 400
)

// check reports why a matrix cannot be drawn.
func (m matrix) check() error {
	if len(m.weights) == 0 || len(m.weights[0]) == 0 {
		return fmt.Errorf("there are no %s", m.values())
	}
	for i, row := range m.weights {
		if len(row) != len(m.weights[0]) {
			return fmt.Errorf("%s 1 has %d %s but %s %d has %d", m.row, len(m.weights[0]), m.values(), m.row, i+1, len(row))
		}
		for j, w := range row {
			if err := drawable(w); err != nil && !(m.gaps && math.IsNaN(w)) {
				return fmt.Errorf("%s %d, %s %d: %w", m.row, i+1, m.column, j+1, err)
			}
		}
	}
	for _, side := range []struct {
		what        string
		names       []string
		n           int
		most, named int
	}{
		{m.row, m.rows, len(m.weights), mostRows, mostRows},
		{m.column, m.columns, len(m.weights[0]), mostColumns, mostNamed},
	} {
		if side.names != nil && len(side.names) != side.n {
			return fmt.Errorf("%d names but the %s have %d of %s", len(side.names), m.values(), side.n, plural(side.what))
		}
		if side.n > side.most {
			return fmt.Errorf("%d %s; at most %d can be told apart", side.n, plural(side.what), side.most)
		}
		if side.names != nil && side.n > side.named {
			return fmt.Errorf("%d names of %s; at most %d can be read; leave the names out", side.n, plural(side.what), side.named)
		}
	}
	return nil
}

// values returns the word for the weights in errors.
func (m matrix) values() string {
	if m.bar == "" {
		return "weights"
	}
	return m.bar + " values"
}

// plural and capital turn the name of a row or column into the form for errors and axes.
func plural(noun string) string  { return noun + "s" }
func capital(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }

// Measures of a matrix.
const (
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

// thin keeps only the numbers that are multiples of 1, 2, 5, 10, ..., whichever step first fits the pitch.
func thin(s text.Style, numbers []string, pitch vg.Length) {
	room := widest(s, numbers) + nameGap
	every := 1
	for i := 0; vg.Length(every)*pitch < room && every < len(numbers); i++ {
		every = []int{2, 5, 10}[i%3] * int(math.Pow10(i/3))
	}
	for i := range numbers {
		if (i+1)%every != 0 {
			numbers[i] = ""
		}
	}
}

// layout computes the positions.
func (m matrix) layout(s shading) layout {
	l := layout{names: style(9, stdfont.WeightNormal), label: style(10, stdfont.WeightNormal), ticks: s.ticks()}
	l.rows = labels(l.names, m.rows, len(m.weights), cmp.Or(m.longest, cellName))
	l.left = l.label.Font.Size + 2*nameGap + widest(l.names, l.rows) + nameGap

	var bar []string
	for _, t := range l.ticks {
		bar = append(bar, t.Label)
	}
	l.right = barGap + barSize + barTick + nameGap + widest(l.names, bar) + 2*nameGap + l.label.Font.Size
	n := vg.Length(len(m.weights[0]))
	l.cell.X = min((figureWidth-2*margin-l.left-l.right)/n, cmp.Or(m.most, mostWidth))
	if m.columns != nil {
		l.cell.X = max(l.cell.X, namedWidth)
	}
	l.cell.X = max(l.cell.X, m.least)
	l.cell.Y = max(min(cellHeight, 480/vg.Length(len(m.weights))), leastHeight)
	if m.square {
		l.cell.Y = l.cell.X
	}
	if min(l.cell.X, l.cell.Y) < 11 {
		l.names.Font.Size = 7.5
	}

	l.columns = labels(l.names, m.columns, len(m.weights[0]), cellName)
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

	cells := vg.Point{X: n * l.cell.X, Y: vg.Length(len(m.weights)) * l.cell.Y}
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
	if m.bar == "" {
		m.bar = "Weight"
	}
	if m.shades == nil {
		s := shadingOf(m.weights...)
		m.shades = &s
	}
	s := *m.shades
	l := m.layout(s)
	return newDrawing(title, m.entries, max(l.width+2*margin, cmp.Or(m.wide, leastFigure)), l.height, func(c *draw.Canvas) { m.draw(c, s, l) }), nil
}

// draw paints the matrix from the top left corner of c.
func (m matrix) draw(c *draw.Canvas, s shading, l layout) {
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: c.Min.X + x, Y: c.Max.Y - y} }
	size := vg.Point{X: vg.Length(len(m.weights[0])) * l.cell.X, Y: vg.Length(len(m.weights)) * l.cell.Y}
	all := vg.Rectangle{Min: at(l.left, l.top+size.Y), Max: at(l.left+size.X, l.top)}

	// Each cell slightly overlaps the cells painted after it, so that no seam shows.
	for i, row := range m.weights {
		for j, w := range row {
			r := vg.Rectangle{Max: vg.Point{X: all.Min.X + vg.Length(j+1)*l.cell.X + overlap, Y: all.Max.Y - vg.Length(i)*l.cell.Y}}
			r.Min = r.Max.Sub(l.cell).Sub(vg.Point{X: overlap, Y: overlap})
			r.Max.X, r.Min.Y = min(r.Max.X, all.Max.X), max(r.Min.Y, all.Min.Y)
			fill(c, m.shade(s, w), r)
		}
	}
	if min(l.cell.X, l.cell.Y) >= 6 {
		lines := draw.LineStyle{Color: color.White, Width: 0.6}
		for j := 1; j < len(m.weights[0]); j++ {
			x := all.Min.X + vg.Length(j)*l.cell.X
			c.StrokeLine2(lines, x, all.Min.Y, x, all.Max.Y)
		}
		for i := 1; i < len(m.weights); i++ {
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
	m.drawValues(c, s, l.cell, vg.Point{X: all.Min.X, Y: all.Max.Y})

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

	bar := vg.Rectangle{Min: at(l.bar.Min.X, l.bar.Max.Y), Max: at(l.bar.Max.X, l.bar.Min.Y)}
	s.drawBar(c, bar, true)
	for _, t := range l.ticks {
		y := bar.Min.Y + vg.Length((t.Value-s.low)/(s.high-s.low))*bar.Size().Y
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.5}, bar.Max.X, y, bar.Max.X+barTick, y)
		c.FillText(aligned(style(9, stdfont.WeightNormal), draw.XLeft), vg.Point{X: bar.Max.X + barTick + 2, Y: y}, t.Label)
	}
	c.FillText(turned(aligned(l.label, draw.XCenter), math.Pi/2), vg.Point{X: c.Min.X + l.left + size.X + l.right - l.label.Font.Size/2, Y: (bar.Min.Y + bar.Max.Y) / 2}, m.bar)
}

// shade returns the colour of a cell.
func (m matrix) shade(s shading, w float64) color.Color {
	if m.gaps && math.IsNaN(w) {
		return color.White
	}
	return s.at(w)
}

// written returns the text of a cell.
func (m matrix) written(s shading, i, j int) string {
	if m.texts != nil {
		return m.texts[i][j]
	}
	w := m.weights[i][j]
	if m.gaps && math.IsNaN(w) {
		return "–"
	}
	return s.shortly(w)
}

// mark returns the stroke around marked cells.
func mark() draw.LineStyle { return draw.LineStyle{Color: colour(1), Width: 1.5} }

// drawValues writes the values into the cells, beginning at the top left corner, if the widest fits.
func (m matrix) drawValues(c *draw.Canvas, s shading, cell, corner vg.Point) {
	text := style(8, stdfont.WeightNormal)
	widest := text.Width("0") // a cell narrower than a figure is not measured
	if cell.X < widest {
		return
	}
	for i, row := range m.weights {
		for j := range row {
			widest = max(widest, text.Width(m.written(s, i, j)))
		}
	}
	if room := (cell.X - 3) / widest; room < 1 {
		text.Font.Size *= room
	}
	if text.Font.Size < 6 || cell.Y < text.Font.Size+2 {
		return
	}
	text = aligned(text, draw.XCenter)
	bold := aligned(style(text.Font.Size, stdfont.WeightBold), draw.XCenter)
	for i, row := range m.weights {
		for j, w := range row {
			as := text
			if m.marked != nil && m.marked[i][j] {
				as = bold
			}
			as.Color = inkOn(m.shade(s, w))
			c.FillText(as, vg.Point{X: corner.X + (vg.Length(j)+0.5)*cell.X, Y: corner.Y - (vg.Length(i)+0.5)*cell.Y}, m.written(s, i, j))
		}
	}
}
