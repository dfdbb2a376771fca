package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// SlidesConfig configures [DrawSlides].
type SlidesConfig struct {
	Patients    int     // number of patients, at least 2; every other one has a tumour
	Slides      int     // slides per patient, at least 1; if the patient has a tumour, all slides show it
	LeastTiles  int     // minimum per slide, at least 1
	MostTiles   int     // maximum per slide, from LeastTiles to 2^20
	LeastTumour float64 // minimum share of tumour tiles on a slide with a tumour, in (0, 1]
	MostTumour  float64 // maximum share, at least LeastTumour
	Features    int     // at least 1
	Tissues     int     // kinds of tissue, 1 to 1000
	Stain       float64 // standard deviation between patients, in each feature, of the offset shared by all tiles of a patient
	Shift       float64 // standard deviation over the features of the offset between tumour and other tissue
	Seed        uint64
}

// DefaultSlides returns 20 slides from 10 patients, with 500 to 2000 tiles of 64 features, and seed 1. If the patient
// has a tumour, 3 to 5 % of the tiles show it. Among tiles of one tissue, a feature has standard deviation 1.
func DefaultSlides() SlidesConfig {
	return SlidesConfig{
		Patients: 10, Slides: 2, LeastTiles: 500, MostTiles: 2000, LeastTumour: 0.03, MostTumour: 0.05,
		Features: 64, Tissues: 5, Stain: 0.2, Shift: 1.5, Seed: 1,
	}
}

// TileSide is the side length of a tile in pixels, which is also the distance between neighbours.
const TileSide = 256

const (
	mostTiles   = 1 << 20 // per slide
	mostTissues = 1000
	pieces      = 3 // of tissue on a slide; pieces may touch
	regions     = 3 // per kind of tissue
)

// validate returns an error for invalid values.
func (c SlidesConfig) validate() error {
	switch {
	case c.Patients < 2 || c.Slides < 1:
		return fmt.Errorf("%d patients with %d slides each; give at least 2 with 1", c.Patients, c.Slides)
	case c.LeastTiles < 1 || c.MostTiles < c.LeastTiles || c.MostTiles > mostTiles:
		return fmt.Errorf("slides of %d to %d tiles; give at least 1 and at most %d, the larger number last", c.LeastTiles, c.MostTiles, mostTiles)
	case !(c.LeastTumour > 0 && c.LeastTumour <= c.MostTumour && c.MostTumour <= 1):
		return fmt.Errorf("shares of tumour tiles from %v to %v; give more than 0, at most 1, the larger one last", c.LeastTumour, c.MostTumour)
	case c.Features < 1 || c.Tissues < 1 || c.Tissues > mostTissues:
		return fmt.Errorf("%d features and %d kinds of tissue; give at least 1 of each and at most %d kinds", c.Features, c.Tissues, mostTissues)
	case float64(c.Patients)*float64(c.Slides)*float64(c.MostTiles)*float64(c.Features) > maxDrawn:
		return fmt.Errorf("%d patients with %d slides of up to %d tiles of %d features are more than %d values; draw fewer",
			c.Patients, c.Slides, c.MostTiles, c.Features, maxDrawn)
	}
	if float64(c.Tissues)*float64(c.Features) > maxDrawn {
		return fmt.Errorf("%d kinds of tissue with %d features are more than %d values; draw fewer", c.Tissues, c.Features, maxDrawn)
	}
	for _, sd := range []float64{c.Stain, c.Shift} {
		if err := (Normal{0, sd}).validate(); err != nil {
			return err
		}
	}
	return nil
}

// DrawSlides generates slides as bags of tiles. [mil.Bag.Coordinates] has the positions of the tiles in pixels.
// The tiles are squares of a grid, in up to three pieces of tissue, row by row. The patient is the group of a slide.
// Every other patient, starting with the first, has a tumour. On each slide of such a patient, the tiles nearest to a
// chosen tile are tumour, as the instance labels show.
//
// The features of a tile are normal with standard deviation 1. Their mean is the sum of a standard normal vector for
// the kind of tissue, a vector for the stain of the patient and, in a tumour, a vector for the tumour. The seed fixes
// everything, bit-identical on every machine. Each slide has a random stream of its own.
func DrawSlides(c SlidesConfig) (*mil.Set, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("slides: %w", err)
	}
	draw := func(sd float64, purpose string, at ...int) []float64 {
		random := &normals{Rand: cv.Rand(c.Seed, purpose, at...)}
		vector := make([]float64, c.Features)
		for j := range vector {
			vector[j] = random.from(Normal{0, sd})
		}
		return vector
	}
	tumour := draw(c.Shift, "tumour")
	tissues := make([][]float64, c.Tissues)
	for k := range tissues {
		tissues[k] = draw(1, "tissue", k)
	}
	var bags []mil.Bag
	var instanceLabels [][]float64
	for patient := range c.Patients {
		stain := draw(c.Stain, "stain", patient)
		for slide := range c.Slides {
			random := &normals{Rand: cv.Rand(c.Seed, "slide", patient, slide)}
			s := c.lay(random.Rand, patient%2 == 0)
			rows := &mil.Dense{Rows: len(s.places), Cols: c.Features}
			for k := range s.places {
				for j := range c.Features {
					mean := tissues[s.tissue[k]][j] + stain[j]
					if s.tumour[k] == 1 {
						mean += tumour[j]
					}
					rows.Values = append(rows.Values, float32(random.from(Normal{mean, 1})))
				}
			}
			bags = append(bags, mil.Bag{
				ID: fmt.Sprintf("slide%02d", len(bags)+1), Group: fmt.Sprintf("patient%02d", patient+1), Target: mil.Labelled(1 - patient%2),
				Instances: rows, Coordinates: func() ([][2]float64, error) { return slices.Clone(s.places), nil },
			})
			instanceLabels = append(instanceLabels, s.tumour)
		}
	}
	return finished("slides", bags, instanceLabels)
}

// layout has the kind and position of each tile on a slide.
type layout struct {
	places [][2]float64
	tissue []int
	tumour []float64 // 1 for a tumour tile
}

// lay draws the layout of a slide. It compares distances as integers, so all machines agree.
func (c SlidesConfig) lay(random *rand.Rand, ill bool) layout {
	n := c.LeastTiles + random.IntN(c.MostTiles-c.LeastTiles+1)
	side := 2*int(math.Sqrt(float64(n))) + 2 // side of the grid; tiles cover a quarter of it
	points := func(count, least, most int) (all [][2]int) {
		for range count {
			all = append(all, [2]int{least + random.IntN(most-least), least + random.IntN(most-least)})
		}
		return all
	}
	var grid, tiles [][2]int
	for i := range side * side {
		grid = append(grid, [2]int{i % side, i / side})
	}
	chosen := closest(grid, n, points(pieces, side/4, side-side/4))
	slices.Sort(chosen)
	for _, i := range chosen {
		tiles = append(tiles, grid[i])
	}
	middles := points(regions*c.Tissues, 0, side)
	kinds := make([]int, len(middles))
	for i := range kinds {
		kinds[i] = random.IntN(c.Tissues)
	}
	s := layout{tumour: make([]float64, n)}
	for _, tile := range tiles {
		s.places = append(s.places, [2]float64{float64(TileSide * tile[0]), float64(TileSide * tile[1])})
		s.tissue = append(s.tissue, kinds[closest(middles, 1, [][2]int{tile})[0]])
	}
	if ill {
		share := c.LeastTumour + float64((c.MostTumour-c.LeastTumour)*random.Float64())
		count := min(max(1, int(math.Round(share*float64(n)))), n)
		for _, k := range closest(tiles, count, [][2]int{tiles[random.IntN(n)]}) {
			s.tumour[k] = 1
		}
	}
	return s
}

// closest returns the indices of the count places nearest to any of the points. Ties go to the first.
func closest(places [][2]int, count int, points [][2]int) []int {
	indices, apart := make([]int, len(places)), make([]int, len(places))
	for i, place := range places {
		indices[i], apart[i] = i, math.MaxInt
		for _, p := range points {
			x, y := place[0]-p[0], place[1]-p[1]
			apart[i] = min(apart[i], x*x+y*y)
		}
	}
	slices.SortStableFunc(indices, func(i, j int) int { return apart[i] - apart[j] })
	return indices[:count]
}
