package plotting

import (
	"errors"
	"fmt"
	"slices"
)

// Convergence draws order parameters over the steps of a network, orders[step][component], with one curve per component;
// step 0 is the start. If names is nil, the components are called ξ₁, ξ₂, …
func Convergence(title string, names []string, orders [][]float64) (*Figure, error) {
	f, err := convergence(title, names, orders)
	if err != nil {
		return nil, fmt.Errorf("drawing convergence: %w", err)
	}
	return f, nil
}

func convergence(title string, names []string, orders [][]float64) (*Figure, error) {
	names, curves, err := orderCurves(names, orders)
	if err != nil {
		return nil, err
	}
	p := newPlot("Step", "Order parameter")
	countAxis(&p.X, 0, len(orders)-1)
	low, high := extremes(curves)
	valueAxis(&p.Y, low, high)
	p.Add(grid(true, true))
	var entries []entry
	for k, curve := range curves {
		points := counted(0, curve)
		p.Add(trace(points, k))
		entries = append(entries, traceEntry(names[k], points, k))
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
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
