package plotting

import (
	"image"
	"image/color"
	"math"
	"testing"
)

func TestTileMap(t *testing.T) {
	tiles := []Tile{{1024, 512, 0}, {1536, 512, 0.5}, {2048, 512, 1}, {1024, 1024, 0.25}, {2560, 1536, 0.75}}
	golden(t, "tilemap.svg")(TileMap("Slide", "rank of the weight", tiles, 0, nil))
	one := []Tile{{0, 0, 1}}
	for want, c := range map[string]struct {
		value     string
		tiles     []Tile
		size      float64
		thumbnail *Thumbnail
	}{
		"drawing a map of tiles: the values have": {"", one, 1, nil},
		"there are no tiles":                      {"rank", nil, 1, nil},
		"tile 1: NaN is not a number":             {"rank", []Tile{{math.NaN(), 0, 1}}, 1, nil},
		"tile 1: 2 is not between 0 and 1":        {"rank", []Tile{{0, 0, 2}}, 1, nil},
		"tiles of size -1":                        {"rank", one, -1, nil},
		"that reach over 10001 of them":           {"rank", []Tile{{0, 0, 1}, {10000, 0, 1}}, 1, nil},
		"a thumbnail of scale 0":                  {"rank", one, 1, &Thumbnail{image.Black, 0}},
		"beyond which tiles reach: they need (5":  {"rank", []Tile{{4, 4, 1}}, 1, &Thumbnail{image.NewGray(image.Rect(0, 0, 4, 4)), 1}},
	} {
		refused(t, want)(TileMap("", c.value, c.tiles, c.size, c.thumbnail))
	}
}

// TestTilePicture: tiles are at their positions with the shade of their values, and the thumbnail shows through.
func TestTilePicture(t *testing.T) {
	tiles := []Tile{{100, 50, 1}, {150, 50, 0}, {100, 100, 0.5}}
	apart := []Tile{{0, 0, 0}, {1536, 1024, 0}} // a grid of 512 of which a third is there, and a tile off by a pixel
	for k := range 400 {
		if k%3 == 0 {
			apart = append(apart, Tile{512 * float64(k%20), 512 * float64(k/20), 0})
		}
	}
	for want, tiles := range map[float64][]Tile{
		50: tiles, 1: tiles[:1],
		2:   {{0, 0, 0}, {0, 0, 0}, {2, 0, 0}},
		512: append(apart, Tile{513, 0, 0}),
		509: {{0, 0, 0}, {513, 0, 0}, {1026, 3, 0}, {0, 512, 0}, {700, 512, 0}},
	} {
		if size := TileSize(tiles); size != want {
			t.Errorf("tiles of size %v, want %v", size, want)
		}
	}
	at := func(p *image.NRGBA, column, row int) color.NRGBA {
		side := p.Bounds().Dx() / 2
		return p.NRGBAAt(column*side+side/2, row*side+side/2)
	}
	p, err := tilePicture(tiles, 50, nil)
	must(t, err)
	s := unit
	gray := color.NRGBAModel.Convert(noTile).(color.NRGBA)
	for _, c := range []struct {
		column, row int
		want        color.NRGBA
	}{{0, 0, s.at(1)}, {1, 0, s.at(0)}, {0, 1, s.at(0.5)}, {1, 1, gray}} {
		if got := at(p, c.column, c.row); got != c.want {
			t.Errorf("column %d, row %d: %v, want %v", c.column, c.row, got, c.want)
		}
	}
	thumb := image.NewNRGBA(image.Rect(0, 0, 20, 20))
	for x := range 20 {
		for y := range 20 {
			thumb.Set(x, y, color.NRGBA{255, 0, 0, 255})
		}
	}
	p, err = tilePicture(tiles, 50, &Thumbnail{thumb, 10})
	must(t, err)
	if got := at(p, 1, 1); got != (color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("beside the tiles: %v, want the thumbnail", got)
	}
	if got, dark := at(p, 0, 0), s.at(1); math.Abs(float64(got.R)-(0.4*255+0.6*float64(dark.R))) > 2 {
		t.Errorf("a tile on a thumbnail is %v", got)
	}
}
