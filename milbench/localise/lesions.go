package localise

import (
	"math"

	"synpool/plotting"
)

// reach is the largest distance of neighbours, in sides of a tile. On a grid neighbours share an edge or a corner.
const reach = 1.5

// Lesions numbers the lesions of a bag from 0 in the order of their first instances, and returns the lesion of each instance, -1
// for negative ones. Two positive instances are of one lesion if their positions differ by at most 1.5 sides of a tile in x and in
// y, or if such neighbours lead from one to the other. On a grid these are the components of the positive tiles if tiles
// that share an edge or a corner are connected (8-connectivity).
//
// side is that of a tile in the unit of the positions; if it is 0, [plotting.TileSize] guesses it from all positions, as
// heat maps do.
func Lesions(places [][2]float64, positive []bool, side float64) (lesion []int, count int) {
	if side == 0 {
		tiles := make([]plotting.Tile, len(places))
		for i, p := range places {
			tiles[i].X, tiles[i].Y = p[0], p[1]
		}
		side = plotting.TileSize(tiles)
	}
	// Neighbours are in the same cell of a grid of this width or in one of the eight around it.
	far := reach * side
	cell := func(p [2]float64) [2]float64 { return [2]float64{math.Floor(p[0] / far), math.Floor(p[1] / far)} }
	in := make(map[[2]float64][]int)
	lesion = make([]int, len(places))
	for i, p := range places {
		if lesion[i] = -1; positive[i] {
			in[cell(p)] = append(in[cell(p)], i)
		}
	}
	for i := range places {
		if !positive[i] || lesion[i] >= 0 {
			continue
		}
		lesion[i] = count
		for next := []int{i}; len(next) > 0; {
			p := places[next[len(next)-1]]
			next = next[:len(next)-1]
			at := cell(p)
			for dx := -1.0; dx <= 1; dx++ {
				for dy := -1.0; dy <= 1; dy++ {
					for _, k := range in[[2]float64{at[0] + dx, at[1] + dy}] {
						if q := places[k]; lesion[k] < 0 && math.Abs(p[0]-q[0]) <= far && math.Abs(p[1]-q[1]) <= far {
							lesion[k] = count
							next = append(next, k)
						}
					}
				}
			}
		}
		count++
	}
	return lesion, count
}
