package results

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOpenCurves opens a folder left by killed runs. Curves without a result, duplicate curves and an incomplete last
// line are removed; the others do not change.
func TestOpenCurves(t *testing.T) {
	f := newFake()
	f.curves = true
	whole := f.folder(t)
	read := func(dir, name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		return text
	}
	lines, curves := bytes.SplitAfter(read(whole, FileName), []byte("\n")), bytes.SplitAfter(read(whole, CurvesName), []byte("\n"))
	for name, c := range map[string]struct{ results, curves, want [][]byte }{
		"nothing":            {nil, nil, nil},
		"a curve alone":      {nil, curves[:1], nil},
		"a torn curve":       {lines[:7], append(slices.Clone(curves[:7]), curves[7][:30]), curves[:7]},
		"a curve too many":   {lines[:7], curves[:8], curves[:7]},
		"a result taken out": {slices.Concat(lines[:3], lines[4:9]), curves[:9], slices.Concat(curves[:3], curves[4:9])},
		"a curve twice":      {lines[:9], slices.Concat(curves[:9], curves[3:5]), curves[:9]},
		"finished":           {lines, curves, curves},
	} {
		t.Run(name, func(t *testing.T) {
			dir := put(t, bytes.Join(c.results, nil))
			must(t, os.WriteFile(filepath.Join(dir, CurvesName), bytes.Join(c.curves, nil), 0o666))
			file, err := Open(dir)
			must(t, err)
			fits, err := file.OpenCurves()
			must(t, err)
			must(t, file.Close())
			want := bytes.Join(c.want, nil)
			if got := read(dir, CurvesName); !bytes.Equal(got, want) || len(fits) != bytes.Count(want, []byte("\n")) {
				t.Errorf("%d fits, left are\n%s\nwant\n%s", len(fits), got, want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestDamagedCurves checks that damage is reported with its line and not changed.
func TestDamagedCurves(t *testing.T) {
	f := newFake()
	f.curves = true
	dir := f.folder(t)
	path := filepath.Join(dir, CurvesName)
	text, err := os.ReadFile(path)
	must(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, c := range []struct{ old, new, want string }{
		{`"fit"`, `"tif"`, "no fit or no set"},
		{`"repeat":0`, `"repeat":-1`, "out of range"},
		{`"loss":[`, `"loss":[1,`, "5 losses, 0 figures of the validation part and 4 changes of winners"},
		{`"loss":[`, `"loss":[],"l":[`, "no epochs"},
		{`0.5`, `1.5`, "1.5 is not a share"},
		{`"config":{`, `"config":3,"c":{`, "no JSON object"},
		{`{"fit"`, `"fit"`, "line 3 is damaged"},
	} {
		damaged := bytes.Join(slices.Concat(lines[:2], [][]byte{bytes.Replace(lines[2], []byte(c.old), []byte(c.new), 1)}, lines[3:]), nil)
		must(t, os.WriteFile(path, damaged, 0o666))
		_, readErr := ReadCurves(dir)
		_, mergeErr := Merge(t.Context(), []string{dir}, t.TempDir())
		file, err := Open(dir)
		must(t, err)
		_, openErr := file.OpenCurves()
		must(t, file.Close())
		for _, err := range []error{readErr, openErr, mergeErr} {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), CurvesName+": line 3") {
				t.Errorf("error %v, want the file, line 3 and %q in it", err, c.want)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
			t.Errorf("the damaged file was changed (%v)", err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
	if _, err := ReadCurves(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without curves: %v", err)
	}
}
