package plotting

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// EnergyRun is the energy of a network's states in one run.
type EnergyRun struct {
	Name     string    // runs of the same name share a stroke and a legend entry
	Energies []float64 // of the initial state, then after every step
	Fixed    bool      // the last state is a fixed point, which gets a mark
}

// EnergyTraces draws the energy of each run over its steps.
func EnergyTraces(title string, runs []EnergyRun) (f *Figure, err error) {
	defer about(&err, "drawing energy traces")
	if len(runs) == 0 {
		return nil, errors.New("there are no runs")
	}
	names, group, err := grouped("run", runs, func(r EnergyRun) string { return r.Name })
	if err != nil {
		return nil, err
	}
	var energies []float64
	steps, fixed := 0, false
	for i, r := range runs {
		if len(r.Energies) == 0 {
			return nil, fmt.Errorf("run %d, %s: there are no energies", i+1, r.Name)
		}
		for step, v := range r.Energies {
			if err := drawable(v); err != nil {
				return nil, fmt.Errorf("run %d, %s: step %d: %w", i+1, r.Name, step, err)
			}
		}
		energies = append(energies, r.Energies...)
		steps, fixed = max(steps, len(r.Energies)-1), fixed || r.Fixed
	}

	p := newPlot("Step", "Energy")
	countAxis(&p.X, 0, steps)
	valueAxis(&p.Y, slices.Min(energies), slices.Max(energies))
	p.Add(grid(true, true))
	entries := make([]entry, len(names)) // a line if any run of the name is one
	for i, r := range runs {
		points := counted(0, r.Energies)
		curve, e := trace(r.Name, points, group[i])
		p.Add(curve)
		if r.Fixed {
			p.Add(&plotter.Scatter{XYs: points[len(points)-1:], GlyphStyle: disc(colour(group[i]))})
		}
		if entries[group[i]].line.Width == 0 {
			entries[group[i]] = e
		}
	}
	if fixed {
		entries = append(entries, entry{label: "fixed point", glyph: disc(muted)})
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}
