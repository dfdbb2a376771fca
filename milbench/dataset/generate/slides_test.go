package generate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"synpool/milbench/mil"
)

// layoutOf returns the positions of the tiles in a bag.
func layoutOf(t *testing.T, b mil.Bag) [][2]float64 {
	t.Helper()
	places, err := b.Coordinates()
	if err != nil || len(places) != b.Instances.Len() {
		t.Fatalf("bag %s: %d places of %d tiles, %v", b.ID, len(places), b.Instances.Len(), err)
	}
	return places
}

// TestDrawSlides: labels, groups and shares are as requested, tiles have distinct positions row by row, and no other
// tile is nearer to the centre of a tumour than its own tiles.
func TestDrawSlides(t *testing.T) {
	c := DefaultSlides()
	c.Patients, c.Slides, c.Seed = 30, 3, 7
	c.LeastTiles, c.MostTiles, c.Features = 100, 400, 1
	s, err := DrawSlides(c)
	must(t, err)
	if len(s.Bags) != 90 || s.NumPositive() != 45 || s.HasSplit() {
		t.Fatalf("%d bags, %d positive, split %v", len(s.Bags), s.NumPositive(), s.HasSplit())
	}
	sizes := map[int]bool{}
	for i, b := range s.Bags {
		if want := fmt.Sprintf("patient%02d", i/3+1); b.Group != want || b.Label != 1-i/3%2 {
			t.Fatalf("bag %s of group %s and label %d, want group %s", b.ID, b.Group, b.Label, want)
		}
		places, n := layoutOf(t, b), b.Instances.Len()
		sizes[n] = true
		if n < 100 || n > 400 {
			t.Errorf("bag %s has %d tiles", b.ID, n)
		}
		if !slices.IsSortedFunc(places, func(p, q [2]float64) int { return cmp.Or(cmp.Compare(p[1], q[1]), cmp.Compare(p[0], q[0])) }) {
			t.Errorf("bag %s: places are not row by row", b.ID)
		}
		var tumour, rest [][2]float64
		for k, p := range places {
			if math.Mod(p[0], TileSide) != 0 || math.Mod(p[1], TileSide) != 0 || k > 0 && p == places[k-1] {
				t.Errorf("bag %s: a tile at %v", b.ID, p)
			}
			switch s.InstanceLabels[i][k] {
			case 0:
				rest = append(rest, p)
			case 1:
				tumour = append(tumour, p)
			}
		}
		if share := float64(len(tumour)) / float64(n); len(tumour)+len(rest) != n || b.Label == 0 && share > 0 ||
			b.Label == 1 && (share < 0.03-0.5/float64(n) || share > 0.05+0.5/float64(n)) {
			t.Errorf("bag %s of label %d: %d of %d tiles are tumour", b.ID, b.Label, len(tumour), n)
		}
		round := slices.ContainsFunc(tumour, func(middle [2]float64) bool {
			far := func(p [2]float64) float64 { return math.Hypot(p[0]-middle[0], p[1]-middle[1]) }
			radius := 0.0
			for _, p := range tumour {
				radius = max(radius, far(p))
			}
			return !slices.ContainsFunc(rest, func(p [2]float64) bool { return far(p) < radius })
		})
		if b.Label == 1 && !round {
			t.Errorf("bag %s: the tumour is not in one place", b.ID)
		}
	}
	if len(sizes) < 40 {
		t.Errorf("90 slides have %d sizes", len(sizes))
	}
}

// TestDrawSlidesFeatures estimates the spread of each part of a feature: tumour, stain and tile.
func TestDrawSlidesFeatures(t *testing.T) {
	c := SlidesConfig{
		Patients: 40, Slides: 1, LeastTiles: 400, MostTiles: 400, LeastTumour: 0.5, MostTumour: 0.5,
		Features: 200, Tissues: 1, Stain: 2, Shift: 3, Seed: 5,
	}
	s, err := DrawSlides(c)
	must(t, err)
	var within, shift, stain float64 // variances
	middles := make([][]float64, len(s.Bags))
	for i, b := range s.Bags {
		var sums [2][]float64
		for label := range sums {
			sums[label] = make([]float64, c.Features)
		}
		var squares float64
		for k := range 400 {
			for j, v := range rowAt(b.Instances, k) {
				sums[int(s.InstanceLabels[i][k])][j] += v
				squares += v * v
			}
		}
		for j := range c.Features {
			if b.Label == 0 {
				m := sums[0][j] / 400
				middles[i] = append(middles[i], m)
				squares -= 400 * m * m
				continue
			}
			m, u := sums[0][j]/200, sums[1][j]/200
			middles[i] = append(middles[i], m)
			squares -= 200 * (m*m + u*u)
			shift += (u - m) * (u - m) / 200 / 20
		}
		within += squares / 400 / 200 / 40
	}
	for j := range c.Features {
		mean := 0.0
		for i := range middles {
			mean += middles[i][j] / 40
		}
		for i := range middles {
			stain += (middles[i][j] - mean) * (middles[i][j] - mean) / 39 / 200
		}
	}
	for _, x := range []struct {
		name              string
		got, want, within float64
	}{{"within a tissue", within, 1, 0.02}, {"of tumour", shift, 9, 4.5}, {"of stain", stain, 4, 0.4}} {
		if math.Abs(x.got-x.want) > x.within {
			t.Errorf("the variance %s is %v, want about %v", x.name, x.got, x.want)
		}
	}
}

// TestDrawSlidesAgain: the seed determines everything, and changing the positions in one bag does not change another
// bag.
func TestDrawSlidesAgain(t *testing.T) {
	c := DefaultSlides()
	c.Patients, c.MostTiles, c.Features = 4, 600, 8
	draw := func(seed uint64) *mil.Set {
		c.Seed = seed
		s, err := DrawSlides(c)
		must(t, err)
		return s
	}
	s, again, other := draw(1), draw(1), draw(2)
	if s.Checksum != again.Checksum || s.Checksum == other.Checksum {
		t.Errorf("checksums %s, %s of the same seed and %s of another", s.Checksum, again.Checksum, other.Checksum)
	}
	if !slices.Equal(layoutOf(t, s.Bags[1]), layoutOf(t, again.Bags[1])) || slices.Equal(layoutOf(t, s.Bags[1]), layoutOf(t, other.Bags[1])) {
		t.Error("places do not follow the seed")
	}
	before := layoutOf(t, s.Bags[0])
	layoutOf(t, s.Bags[0])[0][0] = -1
	if !slices.Equal(layoutOf(t, s.Bags[0]), before) {
		t.Error("the places of a bag can be changed")
	}
	// Bit-identical on every machine, because results identify a set by its checksum.
	if want := "064c3cc0dc9573fc56ffb8bf00cbe2def9d623d9560d6fd699483e4243db7f78"; s.Checksum != want {
		t.Errorf("checksum %s, want %s", s.Checksum, want)
	}
}

func TestDrawSlidesRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*SlidesConfig){
		"1 patients":                       func(c *SlidesConfig) { c.Patients = 1 },
		"with 0 slides each":               func(c *SlidesConfig) { c.Slides = 0 },
		"slides of 0 to":                   func(c *SlidesConfig) { c.LeastTiles = 0 },
		"slides of 500 to 499 tiles":       func(c *SlidesConfig) { c.MostTiles = 499 },
		fmt.Sprint("at most ", mostTiles):  func(c *SlidesConfig) { c.MostTiles = mostTiles + 1 },
		"shares of tumour tiles from 0 to": func(c *SlidesConfig) { c.LeastTumour = 0 },
		"from 0.03 to 0.02":                func(c *SlidesConfig) { c.MostTumour = 0.02 },
		"from 0.03 to 1.5":                 func(c *SlidesConfig) { c.MostTumour = 1.5 },
		"from NaN to":                      func(c *SlidesConfig) { c.LeastTumour = math.NaN() },
		"0 features":                       func(c *SlidesConfig) { c.Features = 0 },
		"and 0 kinds":                      func(c *SlidesConfig) { c.Tissues = 0 },
		fmt.Sprint("more than ", maxDrawn): func(c *SlidesConfig) { c.Patients = math.MaxInt },
		"at most 1000 kinds":               func(c *SlidesConfig) { c.Tissues = 1001 },
		"standard deviation -1":            func(c *SlidesConfig) { c.Stain = -1 },
		"standard deviation +Inf":          func(c *SlidesConfig) { c.Shift = math.Inf(1) },
	} {
		c := DefaultSlides()
		spoil(&c)
		_, err := DrawSlides(c)
		requireOneLine(t, err, "slides", want)
	}
}
