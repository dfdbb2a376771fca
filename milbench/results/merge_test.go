package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/milbench/cluster"
)

// requireCurves requires one curve per result in a folder.
func requireCurves(t *testing.T, dir string) {
	t.Helper()
	found, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, CurvesName))
	if err != nil {
		t.Fatal(err)
	}
	var with, without []string
	for line := range bytes.Lines(text) {
		var c Curve
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		with = append(with, c.Fit)
	}
	for _, r := range found {
		without = append(without, r.Fit)
	}
	slices.Sort(with)
	slices.Sort(without)
	if !slices.Equal(with, without) {
		t.Errorf("%d curves, not one of each of %d results", len(with), len(without))
	}
}

// folderBytes returns the merged files of a folder.
func folderBytes(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{FileName, CurvesName, SpacesName, TimesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s\n%s\n", name, text)
	}
	return all.String()
}

func mustMerge(t *testing.T, dirs []string, out string, p *cluster.Plan) Merged {
	t.Helper()
	m, err := Merge(context.Background(), dirs, out, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestClocks: the times of files and folders do not influence what is merged or skipped.
func TestClocks(t *testing.T) {
	f := newFake()
	p := f.plan(t, 3)
	dir, out := t.TempDir(), t.TempDir()
	for shard := range 3 {
		f.shard(t, dir, p, shard)
	}
	mustMerge(t, []string{dir}, out, nil)
	want := folderBytes(t, out)
	random := rand.New(rand.NewPCG(8, 3))
	for range 3 {
		if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			at := time.Unix(random.Int64N(4e9), 0) // 1970 to 2096
			return os.Chtimes(path, at, at)
		}); err != nil {
			t.Fatal(err)
		}
		if n := f.shard(t, dir, p, 1); n != 0 {
			t.Errorf("%d fits of a finished shard are left", n)
		}
		out := t.TempDir()
		mustMerge(t, []string{dir}, out, nil)
		if folderBytes(t, out) != want {
			t.Error("other bytes with other times of the files")
		}
	}
}

// TestMergeDisagreement: attempts at one fit with different scores are reported, and the same one is kept whatever
// the order.
func TestMergeDisagreement(t *testing.T) {
	f := newFake()
	p := f.plan(t, 1)
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		f.shard(t, dir, p, 0)
	}
	files, err := filepath.Glob(filepath.Join(two, AttemptsName, "*", FileName))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var changed bytes.Buffer
	n := 0
	var fit string
	for line := range bytes.Lines(text) {
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if n++; n == 7 {
			r.Bags[3].Scores[0] += 1e-9
			fit = r.Fit
		} else if n == 8 { // winners are not scores
			r.Bags[0].Winners = nil
		}
		if line, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		changed.Write(append(line, '\n'))
	}
	if err := os.WriteFile(files[0], changed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, dirs := range [][]string{{one, two}, {two, one}} {
		out := t.TempDir()
		m := mustMerge(t, dirs, out, nil)
		if m.Disagreements != 1 || len(m.Disagreeing) != 1 || m.Disagreeing[0].Fit != fit || m.Disagreeing[0].Bags != nil || m.Results != fakeTotal || m.Duplicates != fakeTotal {
			t.Errorf("%+v", m)
		}
		kept = append(kept, folderBytes(t, out))
	}
	if kept[0] != kept[1] {
		t.Error("the order of the folders says what is kept")
	}
}

// TestMergeCurveless: a merge keeps the curves of its results. If the plan asks for curves, it reports how many
// results have none.
func TestMergeCurveless(t *testing.T) {
	f := newFake()
	all := f.results()
	f.curves = true
	p, one, two := f.plan(t, 1), t.TempDir(), t.TempDir()
	if _, err := Follow(one, p); err != nil {
		t.Fatal(err)
	}
	f.write(t, one, all[:20])
	f.curves = false
	f.write(t, two, all[15:40]) // five of them with a curve in the other folder
	out := t.TempDir()
	if m := mustMerge(t, []string{one, two}, out, nil); m.Results != 40 || m.Curves != 20 || m.Curveless != 20 || m.Duplicates != 0 || len(m.Missing.Fits) != fakeTotal-40 {
		t.Errorf("%+v", m)
	}
	file, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fits, err := file.OpenCurves()
	if done := file.Finished(); err != nil || len(done) != 40 || !done[all[39].Fit] || done[all[40].Fit] || len(fits) != 20 || !fits[all[19].Fit] || fits[all[20].Fit] {
		t.Errorf("%d results, %d curves, %v", len(done), len(fits), err)
	}
}

// TestMergeRefuses: incompatible input is refused in one line, and nothing is written.
func TestMergeRefuses(t *testing.T) {
	f := newFake()
	p := f.plan(t, 2)
	newFolder := func(change func(p *cluster.Plan)) string {
		dir := t.TempDir()
		f.shard(t, dir, p, 0)
		if change != nil {
			other := *p
			change(&other)
			if err := WritePlan(filepath.Join(dir, PlanName), &other); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	rewritten := func(old, new string) string {
		dir := newFolder(nil)
		files, _ := filepath.Glob(filepath.Join(dir, AttemptsName, "*", FileName))
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Replace(text, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("no %s", old)
		}
		if err := os.WriteFile(files[0], changed, 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	good := newFolder(nil)
	other, reseeded := newFake(), newFake()
	other.settings, reseeded.seed = []string{`{"pooling":"max"}`}, 2
	stranger := other.folder(t)
	for _, c := range []struct{ dir, want string }{
		{newFolder(func(o *cluster.Plan) { o.Version = "v9" }), "one is of version v0, the other of v9"},
		{newFolder(func(o *cluster.Plan) { o.Backend = "xla:cpu" }), "one is for backend fake, the other for xla:cpu"},
		{newFolder(func(o *cluster.Plan) { *o = *reseeded.plan(t, 2) }), "one has seed 1, the other 2"},
		{stranger, `which is not of the plan; merge folders of one study`},
		{rewritten(`"version":"v0"`, `"version":"v1"`), "merge results of one version and backend"},
		{rewritten(`"backend":"fake"`, `"backend":"other"`), "merge results of one version and backend"},
		{rewritten(`"fold":`, `"fold":1`), "line 1 is damaged"},
		{rewritten("\n", "}\n"), "line 1 is damaged"},
		{filepath.Join(good, "nothing"), syscall.ENOENT.Error()},
	} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := Merge(context.Background(), []string{good, c.dir}, out, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q in it", err, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(out, "[^.]*")); left != nil {
			t.Errorf("%s: left behind: %v", c.want, left)
		}
	}
	if _, err := Follow(good, reseeded.plan(t, 2)); err == nil || !strings.Contains(err.Error(), "holds fits of another plan (one has seed 1, the other 2); choose another --out") {
		t.Errorf("a second plan in one folder: %v", err)
	}
	open, err := Open(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(context.Background(), []string{good}, good, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("a folder that a run writes to: %v", err)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Merge(canceled, []string{good}, good, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(good, ".*.part")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := Unmerged(good); !errors.Is(err, ErrUnmerged) {
		t.Errorf("attempts that are not merged: %v", err)
	}
	mustMerge(t, []string{good}, good, nil)
	if err := Unmerged(good); err != nil {
		t.Error(err)
	}
}

// TestMergeParts: if no folder follows all fits, the whole plan is required and nothing is written without it. It may
// come from another machine, but the folders must agree in backend. The caller's plan is not changed.
func TestMergeParts(t *testing.T) {
	f := newFake()
	p := f.plan(t, 2)
	var dirs []string
	for shard := range 2 {
		dir := t.TempDir()
		part := p.Keep(func(id string) bool {
			return slices.ContainsFunc(p.Shard(shard), func(f cluster.Fit) bool { return f.ID == id })
		})
		part.Divide(1)
		f.shard(t, dir, part, 0)
		dirs = append(dirs, dir)
	}
	out := t.TempDir()
	if _, err := Merge(context.Background(), dirs, out, nil); err == nil || !strings.Contains(err.Error(), "give the whole plan as --plan") {
		t.Errorf("two parts: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "[^.]*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	elsewhere := *p
	elsewhere.Backend = "xla:cpu"
	if m := mustMerge(t, dirs, out, &elsewhere); m.Results != fakeTotal || m.Missing != nil || elsewhere.Backend != "xla:cpu" {
		t.Errorf("%+v, the plan is for %s", m, elsewhere.Backend)
	}
	path := filepath.Join(dirs[1], PlanName)
	other, err := cluster.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other.Backend = "other"
	if err := WritePlan(path, other); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(context.Background(), dirs, t.TempDir(), p); err == nil || !strings.Contains(err.Error(), "one is for backend fake, the other for other") {
		t.Errorf("folders of two backends: %v", err)
	}
}

// TestFinishedRefuses: results that could not be merged with a shard's are refused before training.
func TestFinishedRefuses(t *testing.T) {
	f := newFake()
	dir := f.folder(t)
	for want, change := range map[string]func(f *fake){
		"": func(*fake) {},
		"holds results of version v0 on backend fake, and the plan is of version v1 on fake; choose another --out": func(f *fake) { f.version = "v1" },
		"holds results of version v0 on backend fake, and the plan is of version v0 on go; choose another --out":   func(f *fake) { f.backend = "go" },
		"which is not of the plan; choose another --out":                                                           func(f *fake) { f.settings = []string{`{"pooling":"max"}`} },
	} {
		f := newFake()
		change(&f)
		finished, err := Finished(dir, f.plan(t, 2))
		if want == "" {
			if err != nil || len(finished) != fakeTotal {
				t.Errorf("%d fits, %v", len(finished), err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	finished, err := Finished(dir, f.plan(t, 2).Keep(func(id string) bool { return id[0] < '4' }))
	if err != nil || len(finished) != fakeTotal {
		t.Errorf("a plan of some of the fits: %d, %v", len(finished), err)
	}
}

// indexed returns a folder with made-up results, and their index.
func indexed(t *testing.T) (dir string, x *index) {
	t.Helper()
	dir = newFake().folder(t)
	x, err := indexResults(folders{dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir, x
}

// TestChangedLine: a line that has changed since it was indexed is an error.
func TestChangedLine(t *testing.T) {
	dir, x := indexed(t)
	path := filepath.Join(dir, FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range [][]byte{text[:len(text)-1], append([]byte("\n"), text...)} {
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := x.write(context.Background(), filepath.Join(t.TempDir(), "out"), nil, nil); err == nil || err.Error() != path+" changed while it was merged; merge again" {
			t.Error(err)
		}
	}
}

// TestEach reads lines in batches while others are processed. However this ends, nothing must wait for ever.
func TestEach(t *testing.T) {
	_, x := indexed(t)
	before := batchSize
	defer func() { batchSize = before }()
	for _, batchSize = range []int{1, 1000, before} {
		var keys []fitKey
		s := newScanner()
		look := func(lines [][]byte) error {
			key, _, err := s.result(lines[0])
			keys = append(keys, key)
			return err
		}
		if err := x.each(context.Background(), nil, look); err != nil || len(keys) != fakeTotal || !slices.IsSorted(keys) {
			t.Errorf("batches of %d bytes: %d keys, %v", batchSize, len(keys), err)
		}
		some := keys[fakeTotal/2]
		keys = nil
		if err := x.each(context.Background(), func(k fitKey) bool { return k == some }, look); err != nil || len(keys) != 1 || keys[0] != some {
			t.Errorf("batches of %d bytes: %v, want the key %v; %v", batchSize, keys, some, err)
		}
		none := func(fitKey) bool { return false }
		if err := x.each(context.Background(), none, func([][]byte) error { return errors.New("a line that nobody wants") }); err != nil {
			t.Error(err)
		}
		for stop := range fakeTotal {
			looked, failed := 0, errors.New("no more")
			if err := x.each(context.Background(), nil, func([][]byte) error {
				if looked++; looked > stop {
					return failed
				}
				return nil
			}); err != failed || looked != stop+1 {
				t.Errorf("batches of %d bytes: %d looked at, %v", batchSize, looked, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		looked := 0
		err := x.each(ctx, nil, func([][]byte) error { looked++; cancel(); return nil })
		if batchSize == 1 && (err != context.Canceled || looked > 4) || err != nil && err != context.Canceled {
			t.Errorf("batches of %d bytes: %d looked at after the end, %v", batchSize, looked, err)
		}
	}
}

// TestAttemptFolder: a folder with a user's own name is locked, whatever its parent is called.
func TestAttemptFolder(t *testing.T) {
	for dir, want := range map[string]bool{
		AttemptDir("results", 3, 12):          true,
		"results/attempts/a":                  false,
		"results/attempts/3of12":              false,
		"results/3of12-h-1-abcdefghijkl":      false,
		"x/attempts/0of1-a-b-9-0123456789ab/": true,
	} {
		if isAttempt(dir) != want {
			t.Errorf("%s: %v", dir, !want)
		}
	}
}

// TestNoLinks: without hard links no shard replaces another's plan.
func TestNoLinks(t *testing.T) {
	hardLink = func(old, new string) error {
		return &os.LinkError{Op: "link", Old: old, New: new, Err: errors.ErrUnsupported}
	}
	defer func() { hardLink = os.Link }()
	p, dir := newFake().plan(t, 2), t.TempDir()
	path := filepath.Join(dir, PlanName)
	if _, err := Follow(dir, p); err == nil || !strings.Contains(err.Error(), "put the plan there before the shards start: milbench plan ... --out "+path) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := WritePlan(path, p); err != nil {
		t.Fatal(err)
	}
	if known, err := Follow(dir, p); err != nil || len(known.Fits) != fakeTotal {
		t.Error(err)
	}
}

// TestNoLocks: shards can write their attempts on a file system without locks. Anything that needs a lock says what
// to do.
func TestNoLocks(t *testing.T) {
	lock := takeLock
	takeLock = func(string) (func(), error) { return nil, errors.ErrUnsupported }
	defer func() { takeLock = lock }()
	f, dir := newFake(), t.TempDir()
	if n := f.shard(t, dir, f.plan(t, 1), 0); n != fakeTotal {
		t.Errorf("%d fits", n)
	}
	const want = "its file system has no locks: give --out on another, say a local disk"
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := Merge(context.Background(), []string{dir}, dir, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
