package plotting

import (
	"errors"
	"fmt"
)

// Convergence draws order parameters over the steps of a network: orders[step][component] from step 0, where it begins,
// a curve for each component. Without names, nil, they are ξ₁, ξ₂, …
func Convergence(title string, names []string, orders [][]float64) (*Figure, error) {
	f, err := convergence(title, names, orders)
	if err != nil {
		return nil, fmt.Errorf("drawing convergence: %w", err)
	}
	return f, nil
}

func convergence(title string, names []string, orders [][]float64) (*Figure, error) {
	if len(orders) == 0 || len(orders[0]) == 0 {
		return nil, errors.New("there are no order parameters")
	}
	if names == nil {
		for k := range orders[0] {
			names = append(names, "ξ"+subscript(k+1))
		}
	}
	if len(names) != len(orders[0]) {
		return nil, fmt.Errorf("%d names but %d order parameters", len(names), len(orders[0]))
	}
	if err := labelled("component", names); err != nil {
		return nil, err
	}
	curves := make([][]float64, len(names))
	low, high := orders[0][0], orders[0][0]
	for step, order := range orders {
		if len(order) != len(names) {
			return nil, fmt.Errorf("step %d: %d order parameters, step 0 has %d", step, len(order), len(names))
		}
		for k, v := range order {
			if err := drawable(v); err != nil {
				return nil, fmt.Errorf("step %d: %s: %w", step, names[k], err)
			}
			curves[k] = append(curves[k], v)
			low, high = min(low, v), max(high, v)
		}
	}

	p := newPlot("Step", "Order parameter")
	countAxis(&p.X, 0, len(orders)-1)
	valueAxis(&p.Y, low, high)
	p.Add(grid(true, true))
	var entries []entry
	for k, curve := range curves {
		p.Add(trace(counted(0, curve), k))
		entries = append(entries, traceEntry(names[k], counted(0, curve), k))
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}
