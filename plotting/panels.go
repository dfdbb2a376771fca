package plotting

import (
	"errors"
	"fmt"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panels draws plots from top to bottom, spaced as tiles says, with aligned data areas of equal height.
func panels(tiles draw.Tiles, plots ...*plot.Plot) drawing {
	tiles.Rows, tiles.Cols = len(plots), 1
	var rows [][]*plot.Plot
	for _, p := range plots {
		rows = append(rows, []*plot.Plot{p})
	}
	return func(c *draw.Canvas) {
		cells := plot.Align(rows, tiles, *c)
		for i, row := range rows {
			row[0].Draw(cells[i][0])
		}
	}
}

// unlabelled removes the labels from the horizontal axis of a panel above another with the same axis. They become spaces,
// because ticks without a label count as minor ones.
func unlabelled(a *plot.Axis) {
	a.Label.Text = ""
	ticks := a.Tick.Marker.Ticks(a.Min, a.Max)
	blank := make(plot.ConstantTicks, 0, len(ticks))
	for _, t := range ticks {
		if !t.IsMinor() {
			t.Label = " "
		}
		blank = append(blank, t)
	}
	a.Tick.Marker = blank
}

// Measures and limits of panels side by side.
const (
	tileHead        = 13 * vg.Length(1)
	tilesApart      = 4 * vg.Length(1)
	mostTileColumns = 4
	mostTileRows    = 12
)

// checkTiles reports numbers of panels or columns that do not fit in a figure.
func checkTiles(panels, columns int) error {
	if panels == 0 {
		return errors.New("there are no panels")
	}
	if columns < 1 || columns > mostTileColumns || panels > columns*mostTileRows {
		return fmt.Errorf("%d panels in %d columns; 1 to %d columns of at most %d panels fit in a figure", panels, columns, mostTileColumns, mostTileRows)
	}
	return nil
}

// tiled returns a figure of plots in the given number of columns, each under its name, with data areas of the same height.
func tiled(title string, entries []entry, columns int, height vg.Length, names []string, plots []*plot.Plot) *Figure {
	lines := (len(plots) + columns - 1) / columns
	rows := make([][]*plot.Plot, lines)
	for i := range rows {
		rows[i] = make([]*plot.Plot, columns)
		copy(rows[i], plots[i*columns:])
	}
	whole := vg.Length(lines)*(height+tileHead) + vg.Length(lines-1)*tilesApart + 34
	tiles := draw.Tiles{Rows: lines, Cols: columns, PadTop: tileHead, PadX: 8, PadY: tilesApart + tileHead}
	return newDrawing(title, entries, figureWidth, whole, func(c *draw.Canvas) {
		for i, row := range plot.Align(rows, tiles, *c) {
			for j, canvas := range row {
				p := rows[i][j]
				if p == nil {
					continue
				}
				p.Draw(canvas)
				data := p.DataCanvas(canvas)
				head := aligned(style(8.5, stdfont.WeightNormal), draw.XLeft)
				name := fit(head, names[i*columns+j], data.Max.X-data.Min.X)
				canvas.FillText(head, vg.Point{X: data.Min.X, Y: data.Max.Y + tileHead/2}, name)
			}
		}
	})
}
