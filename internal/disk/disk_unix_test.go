//go:build linux || darwin

package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe checks that nothing waits for the writer of a pipe, while the pipes of the shell are read.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o666))
	for what, open := range map[string]func(string) error{
		"Open":   func(path string) error { _, err := Open(path); return err },
		"Append": func(path string) error { _, err := Append(path); return err },
		"Write":  func(path string) error { return WriteFile(path, nil) },
		"Lock":   func(path string) error { _, err := Lock(path); return err },
	} {
		if err := open(pipe); err == nil || !strings.Contains(err.Error(), pipe+": not a regular file") {
			t.Errorf("%s: %v", what, err)
		}
	}
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	w.WriteString("text")
	w.Close()
	if text, err := ReadFile(filepath.Join("/dev/fd", fmt.Sprint(r.Fd()))); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestAppend checks that a file is opened in its folder only.
func TestAppend(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	must(t, os.WriteFile(other, []byte("theirs"), 0o666))
	f, err := Append(filepath.Join(dir, "file"))
	must(t, err)
	_, err = f.WriteString("ours")
	must(t, errors.Join(err, f.Close()))
	want(t, filepath.Join(dir, "file"), "ours")
	for name, to := range map[string]string{"link": other, "new": other + "2"} {
		link := filepath.Join(dir, name)
		must(t, os.Symlink(to, link))
		for what, open := range map[string]func(string) error{
			"Append": func(path string) error { _, err := Append(path); return err },
			"Lock":   func(path string) error { _, err := Lock(path); return err },
		} {
			if err := open(link); err == nil || !strings.Contains(err.Error(), link) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
	}
	want(t, other, "theirs")
	if _, err := os.Lstat(other + "2"); err == nil {
		t.Error("made a file outside")
	}
}
