package capsule

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// coordinates returns, for each position of a grid, the matrix [height, width, 4, 4] that adds the position to a pose or
// vote: the first two entries of its last column are the coordinates of the centre, (row+½)/height and (column+½)/width, the
// others 0. The paper uses the centre of the capsule's receptive field in the image instead, an affine function of these: on
// 28x28 pixels, the last grid of the default network has 0.30, 0.45 and 0.59 in the paper, and 0.17, 0.5 and 0.83 here.
func coordinates(g *Graph, dtype dtypes.DType, height, width int) *Node {
	at := make([][][Side][Side]float64, height)
	for row := range at {
		at[row] = make([][Side][Side]float64, width)
		for column := range at[row] {
			at[row][column][0][Side-1] = (float64(row) + 0.5) / float64(height)
			at[row][column][1][Side-1] = (float64(column) + 0.5) / float64(width)
		}
	}
	return ConstAsDType(g, dtype, at)
}
