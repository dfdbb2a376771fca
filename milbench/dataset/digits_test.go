package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

// idx writes an IDX file of bytes.
func idx(data []byte, sizes ...uint32) []byte {
	out := []byte{0, 0, 8, byte(len(sizes))}
	for _, n := range sizes {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return append(out, data...)
}

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(data)
	z.Close()
	return out.Bytes()
}

// digitFiles says how to draw bags of the digits in two files.
type digitFiles struct {
	generate.DigitsConfig
	Images, Labels string
}

func readDigits(c digitFiles) (*mil.Set, error) {
	all, err := ReadImages(c.Images, c.Labels)
	if err != nil {
		return nil, err
	}
	return c.Draw(all)
}

// fakeDigits writes 250 images of 1x2 pixels: their number, and the digit, which is the number modulo 10.
func fakeDigits(t *testing.T) digitFiles {
	t.Helper()
	var images, labels []byte
	for k := range 250 {
		images = append(images, byte(k+1), byte(k%10))
		labels = append(labels, byte(k%10))
	}
	c := digitFiles{DigitsConfig: generate.DefaultDigits()}
	c.Images, c.Labels = filepath.Join(t.TempDir(), "images.gz"), filepath.Join(t.TempDir(), "labels")
	must(t, os.WriteFile(c.Images, gzipped(idx(images, 250, 1, 2)), 0o600))
	must(t, os.WriteFile(c.Labels, idx(labels, 250), 0o600))
	return c
}

func TestReadDigits(t *testing.T) {
	c := fakeDigits(t)
	c.Bags, c.Target = 2000, 3
	s, err := readDigits(c)
	must(t, err)
	if len(s.Bags) != 2000 || s.NumFeatures() != 2 {
		t.Fatalf("%d bags of %d features", len(s.Bags), s.NumFeatures())
	}
	var n, sum, squares float64
	seen := make(map[float64]bool)
	x := make([]float32, 2)
	for i, b := range s.Bags {
		label := 0
		for k := range b.Instances.Len() {
			must(t, b.Instances.Read(k, k+1, x))
			number, digit := math.Round(255*float64(x[0])), math.Round(255*float64(x[1]))
			if x[0] != float32(number/255) || digit != math.Mod(number-1, 10) {
				t.Fatalf("bag %s holds %v, which is no image", b.ID, x)
			}
			seen[number] = true
			isTarget := 0.0
			if digit == 3 {
				isTarget, label = 1, 1
			}
			if s.InstanceLabels[i][k] != isTarget {
				t.Fatalf("bag %s: instance label %v for a %v", b.ID, s.InstanceLabels[i][k], digit)
			}
		}
		if b.Label != label {
			t.Fatalf("bag %s has label %d, want %d", b.ID, b.Label, label)
		}
		size := float64(b.Instances.Len())
		n, sum, squares = n+1, sum+size, squares+size*size
	}
	// 20,000 draws: every image comes (chance of a miss: 250 (1-1/250)^20000 < 1e-32). Rounding adds 1/12 to the
	// variance of 4; bounds are at five standard errors.
	mean, variance := sum/n, squares/n-sum*sum/(n*n)
	if math.Abs(mean-10) > 5*math.Sqrt(4.083/n) || math.Abs(variance-4.083) > 5*4.083*math.Sqrt(2/n) {
		t.Errorf("bag sizes have mean %v and variance %v, want 10 and 4.08", mean, variance)
	}
	// A bag of n digits is positive with 1-0.9^n: 64.4 % at these sizes.
	if p := float64(s.NumPositive()) / n; math.Abs(p-0.644) > 5*math.Sqrt(0.644*0.356/n) {
		t.Errorf("%v of the bags are positive, want about 0.644", p)
	}
	if len(seen) != 250 {
		t.Errorf("%d images of 250 drawn", len(seen))
	}

	again, err := readDigits(c)
	if err != nil || again.Checksum != s.Checksum {
		t.Errorf("the same seed gives %s and %s (%v)", s.Checksum, again.Checksum, err)
	}
	c.Seed++
	if other, err := readDigits(c); err != nil || other.Checksum == s.Checksum {
		t.Errorf("another seed gives the same set (%v)", err)
	}
}

// Bags of a part of the images hold nothing else, and those of all are those of the files.
func TestDraw(t *testing.T) {
	c := fakeDigits(t)
	want, err := readDigits(c)
	must(t, err)
	all, err := ReadImages(c.Images, c.Labels)
	must(t, err)
	c.Images, c.Labels = "", ""
	if s, err := c.Draw(all); err != nil || s.Checksum != want.Checksum {
		t.Errorf("all images: %v, want the bags of the files", err)
	}
	part := generate.Images{Rows: 1, Columns: 2, Pixels: all.Pixels[2*200:], Labels: all.Labels[200:]}
	s, err := c.Draw(part)
	must(t, err)
	x := make([]float32, 2)
	for _, b := range s.Bags {
		for k := range b.Instances.Len() {
			if err := b.Instances.Read(k, k+1, x); err != nil || math.Round(255*float64(x[0])) <= 200 {
				t.Fatalf("bag %s holds image %v, which is not of the part", b.ID, 255*x[0])
			}
		}
	}
	for name, images := range map[string]generate.Images{
		"none":    {Rows: 1, Columns: 2},
		"no size": {Pixels: part.Pixels, Labels: part.Labels},
		"fewer":   {Rows: 1, Columns: 2, Pixels: part.Pixels[2:], Labels: part.Labels},
		"cut":     {Rows: 1, Columns: 2, Pixels: part.Pixels[:99], Labels: part.Labels[:49]},
		"huge":    {Rows: math.MaxInt, Columns: math.MaxInt, Pixels: part.Pixels, Labels: part.Labels},
	} {
		_, err := c.Draw(images)
		requireOneLine(t, err, "digits", "give as many labels as images")
		if err == nil {
			t.Error(name)
		}
	}
	c.Bags = 1
	_, err = c.Draw(all)
	requireOneLine(t, err, "digits", "draw at least 2")
}

func TestReadDigitsSmallBags(t *testing.T) {
	c := fakeDigits(t)
	c.Bags, c.MeanSize, c.SDSize = 200, 1, 3
	s, err := readDigits(c)
	must(t, err)
	ones := 0
	for _, b := range s.Bags {
		if b.Instances.Len() == 1 {
			ones++
		}
	}
	if ones < 90 { // more than half of the draws are below 1.5
		t.Errorf("%d bags of 1, want about 113", ones)
	}
}

func TestReadDigitsRefuses(t *testing.T) {
	good := fakeDigits(t)
	folder := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, data, 0o600))
		return path
	}
	for name, c := range map[string]struct {
		spoil      func(c *digitFiles)
		file, want string
	}{
		"bags":       {func(c *digitFiles) { c.Bags = 1 }, "digits", "1 bags; draw at least 2"},
		"mean":       {func(c *digitFiles) { c.MeanSize = math.NaN() }, "digits", "mean bag size NaN"},
		"deviation":  {func(c *digitFiles) { c.SDSize = -1 }, "digits", "standard deviation -1"},
		"target":     {func(c *digitFiles) { c.Target = 10 }, "digits", "target 10"},
		"positive":   {func(c *digitFiles) { c.MeanSize = 1000; c.Bags = 5 }, "digits", "all 5 bags have label 1; two classes are needed"},
		"too many":   {func(c *digitFiles) { c.MeanSize = 1e18 }, "digits", "draw fewer or smaller bags"},
		"no images":  {func(c *digitFiles) { c.Images = filepath.Join(folder, "none") }, "open " + filepath.Join(folder, "none"), syscall.ENOENT.Error()},
		"mismatch":   {func(c *digitFiles) { c.Labels = file("l2", idx([]byte{9, 1}, 2)) }, good.Images, "holds 250 images and"},
		"swapped":    {func(c *digitFiles) { c.Images = good.Labels }, good.Labels, "begins with 00 00 08 01, not with 00 00 08 03"},
		"empty file": {func(c *digitFiles) { c.Labels = file("l0", nil) }, filepath.Join(folder, "l0"), "the file is empty"},
		"floats":     {func(c *digitFiles) { c.Labels = file("lf", []byte{0, 0, 13, 1}) }, filepath.Join(folder, "lf"), "begins with 00 00 0d 01"},
		"no digits":  {func(c *digitFiles) { c.Labels = file("ln", idx(nil, 0)) }, filepath.Join(folder, "ln"), "dimension 1 is 0"},
		"truncated":  {func(c *digitFiles) { c.Labels = file("lt", idx(make([]byte, 249), 250)) }, filepath.Join(folder, "lt"), "ends early"},
		"head alone": {func(c *digitFiles) { c.Labels = file("lh", idx(nil)) }, filepath.Join(folder, "lh"), "begins with"},
		"cut head":   {func(c *digitFiles) { c.Labels = file("lc", []byte{0, 0, 8, 1, 0}) }, filepath.Join(folder, "lc"), "ends early"},
		"too long":   {func(c *digitFiles) { c.Labels = file("ll", idx(make([]byte, 251), 250)) }, filepath.Join(folder, "ll"), "goes on after the 250 bytes"},
		"huge":       {func(c *digitFiles) { c.Images = file("ih", idx(nil, 1<<31, 1<<31, 1<<31)) }, filepath.Join(folder, "ih"), "more than a file holds"},
		"large":      {func(c *digitFiles) { c.Images = file("il", idx(make([]byte, 9), 1<<20, 1<<10, 1<<10)) }, filepath.Join(folder, "il"), "ends early"},
		"bit flip": {func(c *digitFiles) {
			z := gzipped(idx(make([]byte, 250), 250))
			z[len(z)-6] ^= 1
			c.Labels = file("lz", z)
		}, filepath.Join(folder, "lz"), "invalid checksum"},
		"folder": {func(c *digitFiles) { c.Labels = folder }, folder, "is a folder, not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			c2 := good
			c.spoil(&c2)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readDigits(c2)
			runtime.ReadMemStats(&after)
			requireOneLine(t, err, c.file, c.want)
			if mb := float64(after.TotalAlloc-before.TotalAlloc) / 1e6; mb > 8 {
				t.Errorf("%.1f MB allocated", mb)
			}
		})
	}
}
