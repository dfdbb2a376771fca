package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

type golden struct {
	Arrays []struct {
		File, Path, Type string
		Shape            []int64
		Values           []float64
	}
	Refused []struct{ File, Path, Because string }
}

func readGolden(t testing.TB) golden {
	t.Helper()
	g := goldenfile.Read[golden](t, "golden.json")
	if len(g.Arrays) < 80 || len(g.Refused) < 10 {
		t.Fatalf("%d arrays, %d refused", len(g.Arrays), len(g.Refused))
	}
	return g
}

// opened returns a file of testdata.
func opened(t testing.TB, name string) *File {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	return f
}

// values are the numbers of a type.
func values(t Type, b []byte) (list []float64) {
	for ; len(b) > 0; b = b[t.Size:] {
		var bits uint64
		switch t.Size {
		case 1:
			bits = uint64(b[0])
		case 2:
			bits = uint64(t.Order.Uint16(b))
		case 4:
			bits = uint64(t.Order.Uint32(b))
		case 8:
			bits = t.Order.Uint64(b)
		}
		switch {
		case t.Kind == Uint:
			list = append(list, float64(bits))
		case t.Kind == Int:
			list = append(list, float64(int64(bits<<(64-8*t.Size))>>(64-8*t.Size)))
		case t.Size == 8:
			list = append(list, math.Float64frombits(bits))
		case t.Size == 4:
			list = append(list, float64(math.Float32frombits(uint32(bits))))
		default: // the values of the reference are normal
			v := math.Ldexp(float64(1024+bits&1023), int(bits>>10&31)-25)
			if bits&0x7fff == 0 {
				v = 0
			}
			list = append(list, math.Copysign(v, -float64(bits>>15)+0.5))
		}
	}
	return list
}

// TestGolden: shapes, types and values are those that h5py wrote (testdata/golden.py), of the whole array and of parts of it.
func TestGolden(t *testing.T) {
	files := map[string]*File{}
	for _, g := range readGolden(t).Arrays {
		if files[g.File] == nil {
			files[g.File] = opened(t, g.File)
		}
		a, err := files[g.File].Array(g.Path)
		if err != nil {
			t.Errorf("%s %s: %v", g.File, g.Path, err)
			continue
		}
		if !slices.Equal(a.Shape, g.Shape) || a.Type.String() != g.Type {
			t.Errorf("%s: %v of %v, want %v of %s", g.Path, a.Shape, a.Type, g.Shape, g.Type)
			continue
		}
		b, err := a.Read(make([]int64, len(a.Shape)), a.Shape)
		if err != nil || !slices.Equal(values(a.Type, b), g.Values) {
			t.Errorf("%s: %v, %v, want %v", g.Path, values(a.Type, b), err, g.Values)
		}
		if len(a.Shape) == 0 || a.Shape[0] == 0 {
			continue
		}
		for first := int64(0); first < a.Shape[0]; first += 2 {
			for last := first + 1; last <= a.Shape[0]; last += 3 {
				requirePart(t, a, g.Values, first, last)
			}
		}
	}
}

// requirePart compares a part of an array with the values of all of it: some places of the first dimension, all but the first and the last of the
// others where they have three.
func requirePart(t *testing.T, a *Array, all []float64, first, last int64) {
	t.Helper()
	start, count := make([]int64, len(a.Shape)), slices.Clone(a.Shape)
	start[0], count[0] = first, last-first
	for k := 1; k < len(start); k++ {
		if count[k] > 2 && first%4 == 0 {
			start[k], count[k] = 1, count[k]-2
		}
	}
	var want []float64
	for i, v := range all {
		inside, rest := true, int64(i)
		for k := len(start) - 1; k >= 0; k-- {
			at := rest % a.Shape[k]
			rest /= a.Shape[k]
			inside = inside && at >= start[k] && at < start[k]+count[k]
		}
		if inside {
			want = append(want, v)
		}
	}
	b, err := a.Read(start, count)
	if got := values(a.Type, b); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v from %v: %v, %v, want %v", count, start, got, err, want)
	}
}

// TestRefused: the error names what is not supported.
func TestRefused(t *testing.T) {
	for _, g := range readGolden(t).Refused {
		_, err := opened(t, g.File).Array(g.Path)
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), g.Because) || !strings.HasPrefix(err.Error(), "/"+g.Path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", g.Path, err, g.Because)
		}
	}
	f := opened(t, "default.h5")
	for _, path := range []string{"nothing", "clam/nothing", "clam/features/x"} {
		if _, err := f.Array(path); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	a, err := f.Array("same")
	must(t, err)
	for _, c := range [][2][]int64{{{0}, {1}}, {{-1, 0}, {1, 1}}, {{0, 0}, {31, 8}}, {{0, 8}, {1, 1}}, {{0, 0}, {-1, 1}}} {
		if _, err := a.Read(c[0], c[1]); err == nil {
			t.Errorf("%v from %v of %v was read", c[1], c[0], a.Shape)
		}
	}
}

func TestNames(t *testing.T) {
	f := opened(t, "default.h5")
	names, err := f.Names("clam")
	if err != nil || !slices.Equal(names, []string{"coords", "features"}) {
		t.Errorf("%v, %v", names, err)
	}
	if names, err = f.Names("many"); err != nil || len(names) != 40 {
		t.Errorf("%v, %v", names, err)
	}
	if names, err = opened(t, "latest.h5").Names("/"); err != nil || len(names) != 6 {
		t.Errorf("%v, %v", names, err)
	}
	for path, want := range map[string]bool{"clam": false, "clam/features": true} {
		if is, err := f.IsArray(path); err != nil || is != want {
			t.Errorf("%s: %t, %v", path, is, err)
		}
	}
}

// TestTree reads an array whose chunks are in a tree of two levels.
func TestTree(t *testing.T) {
	a, err := opened(t, "default.h5").Array("long")
	must(t, err)
	for _, from := range []int64{0, 1, 4093, 9990} {
		b, err := a.Read([]int64{from, 0}, []int64{10, 2})
		must(t, err)
		for i, v := range values(a.Type, b) {
			if want := float64((2*from + int64(i)) % 7); v != want {
				t.Errorf("from %d: number %d is %v, want %v", from, i, v, want)
			}
		}
	}
}

// readAll reads all arrays of a file, as far as they can be read, and the groups in which they are.
func readAll(b []byte) error {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	var errs []error
	var walk func(path string, depth int)
	walk = func(path string, depth int) {
		names, err := f.Names(path)
		errs = append(errs, err)
		for _, name := range names {
			attributes, err := f.Attributes(path + "/" + name)
			errs = append(errs, err)
			for _, a := range attributes {
				_, err := a.Read(make([]int64, len(a.Shape)), a.Shape)
				errs = append(errs, err)
			}
			a, err := f.Array(path + "/" + name)
			errs = append(errs, err)
			if err != nil && depth < 3 {
				walk(path+"/"+name, depth+1)
			}
			if err != nil {
				continue
			}
			count := slices.Clone(a.Shape)
			for k := range count {
				count[k] = min(count[k], 100)
			}
			_, err = a.Read(make([]int64, len(count)), count)
			errs = append(errs, err)
		}
	}
	walk("", 0)
	return errors.Join(errs...)
}

// requireKnown checks that an error is of a declared kind, on one line.
func requireKnown(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var list []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	} else {
		list = []error{err}
	}
	for _, e := range list {
		if e != nil && (!errors.Is(e, ErrDamaged) && !errors.Is(e, ErrUnsupported) && !errors.Is(e, ErrNotFound) || strings.Contains(e.Error(), "\n")) {
			t.Fatalf("%q", e)
		}
	}
}

// TestTruncated: a file that ends early is damaged, wherever it ends.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"latest.h5", "block.h5"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		must(t, err)
		for n := 0; n < len(b); n += 1 + len(b)/500 {
			if _, err := Open(bytes.NewReader(b[:n]), int64(n)); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) {
				t.Fatalf("%s, %d of %d bytes: %v", name, n, len(b), err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"latest.h5", "block.h5"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, 40, byte(255))
		f.Add(b, 900, byte(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, at int, v byte) {
		b = slices.Clone(b)
		if len(b) > 0 {
			b[(at%len(b)+len(b))%len(b)] ^= v
		}
		requireKnown(t, readAll(b))
	})
}

// TestAttributes: what h5py wrote beside an array.
func TestAttributes(t *testing.T) {
	all, err := opened(t, "default.h5").Attributes("clam/coords")
	if err != nil || len(all) != 1 || all["patch_size"] == nil {
		t.Fatalf("%v, %v", all, err)
	}
	a := all["patch_size"]
	if b, err := a.Read(nil, nil); err != nil || !slices.Equal(values(a.Type, b), []float64{256}) {
		t.Errorf("%v, %v", b, err)
	}
}

// TestMutated changes bytes of a file with all kinds of arrays: what is read of it is numbers or a known error.
func TestMutated(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "default.h5"))
	must(t, err)
	for k := range 300 {
		changed := slices.Clone(b)
		for i := range 3 {
			changed[(k*7919+i*104729)%len(b)] ^= byte(1 << (k % 8))
		}
		requireKnown(t, readAll(changed))
	}
}

// TestLZF: the LibLZF reader refuses data that it cannot decompress.
func TestLZF(t *testing.T) {
	for _, b := range [][]byte{{5, 1}, {0x20}, {0x20, 0}, {0xe0}, {0, 7, 0xe0, 0xff, 0}} {
		out, err := unLZF(b, 100)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%v: %v, %v", b, out, err)
		}
	}
	if out, err := unLZF([]byte{1, 7, 8, 0x20, 1}, 100); err != nil || fmt.Sprint(out) != "[7 8 7 8 7]" {
		t.Errorf("%v, %v", out, err)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
