package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "explorer.html")
	if err := run(t.Context(), out, nil); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(out)
	if err != nil || !bytes.HasPrefix(html, []byte("<!doctype html>")) {
		t.Errorf("a file of %d bytes, %v", len(html), err)
	}
	if files, err := os.ReadDir(filepath.Dir(out)); err != nil || len(files) != 1 {
		t.Errorf("it leaves %v, %v", files, err)
	}
}

func TestRunRefuses(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing", "x.html")
	for want, c := range map[string]struct {
		out       string
		arguments []string
	}{
		`unknown argument "here"; see -help`: {filepath.Join(folder, "x.html"), []string{"here"}},
		"-o " + missing + ": ":               {missing, nil},
		"-o " + folder + ": ":                {folder, nil},
	} {
		if err := run(t.Context(), c.out, c.arguments); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, left := range []string{folder, filepath.Dir(folder)} {
		if parts, err := filepath.Glob(filepath.Join(left, ".*.part")); err != nil || len(parts) > 0 {
			t.Errorf("it leaves %v, %v", parts, err)
		}
	}
}
