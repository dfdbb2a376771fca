package plotting

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// ConvergencePanel is one case of convergence.
type ConvergencePanel struct {
	Name   string      // drawn over the panel
	Orders [][]float64 // order parameters by step and component; step 0 is the start
}

// caseHeight is the height of a panel's data area.
const caseHeight = 84 * vg.Length(1)

// ConvergencePanels draws cases of convergence in panels with the same axes, in the given number of columns. A component,
// ξ₁, ξ₂, …, has the same stroke in all panels.
func ConvergencePanels(title string, columns int, cases []ConvergencePanel) (*Figure, error) {
	f, err := convergencePanels(title, columns, cases)
	if err != nil {
		return nil, fmt.Errorf("drawing panels of convergence: %w", err)
	}
	return f, nil
}

func convergencePanels(title string, columns int, cases []ConvergencePanel) (*Figure, error) {
	if err := checkTiles(len(cases), columns); err != nil {
		return nil, err
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

	var names []string
	var plots []*plot.Plot
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
		names, plots = append(names, cases[i].Name), append(plots, p)
	}
	return tiled(title, entries, columns, caseHeight, names, plots), nil
}
