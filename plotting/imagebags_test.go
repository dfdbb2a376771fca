package plotting

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"
)

// sevenSegments returns a digit of 9 × 6 pixels as a pocket calculator draws it.
func sevenSegments(digit int) []float64 {
	lit := []string{"abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"}[digit]
	m := make([]float64, 9*6)
	for _, s := range lit {
		at := map[rune][4]int{ // from row and column to row and column
			'a': {1, 2, 1, 3}, 'd': {7, 2, 7, 3}, 'g': {4, 2, 4, 3},
			'b': {2, 4, 3, 4}, 'c': {5, 4, 6, 4}, 'e': {5, 1, 6, 1}, 'f': {2, 1, 3, 1},
		}[s]
		for y := at[0]; y <= at[2]; y++ {
			for x := at[1]; x <= at[3]; x++ {
				m[6*y+x] = 1 - 0.1*float64(y%3)
			}
		}
	}
	return m
}

// digitBag returns a bag of n such digits with made-up weights.
func digitBag(name string, n int) ImageBag {
	b := ImageBag{Name: name, Winner: true}
	for i, w := range table(3, n)[len(name)%3] {
		digit := (7*i + len(name)) % 10
		b.Images = append(b.Images, sevenSegments(digit))
		b.Values = append(b.Values, w)
		b.Labels = append(b.Labels, fmt.Sprint(digit))
	}
	return b
}

func TestImageBags(t *testing.T) {
	golden(t, "imagebags.svg")(ImageBags("Which digits decide", "weight", 9, 6, []ImageBag{digitBag("Bag 1, positive", 7), digitBag("Bag 2", 4), digitBag("A bag of twelve", 12)}))
	one := ImageBag{Images: [][]float64{{0.3}}, Values: []float64{1}}
	wide := ImageBag{Images: [][]float64{same(200, 0.5), same(200, 1)}, Values: []float64{0.5, 0.5}}
	wordy := digitBag(long, 40)
	wordy.Labels[0], wordy.Values[0] = long, 7
	zero := digitBag("zero", 3)
	zero.Values, zero.Labels = []float64{0, 0, 0}, nil
	huge := digitBag(odd, 3)
	huge.Values = []float64{1e99, 1e-40, 0}
	twelve := named(12, func(name string, i int) ImageBag { return digitBag(name, 10+i) })
	for name, c := range map[string]struct {
		rows, columns int
		bags          []ImageBag
	}{
		"one pixel": {1, 1, []ImageBag{one}}, "flat": {1, 200, []ImageBag{wide}}, "tall": {200, 1, []ImageBag{wide}},
		"long": {9, 6, []ImageBag{wordy}}, "zero": {9, 6, []ImageBag{zero}}, "huge": {9, 6, []ImageBag{huge}}, "twelve": {9, 6, twelve},
		"many": {9, 6, []ImageBag{digitBag("many", 400)}},
	} {
		fits(t, name)(ImageBags("Title", "weight", c.rows, c.columns, c.bags))
	}
	bag := func(change func(*ImageBag)) []ImageBag {
		b := ImageBag{Images: [][]float64{{0, 1}, {0.5, 0.5}}, Values: []float64{0.1, 0.9}}
		change(&b)
		return []ImageBag{{Images: [][]float64{{0, 1}}, Values: []float64{1}}, b}
	}
	for want, bags := range map[string][]ImageBag{
		"drawing bags of images: there are no bags":     nil,
		"bag 2: there are no images":                    bag(func(b *ImageBag) { b.Images = nil }),
		"bag 2: 2 images but 1 values":                  bag(func(b *ImageBag) { b.Values = b.Values[:1] }),
		"bag 2: 2 images but 1 labels":                  bag(func(b *ImageBag) { b.Labels = []string{"1"} }),
		"bag 2: image 2 has 3 pixels, not 2":            bag(func(b *ImageBag) { b.Images[1] = same(3, 0) }),
		"bag 2: image 1, pixel 2: NaN is not between":   bag(func(b *ImageBag) { b.Images[0][1] = math.NaN() }),
		"bag 2: image 2, pixel 1: 255 is not between 0": bag(func(b *ImageBag) { b.Images[1][0] = 255 }),
		"bag 2: image 2: -1 is negative":                bag(func(b *ImageBag) { b.Values[1] = -1 }),
		"bag 2: image 1: NaN is not a number":           bag(func(b *ImageBag) { b.Values[0] = math.NaN() }),
		"402 images; at most 400 fit in a figure":       {{Images: slices.Repeat([][]float64{{0, 1}}, 402), Values: same(402, 0.1)}},
	} {
		refused(t, want)(ImageBags("", "weight", 1, 2, bags))
	}
	refused(t, "drawing bags of images: the values have no name")(ImageBags("", "", 1, 2, bag(func(*ImageBag) {})))
	for _, size := range [][2]int{{0, 2}, {2, -1}, {257, 1}} {
		refused(t, "a side has 1 to 256")(ImageBags("", "weight", size[0], size[1], bag(func(*ImageBag) {})))
	}
}

// TestImageShares: a full bar is 1, however small the shares are.
func TestImageShares(t *testing.T) {
	b := digitBag("Bag 1, positive", 7)
	for i := range b.Values {
		b.Values[i] /= 10
	}
	golden(t, "imageshares.svg")(ImageShares("Which digit decides", 9, 6, []ImageBag{b}))
	b.Values[1] = 1.5
	refused(t, "drawing shares of images: bag 1: image 2: 1.5 is no share")(ImageShares("", 9, 6, []ImageBag{b}))
}

// TestImageBagsWinner: one image is marked and has its label, or every image has its label.
func TestImageBagsWinner(t *testing.T) {
	b := digitBag("", 4)
	b.Labels = []string{"a", "a", "a", "a"}
	for _, c := range []struct {
		winner        bool
		marks, labels int
	}{{true, 1, 1}, {false, 0, 4}} {
		b.Winner = c.winner
		f, err := ImageBags("", "activation", 9, 6, []ImageBag{b})
		must(t, err)
		svg := svgOf(t, f)
		marks, labels := strings.Count(svg, "largest activation of its bag"), strings.Count(svg, ">a: 0.")
		if marks != c.marks || labels != c.labels {
			t.Errorf("winner %t: %d marks explained and %d labels, want %d and %d", c.winner, marks, labels, c.marks, c.labels)
		}
	}
}

// TestImagePixels: the image in the figure is the caller's, 1 as black, each pixel a square of dots.
func TestImagePixels(t *testing.T) {
	g := imageGrid{rows: 2, columns: 3}
	g.size.X, g.size.Y = 6, 4 // points, so 16 dots
	m := g.image([]float64{0, 0.5, 1, 1, 0.2, 0})
	k := m.Bounds().Dx() / 3
	if k < 5 || m.Bounds() != image.Rect(0, 0, 3*k, 2*k) {
		t.Fatalf("the image is %v", m.Bounds())
	}
	for y := range 2 * k {
		for x := range 3 * k {
			want := []uint8{255, 128, 0, 0, 204, 255}[y/k*3+x/k]
			if got := m.(*image.Gray).GrayAt(x, y).Y; got != want {
				t.Fatalf("dot %d, %d is %d, want %d", x, y, got, want)
			}
		}
	}
}
