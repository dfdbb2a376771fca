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
func ConvergencePanels(title string, columns int, cases []ConvergencePanel) (f *Figure, err error) {
	defer about(&err, "drawing panels of convergence")
	if err := checkTiles(len(cases), columns); err != nil {
		return nil, err
	}
	var all []float64
	var entries []entry
	steps := 0
	for i, c := range cases {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("panel %d, %s: %w", i+1, c.Name, err)
		}
		all = slices.Concat(all, slices.Concat(c.Orders...))
		steps = max(steps, len(c.Orders)-1)
		for k := len(entries); k < len(c.Orders[0]); k++ {
			entries = append(entries, entry{label: component(k), line: line(k)})
		}
	}
	var names []string
	var plots []*plot.Plot
	for i, c := range cases {
		p := newPlot("Step", "Order parameter")
		countAxis(&p.X, 0, steps)
		p.X.Tick.Marker = ticksUpTo(5, p.X.Min, p.X.Max, true)
		p.Y.Min, p.Y.Max = span(slices.Min(all), slices.Max(all))
		p.Y.Tick.Marker = ticksUpTo(5, p.Y.Min, p.Y.Max, false)
		p.Y.Label.TextStyle.Font.Size, p.X.Label.TextStyle.Font.Size = 8.5, 8.5
		if i+columns < len(cases) {
			unlabelled(&p.X)
		}
		if i%columns > 0 {
			p.Y.Label.Text = ""
		}
		p.Add(grid(true, true))
		for k := range c.Orders[0] {
			points := counted(0, make([]float64, len(c.Orders)))
			for step, orders := range c.Orders {
				points[step].Y = orders[k]
			}
			curve, _ := trace("", points, k)
			p.Add(curve)
		}
		names, plots = append(names, c.Name), append(plots, p)
	}
	return tiled(title, entries, columns, caseHeight, names, plots), nil
}

// component returns the name of an order parameter.
func component(k int) string { return "ξ" + subscript(k+1) }

// check reports why order parameters cannot be drawn.
func (c ConvergencePanel) check() error {
	if len(c.Orders) == 0 || len(c.Orders[0]) == 0 {
		return errors.New("there are no order parameters")
	}
	if n := len(c.Orders[0]); n > mostCurves {
		return fmt.Errorf("%d components are too many to tell apart; draw at most %d", n, mostCurves)
	}
	for step, orders := range c.Orders {
		if len(orders) != len(c.Orders[0]) {
			return fmt.Errorf("step %d: %d order parameters, step 0 has %d", step, len(orders), len(c.Orders[0]))
		}
		for k, v := range orders {
			if err := drawable(v); err != nil {
				return fmt.Errorf("step %d: %s: %w", step, component(k), err)
			}
		}
	}
	return nil
}
