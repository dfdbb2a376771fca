package cell

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"synpool/plotting"
)

// Line draws lists of numbers by name, each against 1, 2, 3 and so on.
func Line(title, x, y string, lists map[string][]float64) *plotting.Figure {
	var curves []plotting.FunctionCurve
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		c := plotting.FunctionCurve{Name: name, Y: lists[name]}
		for i := range c.Y {
			c.X = append(c.X, float64(i+1))
		}
		curves = append(curves, c)
	}
	return Must(plotting.Lines(title, x, y, curves))
}

// Hist draws how many values are in each range.
func Hist(title, x string, values []float64) *plotting.Figure {
	return Must(plotting.Histogram(title, x, values))
}

// Scatter draws points; classes, one for each point or none, give colours.
func Scatter(title, x, y string, at, up []float64, classes ...string) *plotting.Figure {
	if len(at) != len(up) || len(classes) > 0 && len(classes) != len(at) {
		Check(fmt.Errorf("Scatter: %d values of x, %d of y and %d classes; give one of each for every point", len(at), len(up), len(classes)))
	}
	points := make([]plotting.ScatterPoint, len(at))
	for i := range points {
		points[i].X, points[i].Y = at[i], up[i]
		if len(classes) > 0 {
			points[i].Class = classes[i]
		}
	}
	return Must(plotting.Scatter(title, x, y, points))
}

// TSNE draws vectors in the plane, so that similar ones are near each other ([plotting.TSNE]): the features of bags, for example.
// The places have no unit. A structure that another seed does not show is chance.
func TSNE(title string, vectors [][]float64, classes ...string) *plotting.Figure {
	const perplexity, iterations = 30, 1000
	places, _, err := plotting.TSNE(vectors, min(perplexity, float64(len(vectors)-1)/3), iterations, rand.New(rand.NewPCG(1, 1)))
	Check(err)
	var at, up []float64
	for _, place := range places {
		at, up = append(at, place[0]), append(up, place[1])
	}
	return Scatter(title, "t-SNE 1", "t-SNE 2", at, up, classes...)
}

// Classes returns the name of the class of each bag.
func (b *Bags) Classes() (names []string) {
	set := b.Set()
	for _, bag := range set.Bags {
		names = append(names, targetText(set, bag.Target))
	}
	return names
}
