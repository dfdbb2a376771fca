package sequence

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Positions adds the sinusoidal position encoding to x [batch, length, features] (Vaswani et al. 2017, section 3.5): for the
// word at position p = 0, 1, ..., sin(p/10000^(2i/features)) to feature 2i and the cosine to feature 2i+1.
func Positions(x *Node) *Node {
	if x.Rank() != 3 {
		exceptions.Panicf("sequence: Positions of x %s, want [batch, length, features]", x.Shape())
	}
	return Add(x, ExpandAxes(ConstAs(x, positions(x.Shape().Dim(1), x.Shape().Dim(2))), 0))
}

// positions returns the encoding [length, features] of each position.
func positions(length, features int) [][]float64 {
	waves := make([][]float64, length)
	for p := range waves {
		waves[p] = make([]float64, features)
		for j := range waves[p] {
			angle := float64(p) / math.Pow(10000, float64(j-j%2)/float64(features))
			if j%2 == 0 {
				waves[p][j] = math.Sin(angle)
			} else {
				waves[p][j] = math.Cos(angle)
			}
		}
	}
	return waves
}
