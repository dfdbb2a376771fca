package plotting

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden checks that a figure fits, and that its SVG equals testdata/name, which go test -update writes. Images in it are
// compared by their pixels, which do not depend on how PNG packs them.
func golden(t *testing.T, name string) func(*Figure, error) {
	t.Helper()
	return func(f *Figure, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		drawn, path := svgOf(t, f), filepath.Join("testdata", name)
		fits(t, name)(f, nil)
		if *update {
			must(t, os.WriteFile(path, []byte(drawn), 0o644))
		}
		want, err := os.ReadFile(path)
		must(t, err)
		if unpacked(t, drawn) != unpacked(t, string(want)) {
			t.Errorf("the figure differs from %s; look at it, then run go test ./plotting -update", path)
		}
	}
}

// svgOf returns a figure as SVG.
func svgOf(t *testing.T, f *Figure) string {
	t.Helper()
	var b bytes.Buffer
	must(t, f.Write(&b, SVG))
	return b.String()
}

var embedded = regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]+)`)

// unpacked returns an SVG with the images in it as pixels.
func unpacked(t *testing.T, svg string) string {
	t.Helper()
	return embedded.ReplaceAllStringFunc(svg, func(data string) string {
		packed, err := base64.StdEncoding.DecodeString(embedded.FindStringSubmatch(data)[1])
		must(t, err)
		m, err := png.Decode(bytes.NewReader(packed))
		must(t, err)
		pixels := image.NewNRGBA(m.Bounds())
		draw.Draw(pixels, pixels.Rect, m, m.Bounds().Min, draw.Src)
		return fmt.Sprintf("%v %x", pixels.Rect, pixels.Pix)
	})
}

// paint returns a figure's pixels.
func paint(f *Figure) image.Image {
	return f.pixels(dotsPerInch).Image()
}

// white reports whether all of r is paper.
func white(m image.Image, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); r&g&b != 0xffff {
				return false
			}
		}
	}
	return true
}

// fits checks that a figure is drawn, and that nothing reaches into the outer part of the margin, where it would soon be cut
// off.
func fits(t *testing.T, name string) func(*Figure, error) {
	t.Helper()
	return func(f *Figure, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		m := paint(f)
		b := m.Bounds()
		w, h, edge := b.Dx(), b.Dy(), int((margin / 2).Dots(dotsPerInch))
		for side, r := range map[string]image.Rectangle{
			"left": image.Rect(0, 0, edge, h), "right": image.Rect(w-edge, 0, w, h),
			"top": image.Rect(0, 0, w, edge), "bottom": image.Rect(0, h-edge, w, h),
		} {
			if !white(m, r) {
				t.Errorf("%s: ink in the margin on the %s", name, side)
			}
		}
		if white(m, b) {
			t.Errorf("%s: nothing is drawn", name)
		}
	}
}

// refused checks that a figure was refused with one line that has want.
func refused(t *testing.T, want string) func(*Figure, error) {
	t.Helper()
	return func(f *Figure, err error) {
		t.Helper()
		if f != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Values and names that are hard to draw.
var (
	lists = map[string][]float64{
		"one point":     {0.25},
		"one zero":      {0},
		"equal":         {3, 3, 3, 3},
		"zeros":         {0, 0, 0},
		"nearly equal":  {1, 1 + 1e-12, 1 - 1e-12},
		"huge":          {-1e100, 0, 1e100},
		"huge, equal":   {1e100, 1e100},
		"large":         {123456789, 123456999},
		"small":         {1e-99, 3e-99, 2e-99},
		"tiny":          {5e-324, 0, 1e-300},
		"both signs":    {-0.003, 0.002},
		"wide":          {1e-9, 1, 1e9},
		"below 0":       {-5, -7, -6.5},
		"three quarter": {0.75, 0.5, 0.25},
	}
	long  = strings.Repeat("a long name ", 20)
	solid = strings.ReplaceAll(long, " ", "_")
	odd   = "<&>\"\x00\xff\n日本\t"
)

// many returns n names, one of them long.
func many(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("syn, γ = %d/%d", i, n))
	}
	names[n/2] = long
	return names
}

// named makes n curves of names and indices.
func named[C any](n int, make func(name string, i int) C) []C {
	var all []C
	for i, name := range many(n) {
		all = append(all, make(name, i))
	}
	return all
}

// course returns n values that fall from high towards low.
func course(n int, low, high, rate float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = low + (high-low)*math.Exp(-rate*float64(i))
	}
	return values
}

// same returns so many equal values.
func same(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func figure(t *testing.T) *Figure {
	t.Helper()
	f, err := AUCIntervals("Title", []IntervalRow{{Set: "fox", Setting: "mean", Mean: 0.6, Low: 0.5, High: 0.7}})
	must(t, err)
	return f
}

func TestSave(t *testing.T) {
	f := figure(t)
	dir := t.TempDir()
	for name, magic := range map[string]string{"a.png": "\x89PNG", "b.SVG": "<?xml", "c.pdf": "%PDF-"} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("what stood here before"), 0o600))
		must(t, f.Save(path))
		got, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(got), magic) {
			t.Errorf("%s begins with %q (%v)", name, got[:min(8, len(got))], err)
		}
	}
	for _, path := range []string{
		filepath.Join(dir, "figure"), filepath.Join(dir, "figure.jpg"), filepath.Join(dir, "missing", "figure.png"),
		filepath.Join(dir, "a.png", "figure.png"),
	} {
		if err := f.Save(path); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("saving %s: %v", path, err)
		}
	}
	taken := filepath.Join(dir, "folder.png")
	must(t, os.Mkdir(taken, 0o755))
	if err := f.Save(taken); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("left in the folder: %v", entries)
	}
}

// failing is a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestWrite: errors of the writer are reported, and a PNG has 192 dots per inch.
func TestWrite(t *testing.T) {
	f := figure(t)
	for _, format := range []Format{PNG, SVG, PDF} {
		if err := f.Write(failing{}, format); err == nil {
			t.Errorf("%s: written to a writer that fails", format)
		}
	}
	var b bytes.Buffer
	must(t, f.Write(&b, PNG))
	if m, err := png.DecodeConfig(&b); err != nil || m.Width != 6.5*192 {
		t.Errorf("%d pixels wide, want 6.5 inches of 192 (%v)", m.Width, err)
	}
}

func TestFit(t *testing.T) {
	s := legendStyle()
	for _, width := range []vg.Length{20, 50, 200} {
		got := fit(s, long, width)
		if s.Width(got) > width || !strings.Contains(got, "…") || !strings.HasPrefix(long, got[:1]) {
			t.Errorf("%q is %v wide, not %v", got, s.Width(got), width)
		}
	}
	if got := fit(s, " two\n lines ", 200); got != "two lines" {
		t.Errorf("got %q", got)
	}
	if got := fit(s, "ab", 0); got != "a…" {
		t.Errorf("without room: %q", got)
	}
	if got := fit(s, "a", 0); got != "a" {
		t.Errorf("a letter without room: %q", got)
	}
	// As much is kept as there is room for, and a document without spaces, which takes minutes letter by letter, is fast.
	for _, label := range []string{"abcdefghijklmnopqrstuvwxyz", "x²x₁x²x₁x²x₁x²x₁x²x₁", strings.Repeat("0123456789", 20_000)} {
		got := fit(s, label, 60)
		kept := len([]rune(got)) - 1
		runes := []rune(label)
		more := string(runes[:kept/2+1]) + "…" + string(runes[len(runes)-(kept+1)/2:])
		if s.Width(got) > 60 || s.Width(more) <= 60 {
			t.Errorf("%q is %v wide, %q %v", got, s.Width(got), more, s.Width(more))
		}
	}
	if got := wrap(titleStyle(), "one two three", titleStyle().Width("one two")+1); len(got) != 2 || got[0] != "one two" {
		t.Errorf("wrapped into %q", got)
	}
	if got := wrap(titleStyle(), " ", 100); got != nil {
		t.Errorf("no title wrapped into %q", got)
	}
}
