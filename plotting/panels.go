package plotting

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panels draws plots in columns, row by row, spaced as tiles says, with aligned data areas of equal height. Over each data
// area there is a name, if there are names.
func panels(tiles draw.Tiles, plots []*plot.Plot, names []string) func(c *draw.Canvas) {
	tiles.Rows = (len(plots) + tiles.Cols - 1) / tiles.Cols
	rows := make([][]*plot.Plot, tiles.Rows)
	for i := range rows {
		rows[i] = make([]*plot.Plot, tiles.Cols)
		copy(rows[i], plots[i*tiles.Cols:])
	}
	return func(c *draw.Canvas) {
		cells := plot.Align(rows, tiles, *c)
		for i, p := range plots {
			cell := cells[i/tiles.Cols][i%tiles.Cols]
			p.Draw(cell)
			if names != nil {
				data, head := p.DataCanvas(cell), aligned(plain(8.5), draw.XLeft)
				cell.FillText(head, vg.Point{X: data.Min.X, Y: data.Max.Y + tileHead/2}, fit(head, names[i], data.Max.X-data.Min.X))
			}
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
	rows := vg.Length((len(plots) + columns - 1) / columns)
	tiles := draw.Tiles{Cols: columns, PadTop: tileHead, PadX: 8, PadY: tilesApart + tileHead}
	return newDrawing(title, entries, figureWidth, rows*(height+tileHead)+(rows-1)*tilesApart+34, panels(tiles, plots, names))
}
