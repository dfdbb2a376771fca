package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

func fileSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, FileName))
	must(t, err)
	return info.Size()
}

// fakeLines returns the bytes of a file of made-up results.
func fakeLines(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(newFake().folder(t), FileName))
	must(t, err)
	return b
}

func put(t testing.TB, content []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, FileName), content, 0o666))
	return dir
}

// TestTornLine truncates a file at every length within its last two lines: complete lines count, the rest is cut off.
func TestTornLine(t *testing.T) {
	whole := fakeLines(t)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	tail := len(lines[fakeTotal-2]) + len(lines[fakeTotal-1])
	for cut := len(whole) - tail; cut <= len(whole); cut += 23 {
		dir := put(t, whole[:cut])
		want := bytes.LastIndexByte(whole[:cut], '\n') + 1
		n := bytes.Count(whole[:cut], []byte("\n"))
		if results, err := Read(dir); err != nil || len(results) != n {
			t.Fatalf("Read of %d bytes: %d results, %v; want %d", cut, len(results), err, n)
		}
		if fileSize(t, dir) != int64(cut) {
			t.Fatal("Read changed the file")
		}
		f, err := Open(dir)
		must(t, err)
		if len(f.Results()) != n || fileSize(t, dir) != int64(want) {
			t.Errorf("Open of %d bytes: %d results, %d bytes; want %d, %d", cut, len(f.Results()), fileSize(t, dir), n, want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDamagedFile checks that damage anywhere except at the end is reported with its line and not changed.
func TestDamagedFile(t *testing.T) {
	whole := fakeLines(t)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for name, test := range map[string]struct {
		change func(line []byte) []byte
		want   string
	}{
		"cut":     {func(l []byte) []byte { return append(l[:len(l)/2:len(l)/2], '\n') }, "line 3 is damaged"},
		"zeros":   {func(l []byte) []byte { return append(make([]byte, len(l)-1), '\n') }, "line 3 is damaged"},
		"text":    {func([]byte) []byte { return []byte("hello\n") }, "line 3 is damaged"},
		"null":    {func([]byte) []byte { return []byte("null\n") }, "line 3 is damaged"},
		"config":  {func(l []byte) []byte { return bytes.Replace(l, []byte("-3"), []byte("-4"), 1) }, "is not the id of its content"},
		"label":   {func(l []byte) []byte { return bytes.Replace(l, []byte(`"label":0`), []byte(`"label":7`), 1) }, "labels are 0 or 1"},
		"no bags": {func(l []byte) []byte { return bytes.Replace(l, []byte(`"bags"`), []byte(`"gabs"`), 1) }, "no bags"},
		"fold":    {func(l []byte) []byte { return bytes.Replace(l, []byte(`"folds_run":4`), []byte(`"folds_run":9`), 1) }, "out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"iterations":-3`)) })
			changed := test.change(slices.Clone(lines[at]))
			content := slices.Concat(lines[(at+1)%fakeTotal], lines[(at+2)%fakeTotal], changed, lines[(at+3)%fakeTotal])
			dir := put(t, content)
			_, err := Read(dir)
			_, openErr := Open(dir)
			for _, err := range []error{err, openErr} {
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), FileName+": line 3") {
					t.Errorf("error %v, want the file, line 3 and %q in it", err, test.want)
				}
			}
			if b, _ := os.ReadFile(filepath.Join(dir, FileName)); !bytes.Equal(b, content) {
				t.Error("the damaged file was changed")
			}
			if f, err := Open(put(t, lines[0])); err != nil {
				t.Error(err)
			} else if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLongLine writes and reads a line of several megabytes.
func TestLongLine(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	must(t, err)
	r := sample("long", `{"pooling":"syn"}`, 0, 0, []int{0, 1}, []float64{-1, 1})
	r.Bags[0].Winners = make([]int, 1<<20)
	for i := range r.Bags[0].Winners {
		r.Bags[0].Winners[i] = i
	}
	must(t, f.Append(r))
	must(t, f.Close())
	got, err := Read(dir)
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Bags[0].Winners, r.Bags[0].Winners) {
		t.Errorf("%d results, %v", len(got), err)
	}
	if fileSize(t, dir) < 5<<20 {
		t.Error("the line is not long")
	}
}

// TestKinds: results for every kind of target are read back unchanged, with class names.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	var all []Result
	for _, kind := range []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		all = append(all, ofKind(kind))
	}
	newFake().write(t, dir, all)
	if back, err := Read(dir); err != nil || !reflect.DeepEqual(back, all) {
		t.Errorf("read\n%+v, %v\nwritten\n%+v", back, err, all)
	}
}

// TestAppendRefuses checks that unreadable results are not written.
func TestAppendRefuses(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	must(t, err)
	defer f.Close()
	good := sample("set", `{"pooling":"syn"}`, 0, 0, []int{0, 1}, []float64{-1, 1})
	for name, spoil := range map[string]func(*Result){
		"id":     func(r *Result) { r.Fit = "0" },
		"config": func(r *Result) { r.Config = json.RawMessage(`[1]`) },
		"bag":    func(r *Result) { r.Bags = []ScoredBag{{ID: "", Target: mil.Labelled(1)}} },
		"epoch":  func(r *Result) { r.Epoch = 0 },
		"set":    func(r *Result) { r.Set = "" },
		"none":   func(r *Result) { r.Bags = []ScoredBag{{ID: "bag", Target: mil.Labelled(1)}} },
		"two": func(r *Result) {
			r.Bags = []ScoredBag{{ID: "bag", Target: mil.Labelled(1), Scores: []float64{1, 2}}}
		},
		"NaN":     func(r *Result) { r.Bags = []ScoredBag{{ID: "bag", Scores: []float64{math.NaN()}}} },
		"classes": func(r *Result) { r.Target = mil.ClassTarget },
	} {
		r := good
		spoil(&r)
		if err := f.Append(r); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if len(f.Results()) != 0 || fileSize(t, dir) != 0 {
		t.Errorf("%d results, %d bytes", len(f.Results()), fileSize(t, dir))
	}
}

func TestReadAndOpenErrors(t *testing.T) {
	if _, err := Read(t.TempDir()); !errors.Is(err, ErrNoResults) {
		t.Errorf("Read of an empty folder: %v, want ErrNoResults", err)
	}
	file := filepath.Join(put(t, nil), FileName)
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Open of a file: %v", err)
	}
}

// TestFitID checks what determines the id of a fit. The key order of its setting, the set's name, backend, version
// and times do not matter; everything else does.
func TestFitID(t *testing.T) {
	base := sample("set", `{"pooling":"syn","iterations":3}`, 0, 0, []int{0, 1}, []float64{-1, 1})
	id := func(change func(*Result)) string {
		r := base
		change(&r)
		id, err := r.ID()
		must(t, err)
		return id
	}
	for name, change := range map[string]func(*Result){
		"name": func(r *Result) { r.Set = "other" }, "backend": func(r *Result) { r.Backend = "xla" }, "wall": func(r *Result) { r.WallS = 9 },
		"version": func(r *Result) { r.Version, r.Revision = "v9", "f" }, "keys": func(r *Result) { r.Config = json.RawMessage(`{ "iterations":3, "pooling":"syn"}`) },
	} {
		if id(change) != base.Fit {
			t.Errorf("%s changes the id", name)
		}
	}
	seen := map[string]string{base.Fit: "nothing"}
	for name, change := range map[string]func(*Result){
		"checksum": func(r *Result) { r.Checksum = "1" }, "protocol": func(r *Result) { r.Protocol = "nested" }, "folds": func(r *Result) { r.Folds++ },
		"repeat": func(r *Result) { r.Repeat++ }, "fold": func(r *Result) { r.Fold++ }, "seed": func(r *Result) { r.Seed++ },
		"config": func(r *Result) { r.Config = json.RawMessage(`{"pooling":"syn","iterations":4}`) },
	} {
		if other, found := seen[id(change)]; found {
			t.Errorf("%s changes the id as %s does", name, other)
		}
		seen[id(change)] = name
	}
	if len(slices.Collect(maps.Keys(seen))) != 8 {
		t.Errorf("%d ids", len(seen))
	}
	for _, config := range []string{``, `null`, `3`, `{"a":1} {"b":2}`, `{"a":`} {
		r := base
		r.Config = json.RawMessage(config)
		if _, err := r.ID(); err == nil {
			t.Errorf("config %q has an id", config)
		}
	}
}

// TestContradictions: results that cannot all be true are not believed.
func TestContradictions(t *testing.T) {
	first := sample("set", `{"pooling":"syn"}`, 0, 0, []int{0, 1}, []float64{-1, 1})
	other := sample("set", `{"pooling":"mean"}`, 0, 0, []int{1, 1}, []float64{-1, 1})
	fold := sample("set", `{"pooling":"mean"}`, 0, 1, []int{0, 1}, []float64{-1, 1})
	twice := sample("set", `{"pooling":"mean"}`, 0, 0, []int{0, 1}, []float64{-1, 1})
	twice.Bags[1].ID = twice.Bags[0].ID
	for i := range fold.Bags {
		fold.Bags[i].ID = first.Bags[i].ID
	}
	for want, second := range map[string]Result{
		"has another target":         other,
		"is tested in fold 2 of":     fold,
		" is tested twice); remove ": twice,
	} {
		var content []byte
		for _, r := range []Result{first, second} {
			line, err := json.Marshal(r)
			must(t, err)
			content = append(append(content, line...), '\n')
		}
		dir := put(t, content)
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "line 2 is damaged") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// TestAppendToAChangedFile: a file that is removed, replaced or changed during a run is noticed at the next result. On Windows an open
// file cannot be removed, or goes only when it is closed, so that its name still leads to it.
func TestAppendToAChangedFile(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 9) },
		"replaced": func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.Remove(path), os.WriteFile(path, text, 0o666))
		},
		"longer": func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, append(text, text...), 0o666))
		},
	} {
		f, err := Open(t.TempDir())
		must(t, err)
		defer f.Close()
		must(t, f.Append(sample("set", `{"pooling":"syn"}`, 0, 0, []int{0, 1}, []float64{-1, 1})))
		if runtime.GOOS == "windows" && (name == "removed" || name == "replaced") {
			continue
		}
		must(t, change(f.path))
		if err := f.Append(sample("set", `{"pooling":"mean"}`, 0, 0, []int{0, 1}, []float64{-1, 1})); err == nil || !strings.Contains(err.Error(), "nothing is added") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
