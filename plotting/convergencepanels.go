package plotting

import (
	"errors"
	"fmt"
	"slices"

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

// orderCurves checks order parameters and returns one curve per component, with default names if names is nil.
func orderCurves(names []string, orders [][]float64) ([]string, [][]float64, error) {
	if len(orders) == 0 || len(orders[0]) == 0 {
		return nil, nil, errors.New("there are no order parameters")
	}
	if names == nil {
		for k := range orders[0] {
			names = append(names, "ξ"+subscript(k+1))
		}
	}
	if len(names) != len(orders[0]) {
		return nil, nil, fmt.Errorf("%d names but %d order parameters", len(names), len(orders[0]))
	}
	if err := labelled("component", names); err != nil {
		return nil, nil, err
	}
	curves := make([][]float64, len(names))
	for step, order := range orders {
		if len(order) != len(names) {
			return nil, nil, fmt.Errorf("step %d: %d order parameters, step 0 has %d", step, len(order), len(names))
		}
		for k, v := range order {
			if err := drawable(v); err != nil {
				return nil, nil, fmt.Errorf("step %d: %s: %w", step, names[k], err)
			}
			curves[k] = append(curves[k], v)
		}
	}
	return names, curves, nil
}

// extremes returns the smallest and the largest value of curves.
func extremes(curves [][]float64) (low, high float64) {
	low, high = curves[0][0], curves[0][0]
	for _, c := range curves {
		low, high = min(low, slices.Min(c)), max(high, slices.Max(c))
	}
	return low, high
}
