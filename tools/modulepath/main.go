// Command modulepath gives this repository another module path: it rewrites import paths, in code, go.mod files, notebooks,
// documents and scripts, and nothing else.
//
//	go -C tools run ./modulepath example.org/team/synpool
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "modulepath:", err)
		os.Exit(2)
	}
}

// run sets the module path of the checkout that holds the current folder.
func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: go -C tools run ./modulepath PATH, say example.org/team/synpool")
	}
	if err := module.CheckPath(args[0]); err != nil {
		return fmt.Errorf("%w; a path is what go get fetches, say example.org/team/synpool", err)
	}
	if _, major, _ := module.SplitPathVersion(args[0]); major != "" {
		return fmt.Errorf("%s ends in a major version, which version 0 does not have; leave it out, say example.org/team/synpool", args[0])
	}
	out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("this folder is in no git checkout: %w", err)
	}
	root := strings.TrimSpace(string(out))
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	if out, err = list.Output(); err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	old, changed, err := setPath(root, strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s is now %s: %d files changed\n", old, args[0], changed)
	return nil
}

// setPath rewrites the files of the checkout at root, named with slashes, and returns the former path and how many it has
// changed. The go.mod file at root is written last: until then the same call finishes what was begun.
func setPath(root string, files []string, path string) (old string, changed int, err error) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", 0, err
	}
	old = modfile.ModulePath(data)
	if old == "" {
		return "", 0, errors.New("go.mod: it names no module")
	}
	if old == path {
		return old, 0, nil
	}
	w := newRewriter(old, path, files)
	files = append(slices.DeleteFunc(slices.Clone(files), func(name string) bool { return name == "go.mod" }), "go.mod")
	for _, name := range files {
		did, err := w.file(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return old, changed, fmt.Errorf("%s: %w", name, err)
		}
		if did {
			changed++
		}
	}
	return old, changed, nil
}

// rewriter replaces one module path by another.
type rewriter struct {
	path     string
	packages *regexp.Regexp // a path of a package below the old path: what stands before, and what comes after
	commands *regexp.Regexp // the old path alone, as go get and go mod edit take it
	modules  *regexp.Regexp // the old path alone, in a go.mod file
}

// newRewriter knows a path of a package by the folders that hold Go code: "synpool/milbench" is one, the folder
// "synpool/xla" of a cache is none. Nor is a path in which the old one follows a letter, a dot or a slash.
func newRewriter(old, path string, files []string) *rewriter {
	var folders []string
	for _, name := range files {
		top, rest, below := strings.Cut(name, "/")
		if below && (strings.HasSuffix(rest, ".go") || strings.HasSuffix(rest, "go.mod")) && !slices.Contains(folders, regexp.QuoteMeta(top)) {
			folders = append(folders, regexp.QuoteMeta(top))
		}
	}
	const before = `(^|[^\w./\\-]|\\[nt])`
	quoted := regexp.QuoteMeta(old)
	return &rewriter{
		path:     path,
		packages: regexp.MustCompile(`(?m)` + before + quoted + `(/(?:(?:` + strings.Join(folders, "|") + `)\b|\.\.\.))`),
		commands: regexp.MustCompile(`(-replace[ =]\\?["']?|-dropreplace[ =]|-require[ =]|go get |go install |go mod download )` + quoted + `([=@\s])`),
		modules:  regexp.MustCompile(`(?m)([ \t])` + quoted + `([ \t]|$)`),
	}
}

// file rewrites one file and reports whether it has changed.
func (w *rewriter) file(name string) (bool, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil // deleted, but not yet in a commit; or a link
	}
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(name)
	if err != nil || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return false, err
	}
	rewritten, err := w.text(filepath.Base(name), text)
	if err != nil || bytes.Equal(rewritten, text) {
		return false, err
	}
	return true, os.WriteFile(name, rewritten, info.Mode().Perm())
}

// text rewrites the text of a file that is called name. Go code and go.mod files are formatted, since the new path may have
// another place among others.
func (w *rewriter) text(name string, text []byte) ([]byte, error) {
	put := []byte("${1}" + w.path + "${2}")
	rewritten := w.commands.ReplaceAll(w.packages.ReplaceAll(text, put), put)
	if name == "go.mod" {
		rewritten = w.modules.ReplaceAll(rewritten, put)
	}
	if bytes.Equal(rewritten, text) {
		return text, nil
	}
	switch {
	case path.Ext(name) == ".go":
		return format.Source(rewritten)
	case path.Ext(name) == ".ipynb":
		return resum(text, rewritten)
	case name == "go.mod":
		file, err := modfile.Parse(name, rewritten, nil)
		if err != nil {
			return nil, err
		}
		file.SortBlocks()
		file.Cleanup()
		return file.Format()
	}
	return rewritten, nil
}

// resum updates the sum of the code that made the outputs of a notebook if it was right before; notebooks/execute.py writes it.
func resum(before, after []byte) ([]byte, error) {
	recorded, was, err := sums(before)
	if err != nil || recorded != was {
		return after, err
	}
	_, is, err := sums(after)
	return bytes.ReplaceAll(after, []byte(was), []byte(is)), err
}

// sums returns the sum of the code that a notebook records and the sum of the code that it holds.
func sums(text []byte) (recorded, held string, err error) {
	var notebook struct {
		Metadata struct {
			Code string `json:"code_sha256"`
		}
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage // a text, or its lines
		}
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		return "", "", err
	}
	var sources []string
	for _, cell := range notebook.Cells {
		if cell.Type != "code" {
			continue
		}
		var lines []string
		if json.Unmarshal(cell.Source, &lines) != nil {
			lines = make([]string, 1)
			if err := json.Unmarshal(cell.Source, &lines[0]); err != nil {
				return "", "", err
			}
		}
		sources = append(sources, strings.Join(lines, ""))
	}
	sum := sha256.Sum256([]byte(strings.Join(sources, "\x00")))
	return notebook.Metadata.Code, hex.EncodeToString(sum[:]), nil
}
