package plotting

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

var embedded = regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]+)`)

// unpacked returns an SVG with the images in it as pixels, which do not depend on how PNG packs them.
func unpacked(t *testing.T, svg []byte) string {
	t.Helper()
	return string(embedded.ReplaceAllFunc(svg, func(data []byte) []byte {
		packed, err := base64.StdEncoding.DecodeString(string(embedded.FindSubmatch(data)[1]))
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		grey, ok := m.(*image.Gray)
		if !ok {
			t.Fatalf("the image is a %T", m)
		}
		return fmt.Appendf(nil, "%v %x", grey.Rect, grey.Pix)
	}))
}

func TestImageBags(t *testing.T) {
	bags := []ImageBag{digitBag("Bag 1, positive", 7), digitBag("Bag 2", 4), digitBag("A bag of twelve", 12)}
	f, err := ImageBags("Which digits decide", "weight", 9, 6, bags)
	if err != nil {
		t.Fatal(err)
	}
	framed(t, "golden", f)
	svg := goldenImages(t, f, "imagebags.svg")
	if got := len(embedded.FindAll(svg, -1)); got != 23 {
		t.Errorf("%d images, want 23", got)
	}
}

// goldenImages is [golden] of a figure with images, and returns what was drawn.
func goldenImages(t *testing.T, f *Figure, name string) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	var b bytes.Buffer
	if err := f.Write(&b, SVG); err != nil {
		t.Fatal(err)
	}
	if *update {
		golden(t, f, name)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if unpacked(t, b.Bytes()) != unpacked(t, want) {
		t.Errorf("the figure differs from %s; look at it, then run go test ./plotting -update", path)
	}
	return b.Bytes()
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
		if err != nil {
			t.Fatal(err)
		}
		var svg bytes.Buffer
		if err := f.Write(&svg, SVG); err != nil {
			t.Fatal(err)
		}
		marks, labels := strings.Count(svg.String(), "largest activation of its bag"), strings.Count(svg.String(), ">a: 0.")
		if marks != c.marks || labels != c.labels {
			t.Errorf("winner %t: %d marks explained and %d labels, want %d and %d", c.winner, marks, labels, c.marks, c.labels)
		}
	}
}

// TestPDFImagesStandUpright follows the matrices of a PDF up to an image, whose unit square it draws from below to above.
func TestPDFImagesStandUpright(t *testing.T) {
	f, err := ImageBags("", "weight", 9, 6, []ImageBag{digitBag("", 2)})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, PDF); err != nil {
		t.Fatal(err)
	}
	type matrix = [6]float64
	images := 0
	for _, part := range bytes.Split(b.Bytes(), []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // what is not compressed, and what follows a stream
		}
		page, err := io.ReadAll(r)
		if err != nil || !bytes.Contains(page, []byte(" Do")) {
			continue
		}
		now, stack, operands := matrix{1, 0, 0, 1}, []matrix(nil), []float64(nil)
		for _, token := range strings.Fields(string(page)) {
			if v, err := strconv.ParseFloat(token, 64); err == nil {
				operands = append(operands, v)
				continue
			}
			switch token {
			case "q":
				stack = append(stack, now)
			case "Q":
				now, stack = stack[len(stack)-1], stack[:len(stack)-1]
			case "cm":
				m, n := operands[len(operands)-6:], now
				now = matrix{
					m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
					m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
				}
			case "Do":
				images++
				if now[0] <= 0 || now[3] <= 0 || now[1] != 0 || now[2] != 0 {
					t.Errorf("image %d is drawn by %v", images, now)
				}
				x, y := now[4], now[5]
				if x < 0 || y < 0 || x+now[0] > float64(f.width) || y+now[3] > float64(f.height) {
					t.Errorf("image %d is drawn outside the page by %v", images, now)
				}
			}
			operands = nil
		}
	}
	if images != 2 {
		t.Errorf("%d images in the PDF, want 2", images)
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

func TestImageBagsFit(t *testing.T) {
	one := ImageBag{Images: [][]float64{{0.3}}, Values: []float64{1}}
	wide := ImageBag{Images: [][]float64{same(200, 0.5), same(200, 1)}, Values: []float64{0.5, 0.5}}
	long := digitBag(strings.Repeat("a long name ", 20), 40)
	long.Labels[0] = strings.Repeat("label ", 20)
	long.Values[0] = 7
	zero := digitBag("zero", 3)
	zero.Values, zero.Labels = []float64{0, 0, 0}, nil
	huge := digitBag("日本 <&>\x00", 3)
	huge.Values = []float64{1e99, 1e-40, 0}
	var twelve []ImageBag
	for i := range 12 {
		twelve = append(twelve, digitBag(fmt.Sprintf("Bag %d", i+1), 10+i))
	}
	for name, c := range map[string]struct {
		rows, columns int
		bags          []ImageBag
	}{
		"one pixel": {1, 1, []ImageBag{one}}, "flat": {1, 200, []ImageBag{wide}}, "tall": {200, 1, []ImageBag{wide}},
		"long": {9, 6, []ImageBag{long}}, "zero": {9, 6, []ImageBag{zero}}, "huge": {9, 6, []ImageBag{huge}}, "twelve": {9, 6, twelve},
		"many": {9, 6, []ImageBag{digitBag("many", 400)}},
	} {
		f, err := ImageBags("Title", "weight", c.rows, c.columns, c.bags)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
	}
}

func TestImageBagsRefuses(t *testing.T) {
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
		"402 images; at most 400 fit in a figure":       append(bag(func(*ImageBag) {})[:1], digitPixels(401)),
	} {
		refused(t, want)(ImageBags("", "weight", 1, 2, bags))
	}
	refused(t, "drawing bags of images: the values have no name")(ImageBags("", "", 1, 2, bag(func(*ImageBag) {})))
	for _, size := range [][2]int{{0, 2}, {2, -1}, {257, 1}} {
		refused(t, "a side has 1 to 256")(ImageBags("", "weight", size[0], size[1], bag(func(*ImageBag) {})))
	}
}

// digitPixels returns a bag of n images of two pixels.
func digitPixels(n int) ImageBag {
	b := ImageBag{Values: same(n, 0.1)}
	for range n {
		b.Images = append(b.Images, []float64{0, 1})
	}
	return b
}
