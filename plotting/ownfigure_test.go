package plotting

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/plot/plotter"
)

// bagSizes draws how many bags have at most so many instances. A figure is one file: a constructor that checks its numbers,
// adds what gonum/plot has to the project's axes and grid, and returns a *Figure.
func bagSizes(title string, sizes, bags []float64) (*Figure, error) {
	if len(sizes) == 0 || len(sizes) != len(bags) {
		return nil, errors.New("drawing bag sizes: give a number of bags for each size")
	}
	for _, v := range append(sizes, bags...) {
		if err := drawable(v); err != nil {
			return nil, fmt.Errorf("drawing bag sizes: %w", err)
		}
	}
	p := newPlot("Instances", "Bags with at most as many")
	curve, _ := trace("bags", pairs(sizes, bags), 0)
	p.Add(grid(true, true), curve, &plotter.Scatter{XYs: pairs(sizes, bags), GlyphStyle: glyph(0)})
	return newFigure(title, nil, p, figureWidth, curveHeight), nil
}

// A figure of your own.
func Example_ownFigure() {
	figure, err := bagSizes("Bags of Musk 1", []float64{2, 5, 10, 40}, []float64{20, 63, 79, 92})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Write(io.Discard, SVG))
	_, err = bagSizes("Bags", []float64{1}, nil)
	fmt.Println(err)
	// Output:
	// <nil>
	// drawing bag sizes: give a number of bags for each size
}
