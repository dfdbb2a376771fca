package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const (
	made  = "example.org/made" + "-up/toolkit" // in two parts, since the test looks for it
	other = "zzz.example.com/toolkit"          // sorts behind every other path
)

// The path in these tests is no path of this repository, so that modulepath leaves them alone.
func TestText(t *testing.T) {
	w := newRewriter("bagkit", made, []string{"go.mod", "milbench/set.go", "docs/docs.go", "docs/cli.md", "tools/go.mod", "docker/start", "deploy/kubernetes/manifests_test.go"})
	for _, c := range []struct{ name, text, want string }{
		{"x.md", "`go run bagkit/milbench/x all` and [bagkit/docs.Page]", "`go run " + made + "/milbench/x all` and [" + made + "/docs.Page]"},
		{"x.md", "name it by its path, bagkit/...", "name it by its path, " + made + "/..."},
		{"x.md", "go mod edit -require bagkit@v0.0.0 -replace bagkit=../bagkit", "go mod edit -require " + made + "@v0.0.0 -replace " + made + "=../bagkit"},
		{"x.md", "go get bagkit@latest", "go get " + made + "@latest"},
		{"x.md", "Bagkit, the bagkit folder; docker run bagkit milbench", ""},
		{"x.md", "/workspace/bagkit/docs ../bagkit/milbench bucket:bagkit/data example.org/bagkit/milbench mybagkit/docs bagkit/docker bagkit/docsx", ""},
		{"x.go", "package x\n\nimport (\n\t\"a.org/b\"\n\t\"bagkit/milbench\"\n)\n\nvar s = \"\\tbagkit/docs\\nbagkit/docs\"\n",
			"package x\n\nimport (\n\t\"a.org/b\"\n\t\"" + made + "/milbench\"\n)\n\nvar s = \"\\t" + made + "/docs\\n" + made + "/docs\"\n"},
		{"x.go", "package x\n\nimport (\n\t\"github.com/b/c\"\n\t\"bagkit/milbench\"\n)\n", "package x\n\nimport (\n\t\"" + made + "/milbench\"\n\t\"github.com/b/c\"\n)\n"},
		{"x.go", "// Package bagkit is a root.\npackage bagkit // bagkit\n", ""},
		{"go.mod", "module bagkit // a toolkit\n", "module " + made + " // a toolkit\n"},
		{"go.mod", "module bagkit/tools\n\nrequire (\n\tgithub.com/b/c v1.0.0\n\tbagkit v0.0.0\n)\n\nreplace bagkit => ../bagkit\n",
			"module " + made + "/tools\n\nrequire (\n\t" + made + " v0.0.0\n\tgithub.com/b/c v1.0.0\n)\n\nreplace " + made + " => ../bagkit\n"},
	} {
		if c.want == "" {
			c.want = c.text
		}
		if got, err := w.text(c.name, []byte(c.text)); err != nil || string(got) != c.want {
			t.Errorf("%s %q became %q, want %q (%v)", c.name, c.text, got, c.want, err)
		}
	}
}

// TestSums checks that a right sum of a notebook stays right and a wrong one wrong.
func TestSums(t *testing.T) {
	w := newRewriter("bagkit", made, []string{"go.mod", "milbench/set.go"})
	const cells = `{"cells": [{"cell_type": "markdown", "source": "bagkit/milbench"}, {"cell_type": "code", "source": ["import (\n", "\t\"bagkit/milbench\"\n"]},` +
		` {"cell_type": "code", "source": "1"}], "metadata": {"code_sha256": "SUM"}}`
	_, sum, err := sums([]byte(cells))
	if err != nil {
		t.Fatal(err)
	}
	for recorded, stays := range map[string]bool{sum: true, "0000": false} {
		got, err := w.text("x.ipynb", []byte(strings.Replace(cells, "SUM", recorded, 1)))
		if err != nil {
			t.Fatal(err)
		}
		is, held, err := sums(got)
		if err != nil || held == sum || (is == held) != stays || bytes.Contains(got, []byte(`"bagkit`)) {
			t.Errorf("recorded %s: now %s, and the code has %s (%v)\n%s", recorded, is, held, err, got)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"a.org/b", "c"}, {""}, {"synpool"}, {"https://example.org/synpool"}, {"example.org/syn pool"}, {"example.org/synpool/"}, {"../synpool"}, {"example.org/synpool/v1"}, {"example.org/synpool/v2"}} {
		if err := run(args); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "example.org/team/synpool") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// command runs a program in a folder and returns what it prints.
func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	var stderr strings.Builder
	c.Stderr = &stderr // also what is downloaded
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, &stderr)
	}
	return string(out)
}

// files are the files that git does not ignore, without those that are deleted.
func files(t *testing.T, dir string) []string {
	var there []string
	for name := range strings.SplitSeq(command(t, dir, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		if _, err := os.Lstat(filepath.Join(dir, name)); name != "" && err == nil {
			there = append(there, name)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return there
}

// TestTree gives a copy of this checkout another path and builds and tests that.
func TestTree(t *testing.T) {
	from := strings.TrimSpace(command(t, ".", "git", "rev-parse", "--show-toplevel"))
	mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	was, root := modfile.ModulePath(mod), filepath.Join(t.TempDir(), "copy")
	texts := map[string][]byte{}
	for _, name := range files(t, from) {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o777), os.WriteFile(target, text, info.Mode().Perm())); err != nil {
			t.Fatal(err)
		}
		texts[name] = text
	}
	command(t, root, "git", "init", "-q")
	t.Chdir(filepath.Join(root, "tools"))

	// There, there again, on to another path, and back.
	snapshot := func() map[string]string {
		all := map[string]string{}
		for _, name := range files(t, root) {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(text)
		}
		return all
	}
	var first map[string]string
	for i, path := range []string{made, made, other, made} {
		if err := run([]string{path}); err != nil {
			t.Fatal(err)
		}
		now := snapshot()
		if len(now) != len(texts) {
			t.Fatalf("%d files, %d before", len(now), len(texts))
		}
		if i == 0 {
			first = now
		}
		changed := 0
		for name, text := range now {
			if text != first[name] {
				changed++
				if path == made {
					t.Errorf("after %d calls %s differs", i+1, name)
				}
			}
		}
		if path == other && changed < 300 {
			t.Errorf("%d files changed", changed)
		}
	}

	// Nothing but the path has changed, and no import of the old one is left.
	left := regexp.MustCompile(`(^|[\s"\x60[])` + regexp.QuoteMeta(was) + `/(\.\.\.|(backend|cmd|course|deploy|docs|examples|internal|milbench|notebooks|paper|plotting|synlayer|tools)\b)` +
		`|^(module|replace|require) ` + regexp.QuoteMeta(was) + `\b|(-require|-replace) ` + regexp.QuoteMeta(was) + `\b`)
	for name, text := range first {
		plain := strings.ReplaceAll(text, made, was)
		if a, b := strings.Count(plain, "\n"), bytes.Count(texts[name], []byte("\n")); a != b || len(plain) != len(texts[name]) {
			t.Errorf("%s: %d lines and %d bytes, %d and %d before", name, a, len(plain), b, len(texts[name]))
		}
		for line := range strings.Lines(text) {
			if left.MatchString(line) {
				t.Errorf("%s still has: %s", name, strings.TrimSpace(line))
			}
		}
	}

	if testing.Short() {
		return
	}
	for _, args := range [][]string{
		{".", "gofmt", "-l", "."},
		{".", "go", "mod", "tidy", "-diff"},
		{"notebooks/browser", "go", "mod", "tidy", "-diff"},
		{"tools", "go", "mod", "tidy", "-diff"},
		{"deploy", "go", "mod", "tidy", "-diff"},
		{".", "go", "build", "./..."},
		{".", "go", "vet", "./..."},
		{"notebooks/browser", "go", "vet", "./..."},
		{"deploy", "go", "vet", "./..."},
	} {
		if out := command(t, filepath.Join(root, args[0]), args[1:]...); out != "" {
			t.Errorf("%v in %s: %s", args[1:], args[0], out)
		}
	}
	command(t, root, "go", "test", ".", "./milbench", "./milbench/results", "./docs/...", "./internal/...", "./course/corpus/download")
	command(t, root, "go", "run", "./course/explorer/build")
	command(t, root, "go", "test", "./course/explorer/page", "-run", "Committed")
	command(t, root, "go", "test", "./notebooks", "-run", "Form|Pictures|Readme|Problems|Vet|Solutions")
	for name, dir := range map[string]string{root: ".", filepath.Join(root, "notebooks", "browser"): "/notebooks/browser", filepath.Join(root, "deploy"): "/deploy"} {
		if got := strings.TrimSpace(command(t, name, "go", "list", "-m")); got != made+strings.TrimPrefix(dir, ".") {
			t.Errorf("the module in %s is %s", dir, got)
		}
	}
}
