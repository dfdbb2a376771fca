package main

import (
	"bufio"
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
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench"
	"synpool/milbench/predict"
	"synpool/plotting"
)

// heatmapFigure is the name of the figure of instance scores.
const heatmapFigure = "heatmap"

// heatmaps are the flags of the figure.
type heatmaps struct {
	thumbnails string  // folder of NAME.png or NAME.jpg; empty for none
	scale      float64 // pixels of the slide to one of a thumbnail, along a side
	tile       float64 // the side of a tile in pixels of the slide; 0 for the least distance of two
	extremes   int     // instances of a slide that are listed at either end
	column     string  // what is drawn; empty for the weight or the score
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
	size  float64 // of a tile
}

// write reads the output of predict --instances. It writes NAME.png and NAME.geojson of each slide into a folder, and the instances at
// either end of the ranks into extremes.csv.
func (h heatmaps) write(file, dir string) (count int, err error) {
	slides, what, err := readPlaced(file, h.column)
	if err != nil {
		return 0, err
	}
	h.measure(slides)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	list, err := os.Create(filepath.Join(dir, "extremes.csv"))
	if err != nil {
		return 0, err
	}
	out := csv.NewWriter(list)
	defer func() {
		out.Flush()
		err = errors.Join(err, out.Error(), list.Close())
	}()
	out.Write([]string{"bag", "end", "place", "instance", "x", "y", what, "rank"})
	for _, s := range slides {
		s.rank()
		if err := h.draw(s, what, filepath.Join(dir, s.name+".png")); err != nil {
			return 0, fmt.Errorf("bag %s: %w", s.name, err)
		}
		if err := s.writeGeoJSON(what, filepath.Join(dir, s.name+".geojson")); err != nil {
			return 0, err
		}
		h.list(s, out)
	}
	return len(slides), nil
}

// measure finds the size of the tiles. A slide with one tile gets the size of the others.
func (h heatmaps) measure(slides []slide) {
	least := math.Inf(1)
	for i := range slides {
		if s := &slides[i]; len(s.tiles) > 1 {
			s.size = plotting.TileSize(s.plotted())
			least = min(least, s.size)
		}
	}
	for i := range slides {
		s := &slides[i]
		switch {
		case h.tile > 0:
			s.size = h.tile
		case s.size == 0 && !math.IsInf(least, 1):
			s.size = least
		case s.size == 0:
			s.size = 1
		}
	}
}

// readPlaced reads instances, their places and one column, slide by slide, and names the column: the given one, or else weight or score.
func readPlaced(file, column string) (slides []slide, what string, err error) {
	f, err := os.Open(file)
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
	what = column
	for _, name := range []string{"weight", "score"} {
		if _, there := at[name]; there && what == "" {
			what = name
		}
	}
	if _, there := at[what]; column != "" && !there {
		return nil, "", fmt.Errorf("--column %s: %s has no such column; it has %s", column, file, strings.Join(header, ", "))
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
			if *number.to, err = milbench.ParseNumber(record[at[number.name]]); err != nil {
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
		}
		slides[i].tiles = append(slides[i].tiles, p)
	}
	if len(slides) == 0 {
		return nil, "", fmt.Errorf("%s: no instances with places; give it the output of milbench predict --instances", file)
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
func (h heatmaps) draw(s slide, what, path string) error {
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

// thumbnail returns the thumbnail of a slide, nil if there is none.
func (h heatmaps) thumbnail(name string) (*plotting.Thumbnail, error) {
	if h.thumbnails == "" {
		return nil, nil
	}
	for _, extension := range []string{".png", ".jpg", ".jpeg"} {
		path := filepath.Join(h.thumbnails, name+extension)
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		picture, _, err := image.Decode(bufio.NewReader(f))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return &plotting.Thumbnail{Image: picture, Scale: h.scale}, nil
	}
	return nil, fmt.Errorf("--thumbnails %s: no %s.png and no %[2]s.jpg", h.thumbnails, name)
}

// list writes the instances at either end of the ranks.
func (h heatmaps) list(s slide, out *csv.Writer) {
	n := len(s.tiles)
	for _, end := range []struct {
		name string
		at   func(k int) placed
	}{{"top", func(k int) placed { return s.tiles[n-1-k] }}, {"bottom", func(k int) placed { return s.tiles[k] }}} {
		for k := range min(h.extremes, n) {
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
func (s slide) writeGeoJSON(what, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	defer func() { err = errors.Join(err, out.Flush(), f.Close()) }()
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
	_, err = fmt.Fprint(out, "\n]}\n")
	return err
}
