package plotting

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// Predictions draws predicted against true values of a regression, one dot per bag, and the diagonal of exact predictions.
// Both axes have the same scale and range. x and y name the axes, with units if there are any.
func Predictions(title, x, y string, targets, predictions []float64) (*Figure, error) {
	f, err := predicted(title, x, y, targets, predictions)
	if err != nil {
		return nil, fmt.Errorf("drawing predictions: %w", err)
	}
	return f, nil
}

func predicted(title, x, y string, targets, predictions []float64) (*Figure, error) {
	if len(targets) != len(predictions) {
		return nil, fmt.Errorf("%d targets and %d predictions; give one of each for every bag", len(targets), len(predictions))
	}
	points := make([]ScatterPoint, len(targets))
	for i := range targets {
		points[i] = ScatterPoint{X: targets[i], Y: predictions[i]}
	}
	if err := checkPoints(x, y, points); err != nil {
		return nil, err
	}
	values := slices.Concat(targets, predictions)
	p := squarePlot(x, y, slices.Min(values), slices.Max(values))
	p.Add(grid(true, true), scatter{points, make([]int, len(points))})
	exact := chance()
	exact.Color = ink // it lies over the dots
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: p.X.Min}, {X: p.X.Max, Y: p.X.Max}}, LineStyle: exact})
	entries := []entry{{label: "a bag", glyph: classGlyph(0, false, glyphRadius)}, {label: "exact", line: exact}}
	return newFigure(title, entries, p, squareWidth, squared(p, squareWidth-2*margin)), nil
}
