package plotting

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tile is a square part of a picture, such as a patch of a slide. It has its upper left corner, in pixels to the right and
// down, and a value from 0 to 1.
type Tile struct{ X, Y, Value float64 }

// Thumbnail is a small version of the whole picture.
type Thumbnail struct {
	Image image.Image
	Scale float64 // pixels of the whole picture per pixel of the thumbnail, along a side
}

// Limits and measures of a tile map.
const (
	mostTiles   = 4096              // maximum number of tiles along a side
	tileDots    = 1600              // approximate number of dots along the longer side
	tileBarRoom = 48 * vg.Length(1) // width of the colour bar with its labels
	tileOpacity = 0.6               // over a thumbnail
)

// noTile is the shade of places without a tile; no value has it.
var noTile = color.Gray{0xe4}

// TileMap draws tiles of the given size at their positions, light at 0 and dark at 1, over a thumbnail if that is not nil.
// value says what the values are, such as "rank of the weight". If size is 0, [TileSize] determines it.
func TileMap(title, value string, tiles []Tile, size float64, thumbnail *Thumbnail) (f *Figure, err error) {
	defer about(&err, "drawing a map of tiles")
	switch {
	case value == "":
		return nil, errors.New("the values have no name")
	case len(tiles) == 0:
		return nil, errors.New("there are no tiles")
	}
	for i, t := range tiles {
		if err := cmp.Or(drawable(t.X), drawable(t.Y), isFraction(t.Value)); err != nil {
			return nil, fmt.Errorf("tile %d: %w", i+1, err)
		}
	}
	if size == 0 {
		size = TileSize(tiles)
	}
	switch {
	case notNegative(size) != nil:
		return nil, fmt.Errorf("tiles of size %v", size)
	case thumbnail != nil && !(thumbnail.Scale > 0):
		return nil, fmt.Errorf("a thumbnail of scale %v", thumbnail.Scale)
	}
	picture, err := tilePicture(tiles, size, thumbnail)
	if err != nil {
		return nil, err
	}
	across, down := picture.Bounds().Dx(), picture.Bounds().Dy()
	side := figureWidth - 2*margin - barGap - tileBarRoom
	scale := side / vg.Length(max(across, down))
	drawn := vg.Point{X: vg.Length(across) * scale, Y: vg.Length(down) * scale}
	return newDrawing(title, nil, figureWidth, max(drawn.Y, barMost)+nameGap, func(c *draw.Canvas) {
		place := box(c.Min.X, c.Max.Y-drawn.Y, c.Min.X+drawn.X, c.Max.Y)
		c.DrawImage(place, picture)
		frame(c, draw.LineStyle{Color: muted, Width: 0.5}, place)
		bar := box(place.Max.X+barGap, c.Max.Y-barMost, place.Max.X+barGap+barSize, c.Max.Y)
		unit.drawScale(c, bar, draw.LineStyle{}, capital(value), bar.Min.X+tileBarRoom)
	}), nil
}

// TileSize guesses the size of tiles that neither overlap nor lie apart: the lower quartile of the distances of tiles to their
// nearest neighbour, the larger of horizontal and vertical distance. Distances far below the median, of tiles in about the same
// place, do not count. Without two places it is 1.
func TileSize(tiles []Tile) float64 {
	sorted := slices.SortedFunc(slices.Values(tiles), func(a, b Tile) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	sorted = slices.CompactFunc(sorted, func(a, b Tile) bool { return a.X == b.X && a.Y == b.Y })
	var nearest []float64
	for i := 0; i < len(sorted) && len(sorted) > 1; i += 1 + len(sorted)/1000 {
		t, least := sorted[i], math.Inf(1)
		for k, other := range sorted {
			if k != i {
				least = min(least, max(math.Abs(t.X-other.X), math.Abs(t.Y-other.Y)))
			}
		}
		nearest = append(nearest, least)
	}
	if len(nearest) == 0 {
		return 1
	}
	slices.Sort(nearest)
	median := nearest[len(nearest)/2]
	nearest = slices.DeleteFunc(nearest, func(d float64) bool { return d < median/8 })
	return nearest[len(nearest)/4]
}

// tilePicture returns the picture of the tiles over the part of the thumbnail behind them.
func tilePicture(tiles []Tile, size float64, thumbnail *Thumbnail) (*image.NRGBA, error) {
	low := tiles[0]
	high := low
	for _, t := range tiles {
		low.X, low.Y = min(low.X, t.X), min(low.Y, t.Y)
		high.X, high.Y = max(high.X, t.X), max(high.Y, t.Y)
	}
	across, down := (high.X-low.X)/size+1, (high.Y-low.Y)/size+1
	if max(across, down) > mostTiles {
		return nil, fmt.Errorf("tiles of size %v that reach over %.0f of them; %d at most can be told", size, max(across, down), mostTiles)
	}
	dots := max(1, math.Floor(tileDots/max(across, down))) // dots per tile, along a side
	picture := image.NewNRGBA(image.Rect(0, 0, int(math.Ceil(across*dots)), int(math.Ceil(down*dots))))
	xdraw.Draw(picture, picture.Bounds(), image.NewUniform(noTile), image.Point{}, xdraw.Src)
	opacity := 1.0
	if thumbnail != nil {
		opacity = tileOpacity
		from := thumbnail.Image.Bounds().Min
		at := func(x, y float64) image.Point {
			return from.Add(image.Pt(int(math.Round(x/thumbnail.Scale)), int(math.Round(y/thumbnail.Scale))))
		}
		behind := image.Rectangle{Min: at(low.X, low.Y), Max: at(high.X+size, high.Y+size)}
		if !behind.In(thumbnail.Image.Bounds()) || behind.Empty() {
			return nil, fmt.Errorf("a thumbnail of %v pixels at scale %v, beyond which tiles reach: they need %v", thumbnail.Image.Bounds().Size(), thumbnail.Scale, behind.Max)
		}
		xdraw.ApproxBiLinear.Scale(picture, picture.Bounds(), thumbnail.Image, behind, xdraw.Src, nil)
	}
	for _, t := range tiles {
		c := unit.at(t.Value)
		c.A = uint8(math.Round(255 * opacity))
		x, y := int(math.Round((t.X-low.X)/size*dots)), int(math.Round((t.Y-low.Y)/size*dots))
		xdraw.Draw(picture, image.Rect(x, y, x+int(dots), y+int(dots)), image.NewUniform(c), image.Point{}, xdraw.Over)
	}
	return picture, nil
}
