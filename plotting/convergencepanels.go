package plotting

import (
	"errors"
	"fmt"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ConvergencePanel is a case of convergence.
type ConvergencePanel struct {
	Name   string      // drawn over the panel
	Orders [][]float64 // order parameters by step and component, from step 0, where it begins
}

// Measures and bounds of the panels.
const (
	caseHeight      = 84 * vg.Length(1) // of the data
	caseHead        = 13 * vg.Length(1)
	caseApart       = 4 * vg.Length(1)
	mostCaseColumns = 4
	mostCaseRows    = 12
)

// ConvergencePanels draws cases of convergence side by side, that many columns of panels, on the same axes. A component,
// ξ₁, ξ₂, …, has the same stroke in all of them.
func ConvergencePanels(title string, columns int, cases []ConvergencePanel) (*Figure, error) {
	f, err := convergencePanels(title, columns, cases)
	if err != nil {
		return nil, fmt.Errorf("drawing panels of convergence: %w", err)
	}
	return f, nil
}

func convergencePanels(title string, columns int, cases []ConvergencePanel) (*Figure, error) {
	if len(cases) == 0 {
		return nil, errors.New("there are no panels")
	}
	if columns < 1 || columns > mostCaseColumns || len(cases) > columns*mostCaseRows {
		return nil, fmt.Errorf("%d panels in %d columns; 1 to %d columns of at most %d panels fit a figure", len(cases), columns, mostCaseColumns, mostCaseRows)
	}
	var low, high float64
	var entries []entry
	curves, steps := make([][][]float64, len(cases)), 0
	for i, c := range cases {
		names, values, err := orderCurves(nil, c.Orders)
		if err != nil {
			return nil, fmt.Errorf("panel %d, %s: %w", i+1, c.Name, err)
		}
		least, most := extremes(values)
		if i == 0 {
			low, high = least, most
		}
		low, high = min(low, least), max(high, most)
		curves[i], steps = values, max(steps, len(c.Orders)-1)
		for k := len(entries); k < len(names); k++ {
			entries = append(entries, entry{label: names[k], line: line(k)})
		}
	}

	lines := (len(cases) + columns - 1) / columns
	plots := make([][]*plot.Plot, lines)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
	}
	for i, values := range curves {
		p := newPlot("Step", "Order parameter")
		countAxis(&p.X, 0, steps)
		p.X.Tick.Marker = ticksUpTo(5, p.X.Min, p.X.Max, true)
		p.Y.Min, p.Y.Max = span(low, high)
		p.Y.Tick.Marker = ticksUpTo(5, p.Y.Min, p.Y.Max, false)
		p.Y.Label.TextStyle.Font.Size, p.X.Label.TextStyle.Font.Size = 8.5, 8.5
		if i+columns < len(cases) {
			unlabelled(&p.X)
		}
		if i%columns > 0 {
			p.Y.Label.Text = ""
		}
		p.Add(grid(true, true))
		for k, values := range values {
			p.Add(trace(counted(0, values), k))
		}
		plots[i/columns][i%columns] = p
	}
	height := vg.Length(lines)*(caseHeight+caseHead) + vg.Length(lines-1)*caseApart + 34
	tiles := draw.Tiles{Rows: lines, Cols: columns, PadTop: caseHead, PadX: 8, PadY: caseApart + caseHead}
	return newDrawing(title, entries, figureWidth, height, func(c *draw.Canvas) {
		for i, row := range plot.Align(plots, tiles, *c) {
			for j, canvas := range row {
				p := plots[i][j]
				if p == nil {
					continue
				}
				p.Draw(canvas)
				data := p.DataCanvas(canvas)
				head := aligned(style(8.5, stdfont.WeightNormal), draw.XLeft)
				name := fit(head, cases[i*columns+j].Name, data.Max.X-data.Min.X)
				canvas.FillText(head, vg.Point{X: data.Min.X, Y: data.Max.Y + caseHead/2}, name)
			}
		}
	}), nil
}
