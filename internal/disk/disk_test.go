package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/internal/reexec"
)

func TestMain(m *testing.M) {
	switch reexec.Kind() {
	case "":
		os.Exit(m.Run())
	case "killed": // in the middle of a file
		Write(os.Args[1], func(w io.Writer) error {
			w.Write(make([]byte, 1<<20))
			fmt.Println("writing")
			io.Copy(io.Discard, os.Stdin)
			return nil
		})
	}
}

func want(t *testing.T, path, text string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != text || err != nil {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrite checks that a file is replaced by a complete one or not at all, with its permissions, and that nothing else changes.
func TestWrite(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	path := filepath.Join(dir, "file")
	must(t, WriteFile(path, []byte("old")))
	must(t, os.Chmod(path, 0o600))
	broken := errors.New("broken")
	if err := Write(path, func(w io.Writer) error { io.WriteString(w, "half"); return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	want(t, path, "old")
	must(t, WriteFile(path, []byte("new")))
	want(t, path, "new")
	if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	must(t, os.WriteFile(other, []byte("theirs"), 0o666))
	if link := filepath.Join(dir, "link"); os.Symlink(other, link) == nil {
		must(t, WriteFile(link, []byte("ours")))
		want(t, link, "ours")
		want(t, other, "theirs")
	}
	for _, bad := range []string{dir, os.DevNull, filepath.Join(dir, "missing", "file"), filepath.Join(path, "file")} {
		if err := WriteFile(bad, nil); err == nil || !strings.Contains(err.Error(), bad) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestKilled checks that a killed process leaves the old file, and that the next process removes the incomplete one, but no
// file that it did not write and none of a running process.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	must(t, WriteFile(path, []byte("old")))
	theirs := []string{".milbench-notes.part", "file.part", fmt.Sprintf("%s%d-AAAAAAAAAAAAAAAAAAAAAAAAAA.part", partStart(), os.Getpid())}
	for _, name := range theirs {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	c := reexec.Command(t, "killed", path)
	out, err := c.StdoutPipe()
	must(t, err)
	in, err := c.StdinPipe()
	must(t, err)
	defer in.Close()
	must(t, c.Start())
	_, err = out.Read(make([]byte, 8))
	must(t, err)
	must(t, c.Process.Kill())
	c.Wait()
	want(t, path, "old")
	if all, _ := os.ReadDir(dir); len(all) != len(theirs)+2 {
		t.Errorf("%v", all)
	}
	cleaned.Delete(dir)
	must(t, WriteFile(path, []byte("new")))
	want(t, path, "new")
	if all, _ := os.ReadDir(dir); len(all) != len(theirs)+1 {
		t.Errorf("%v", all)
	}
}

// TestLock checks that one has the lock, that the others learn who, and that its file is gone afterwards.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	for range 2 {
		release, err := Lock(path)
		must(t, err)
		if _, err := Lock(path); !errors.Is(err, ErrLocked) || os.PathSeparator == '/' && !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
			t.Error(err)
		}
		release()
		if _, err := os.Lstat(path); err == nil {
			t.Error("the file is still there")
		}
	}
	must(t, os.WriteFile(path, []byte("[package]\nname = \"theirs\"\n"), 0o666))
	if _, err := Lock(path); !errors.Is(err, ErrNoLock) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "theirs") {
		t.Errorf("%q, %v", text, err)
	}
}
