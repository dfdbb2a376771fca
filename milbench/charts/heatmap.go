package charts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // of thumbnails
	_ "image/png"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/plotting"
)

// Heatmaps draws the instances of slides at their places, coloured by the rank of their weight or score.
type Heatmaps struct {
	Thumbnails string   // folder of NAME.png or NAME.jpg; empty for none
	Scale      float64  // pixels of the slide to one of a thumbnail, along a side
	Tile       []string // sides of tiles in pixels of the slide: of all bags or, as ID=SIDE, of one; or the column with them
	Extremes   int      // instances of a slide that are listed at either end
	Column     string   // what is drawn; empty for the weight or the score
}

// placed is an instance with its place and score.
type placed struct {
	instance    string
	x, y, score float64
	rank        float64 // 0 of the lowest score of its slide, 1 of the highest; of equal ones the mean
}

// slide is the instances of a bag.
type slide struct {
	name  string
	tiles []placed
	size  float64 // of a tile; 0 if nothing says it
}

// Write reads the output of milbench predict --instances. It writes NAME.png and NAME.geojson of each slide into a folder, and the instances at
// either end of the ranks into extremes.csv.
func (h Heatmaps) Write(file, dir string, note func(format string, args ...any)) (count int, err error) {
	slides, what, err := h.readPlaced(file)
	if err != nil {
		return 0, err
	}
	measure(slides, note)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	var list bytes.Buffer
	out := csv.NewWriter(&list)
	out.Write([]string{"bag", "end", "place", "instance", "x", "y", what, "rank"})
	var bad []string
	for _, s := range slides {
		s.rank()
		if err := h.draw(s, what, filepath.Join(dir, s.name+".png")); err != nil {
			bad = append(bad, fmt.Sprintf("bag %s: %v", s.name, err))
		}
		if err := disk.Write(filepath.Join(dir, s.name+".geojson"), func(w io.Writer) error { return s.writeGeoJSON(what, w) }); err != nil {
			return 0, err
		}
		h.list(s, out)
	}
	out.Flush()
	if err := disk.WriteFile(filepath.Join(dir, "extremes.csv"), list.Bytes()); err != nil {
		return 0, err
	}
	switch n := len(bad) - 1; {
	case n > 0:
		return 0, fmt.Errorf("%s; %d more not drawn", bad[0], n)
	case n == 0:
		return 0, errors.New(bad[0])
	}
	return len(slides), nil
}

// measure guesses how large the tiles are of slides for which nothing says it, and tells all sizes. A slide with one tile gets the
// median of the others.
func measure(slides []slide, note func(format string, args ...any)) {
	var sizes []float64
	count := [2]map[float64]int{{}, {}} // slides by size: known, guessed
	for i := range slides {
		s, guess := &slides[i], 0
		if s.size == 0 {
			s.size, guess = plotting.TileSize(s.plotted()), 1
		}
		if len(s.tiles) > 1 {
			sizes = append(sizes, s.size)
		}
		if guess == 0 || len(s.tiles) > 1 {
			count[guess][s.size]++
		} else {
			s.size = 0
		}
	}
	slices.Sort(sizes)
	for i := range slides {
		if s := &slides[i]; s.size == 0 {
			if s.size = 1; len(sizes) > 0 {
				s.size = sizes[len(sizes)/2]
			}
			count[1][s.size]++
		}
	}
	for guess, text := range []string{"note: the side of a tile is %s", "note: nothing says how large a tile is; a guess from the distances of tiles is %s; --tile says it"} {
		var parts []string
		for _, size := range slices.Sorted(maps.Keys(count[guess])) {
			parts = append(parts, fmt.Sprintf("%s in %d of %d bags", predict.Decimal(size), count[guess][size], len(slides)))
		}
		if n := len(parts); n > 5 {
			parts = append(parts[:4], fmt.Sprintf("and %d other sizes", n-4))
		}
		if len(parts) > 0 {
			note(text, strings.Join(parts, ", "))
		}
	}
}

// tileColumn is the column of predict --instances with the sides of tiles.
const tileColumn = "tile"

// sides returns what the flag --tile says: the sides of the tiles of slides by name, with "" for all others, and a column.
func (h Heatmaps) sides() (of map[string]float64, column string, err error) {
	of, column = make(map[string]float64), tileColumn
	for _, text := range h.Tile {
		at := strings.LastIndex(text, "=")
		side, err := strconv.ParseFloat(text[at+1:], 64)
		switch {
		case err != nil && at < 0 && text != "":
			column = text
		case err != nil || !(side > 0) || math.IsInf(side, 1):
			return nil, "", fmt.Errorf("--tile %s: give a number above 0, BAG=NUMBER, or the column of the file that has the sides", text)
		default:
			of[text[:max(at, 0)]] = side
		}
	}
	return of, column, nil
}

// readPlaced reads instances, their places and one column, slide by slide, and names the column: the given one, or else weight or score.
func (h Heatmaps) readPlaced(file string) (slides []slide, what string, err error) {
	sides, sideColumn, err := h.sides()
	if err != nil {
		return nil, "", err
	}
	f, err := disk.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	in := csv.NewReader(bufio.NewReader(f))
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil && err != io.EOF {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	what = h.Column
	for _, name := range []string{"weight", "score"} {
		if _, there := at[name]; there && what == "" {
			what = name
		}
	}
	for _, c := range [][2]string{{"column", h.Column}, {"tile", strings.TrimPrefix(sideColumn, tileColumn)}} {
		if _, there := at[c[1]]; c[1] != "" && !there {
			return nil, "", fmt.Errorf("--%s %s: %s has no such column; it has %s", c[0], c[1], file, strings.Join(header, ", "))
		}
	}
	for _, name := range []string{"bag", "instance", "x", "y", cmp.Or(what, "weight")} {
		if _, there := at[name]; !there {
			return nil, "", fmt.Errorf("%s: no column %s; give it the output of milbench predict --instances for HDF5 files with coords or tables with the columns x and y", file, name)
		}
	}
	index := map[string]int{}
	for line := 2; ; line++ {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		if record[at["x"]] == "" && record[at["y"]] == "" { // of a bag whose file does not say
			continue
		}
		p := placed{instance: record[at["instance"]]}
		for _, number := range []struct {
			name string
			to   *float64
		}{{"x", &p.x}, {"y", &p.y}, {what, &p.score}} {
			if *number.to, err = mil.ParseNumber(record[at[number.name]]); err != nil {
				return nil, "", fmt.Errorf("%s: line %d, column %s: %q; a finite number is needed", file, line, number.name, record[at[number.name]])
			}
		}
		bag := record[at["bag"]]
		i, there := index[bag]
		if !there {
			if !filepath.IsLocal(bag) || filepath.Base(bag) != bag {
				return nil, "", fmt.Errorf("%s: line %d: bag %q cannot be the name of a file; rename it, without slashes", file, line, bag)
			}
			i = len(slides)
			slides, index[bag] = append(slides, slide{name: bag}), i
			if side, there := sides[bag]; there {
				slides[i].size = side
			} else {
				slides[i].size = sides[""]
			}
		}
		if k, there := at[sideColumn]; there && record[k] != "" && sides[bag] == 0 && sides[""] == 0 {
			side, err := strconv.ParseFloat(record[k], 64)
			if err != nil || !(side > 0) || math.IsInf(side, 1) || len(slides[i].tiles) > 0 && side != slides[i].size {
				return nil, "", fmt.Errorf("%s: line %d, column %s: %q; one number above 0 is needed for all tiles of a bag", file, line, sideColumn, record[k])
			}
			slides[i].size = side
		}
		slides[i].tiles = append(slides[i].tiles, p)
	}
	if len(slides) == 0 {
		return nil, "", fmt.Errorf("%s: no instances with places; give it the output of milbench predict --instances", file)
	}
	for bag := range sides {
		if _, there := index[bag]; bag != "" && !there {
			return nil, "", fmt.Errorf("--tile %s: %s has no such bag with places", bag, file)
		}
	}
	return slides, what, nil
}

// rank gives the instances of a slide their ranks and puts them in order.
func (s *slide) rank() {
	var scores []float64
	for _, t := range s.tiles {
		scores = append(scores, t.score)
	}
	for k, rank := range predict.Ranks(scores) {
		s.tiles[k].rank = rank
	}
	slices.SortStableFunc(s.tiles, func(a, b placed) int { return cmp.Compare(a.score, b.score) })
}

// draw draws a slide.
func (h Heatmaps) draw(s slide, what, path string) error {
	thumbnail, err := h.thumbnail(s.name)
	if err != nil {
		return err
	}
	f, err := plotting.TileMap(s.name, "rank of the "+what+" in the slide", s.plotted(), s.size, thumbnail)
	if err != nil {
		return err
	}
	return f.Save(path)
}

func (s slide) plotted() []plotting.Tile {
	var tiles []plotting.Tile
	for _, t := range s.tiles {
		tiles = append(tiles, plotting.Tile{X: t.x, Y: t.y, Value: t.rank})
	}
	return tiles
}

// mostPixels is the size limit of a thumbnail: 100 million pixels take 400 MB.
const mostPixels = 100_000_000

// thumbnail returns the thumbnail of a slide, nil if there is none.
func (h Heatmaps) thumbnail(name string) (*plotting.Thumbnail, error) {
	if h.Thumbnails == "" {
		return nil, nil
	}
	for _, extension := range []string{".png", ".jpg", ".jpeg"} {
		path := filepath.Join(h.Thumbnails, name+extension)
		f, err := disk.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		c, _, err := image.DecodeConfig(bufio.NewReader(f))
		if err == nil && c.Width > mostPixels/max(c.Height, 1) {
			err = fmt.Errorf("%d x %d pixels; give a thumbnail of at most %d million", c.Width, c.Height, mostPixels/1_000_000)
		}
		if err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		picture, _, err := image.Decode(bufio.NewReader(f))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return &plotting.Thumbnail{Image: picture, Scale: h.Scale}, nil
	}
	return nil, fmt.Errorf("--thumbnails %s: no %s.png and no %[2]s.jpg", h.Thumbnails, name)
}

// list writes the instances at either end of the ranks.
func (h Heatmaps) list(s slide, out *csv.Writer) {
	n := len(s.tiles)
	for _, end := range []struct {
		name string
		at   func(k int) placed
	}{{"top", func(k int) placed { return s.tiles[n-1-k] }}, {"bottom", func(k int) placed { return s.tiles[k] }}} {
		for k := range min(h.Extremes, n) {
			t := end.at(k)
			out.Write([]string{s.name, end.name, strconv.Itoa(k + 1), t.instance, predict.Decimal(t.x), predict.Decimal(t.y), predict.Decimal(t.score), predict.Decimal(t.rank)})
		}
	}
}

// The part of GeoJSON (RFC 7946) that QuPath reads as tiles with measurements.
type (
	geoFeature struct {
		Type       string        `json:"type"`
		Geometry   geoPolygon    `json:"geometry"`
		Properties geoProperties `json:"properties"`
	}
	geoPolygon struct {
		Type        string          `json:"type"`
		Coordinates [][5][2]float64 `json:"coordinates"`
	}
	geoProperties struct {
		ObjectType   string             `json:"objectType"`
		Name         string             `json:"name"`
		Measurements map[string]float64 `json:"measurements"`
	}
)

// writeGeoJSON writes the tiles of a slide as a FeatureCollection, one to a line.
func (s slide) writeGeoJSON(what string, out io.Writer) error {
	fmt.Fprint(out, `{"type":"FeatureCollection","features":[`)
	for i, t := range s.tiles {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		right, below := t.x+s.size, t.y+s.size
		line, err := json.Marshal(geoFeature{"Feature",
			geoPolygon{"Polygon", [][5][2]float64{{{t.x, t.y}, {right, t.y}, {right, below}, {t.x, below}, {t.x, t.y}}}},
			geoProperties{"tile", t.instance, map[string]float64{what: t.score, "rank": t.rank}}})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s", line)
	}
	_, err := fmt.Fprint(out, "\n]}\n")
	return err
}
