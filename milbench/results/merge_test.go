package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

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

func mustMerge(t *testing.T, dirs []string, out string) Merged {
	t.Helper()
	m, err := Merge(context.Background(), dirs, out)
	must(t, err)
	return m
}

// TestMerge: every fit, curve and time is there once, and merging again, in any order of folders, changes nothing.
func TestMerge(t *testing.T) {
	f := newFake()
	f.curves = true
	one, two, out := t.TempDir(), t.TempDir(), t.TempDir()
	for shard := range 3 {
		f.shard(t, one, shard, 3)
		if shard < 2 {
			f.shard(t, two, shard, 3)
		}
	}
	if n := f.shard(t, one, 1, 3); n != 0 {
		t.Errorf("%d fits of a finished shard are left", n)
	}
	short, long := Time{Fits: 8, Seconds: 2, Cores: 1}, Time{Fits: 40, Seconds: 1, Cores: 1}
	for _, c := range []struct {
		dir string
		t   Time
	}{{one, long}, {one, long}, {two, short}} { // two runs may take equally long
		must(t, AppendTime(c.dir, c.t))
	}
	if m := mustMerge(t, []string{one, two, one}, out); m.Results != fakeTotal || m.Curves != fakeTotal || m.Duplicates != 32 || m.Disagreements != 0 {
		t.Errorf("%+v", m)
	}
	if curves, err := ReadCurves(out); err != nil || len(curves) != fakeTotal {
		t.Errorf("curves of %d fits, %v", len(curves), err)
	}
	if times, err := ReadTimes(filepath.Join(out, TimesName)); err != nil || len(times) != 3 || !slices.Contains(times, short) || !slices.Contains(times, long) {
		t.Errorf("times %+v, %v", times, err)
	}
	first := folderBytes(t, out)
	if n := strings.Count(first, "\n"); n != 2*fakeTotal+3+8 { // for results, curves and times; for names
		t.Errorf("%d lines", n)
	}
	mustMerge(t, []string{two, out, one}, out)
	mustMerge(t, nil, out)
	if folderBytes(t, out) != first {
		t.Error("merged again other bytes")
	}
	if err := Unmerged(one); !errors.Is(err, ErrUnmerged) || !strings.Contains(err.Error(), "holds 48 results of shards that are not merged; first give milbench merge") {
		t.Error(err)
	}
	mustMerge(t, nil, one)
	if err := Unmerged(one); err != nil {
		t.Error(err)
	}
}

// TestMergeDisagreement: attempts at one fit with different scores are reported, and the first one is kept.
func TestMergeDisagreement(t *testing.T) {
	f := newFake()
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		f.shard(t, dir, 0, 1)
	}
	files, err := filepath.Glob(filepath.Join(two, AttemptsName, "*", FileName))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	must(t, err)
	var changed bytes.Buffer
	n := 0
	var fit string
	for line := range bytes.Lines(text) {
		var r Result
		must(t, json.Unmarshal(line, &r))
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
	must(t, os.WriteFile(files[0], changed.Bytes(), 0o666))
	for _, dirs := range [][]string{{one, two}, {two, one}} {
		out := t.TempDir()
		m := mustMerge(t, dirs, out)
		if m.Disagreements != 1 || len(m.Disagreeing) != 1 || m.Disagreeing[0].Fit != fit || m.Disagreeing[0].Bags != nil || m.Results != fakeTotal || m.Duplicates != fakeTotal {
			t.Errorf("%+v", m)
		}
		alone := t.TempDir()
		mustMerge(t, dirs[:1], alone)
		if folderBytes(t, out) != folderBytes(t, alone) {
			t.Error("what is kept is not the first")
		}
	}
}

// TestMergeRefuses: incompatible input is refused in one line, and nothing is written.
func TestMergeRefuses(t *testing.T) {
	f := newFake()
	f.curves = true
	newFolder := func() string {
		dir := t.TempDir()
		f.shard(t, dir, 0, 2)
		return dir
	}
	rewritten := func(old, new string) string {
		dir := newFolder()
		files, _ := filepath.Glob(filepath.Join(dir, AttemptsName, "*", FileName))
		text, err := os.ReadFile(files[0])
		must(t, err)
		changed := bytes.Replace(text, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("no %s", old)
		}
		must(t, os.WriteFile(files[0], changed, 0o666))
		return dir
	}
	good := newFolder()
	for _, c := range []struct{ dir, want string }{
		{rewritten(`"version":"v0"`, `"version":"v1"`), "merge results of one version and backend"},
		{rewritten(`"backend":"fake"`, `"backend":"other"`), "merge results of one version and backend"},
		{rewritten(`"label":1`, `"label":0`), "has another target than in an earlier result"},
		{rewritten(`"fold":`, `"fold":1`), "line 1 is damaged"},
		{rewritten("\n", "}\n"), "line 1 is damaged"},
		{filepath.Join(good, "nothing"), syscall.ENOENT.Error()},
		{t.TempDir(), ""}, // nothing in it
	} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := Merge(context.Background(), []string{good, c.dir}, out)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q in it", err, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(out, "[^.]*")); left != nil {
			t.Errorf("%s: left behind: %v", c.want, left)
		}
	}
	if _, err := Merge(context.Background(), []string{t.TempDir()}, t.TempDir()); !errors.Is(err, ErrNoResults) {
		t.Errorf("a merge of nothing: %v", err)
	}
	open, err := Open(good)
	must(t, err)
	if _, err := Merge(context.Background(), []string{good}, good); !errors.Is(err, ErrLocked) {
		t.Errorf("a folder that a run writes to: %v", err)
	}
	must(t, open.Close())
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Merge(canceled, []string{good}, good); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(good, ".*.part")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestFinished: results of attempts count, and the first error of the caller's check is returned.
func TestFinished(t *testing.T) {
	f := newFake()
	dir := f.folder(t)
	f.settings = []string{`{"pooling":"max"}`}
	f.shard(t, dir, 0, 1)
	finished, err := Finished(dir, nil)
	if err != nil || len(finished) != fakeTotal+16 {
		t.Errorf("%d fits, %v", len(finished), err)
	}
	no := errors.New("no")
	if _, err := Finished(dir, func(path string, r Result) error {
		if strings.Contains(string(r.Config), "max") && filepath.Base(path) == FileName {
			return no
		}
		return nil
	}); err != no {
		t.Error(err)
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

// TestNoLocks: shards can write their attempts on a file system without locks. Anything that needs a lock says what
// to do.
func TestNoLocks(t *testing.T) {
	lock := takeLock
	takeLock = func(string) (func(), error) { return nil, errors.ErrUnsupported }
	defer func() { takeLock = lock }()
	f, dir := newFake(), t.TempDir()
	if n := f.shard(t, dir, 0, 1); n != fakeTotal {
		t.Errorf("%d fits", n)
	}
	const want = "its file system has no locks: give --out on another, say a local disk"
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := Merge(context.Background(), []string{dir}, dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
