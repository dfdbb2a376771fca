//go:build linux || darwin

package disk

import (
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
