package cell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"synpool/backend"
	"synpool/internal/disk"
	"synpool/milbench"
)

// StoreVariable is the name of the environment variable for the folder where cells keep their results and models; the
// default is synpool in the user's cache directory. You can delete the folder at any time: missing results are computed
// again.
const StoreVariable = "SYNPOOL_STORE"

// place returns the folder for what this version of the code computes from the given values on the current backend. The
// folder may not exist yet; [tagged] makes it.
func place(kind string, from ...any) (string, error) {
	root, err := store()
	if err != nil {
		return "", err
	}
	code, err := codeVersion()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(append([]any{code, backend.Likely()}, from...))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return filepath.Join(root, kind, hex.EncodeToString(sum[:12])), nil
}

// kinds are the subfolders of the store.
var kinds = []string{"models", "results"}

// tagName is the file that says that a folder was made by [tagged]; its name and first line are those of the Cache Directory
// Tagging Specification, so that programs that make backups leave the folder out.
const tagName = "CACHEDIR.TAG"

const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by cells of Synpool, and removed with all that is in it by cell.Forget.\n"

// tagged makes a folder that [Forget] may remove.
func tagged(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, tagName), []byte(tag))
}

// Forget removes all results and models kept by cells, of this and other notebooks. It does not touch anything written by
// Save or milbench, nor any folder without the tag that cells put into theirs.
func Forget() {
	root, err := store()
	Check(err)
	for _, kind := range kinds {
		all, err := os.ReadDir(filepath.Join(root, kind))
		if !errors.Is(err, fs.ErrNotExist) {
			Check(err)
		}
		for _, one := range all {
			dir := filepath.Join(root, kind, one.Name())
			if found, err := os.ReadFile(filepath.Join(dir, tagName)); err == nil && string(found) == tag {
				for _, inside := range Must(os.ReadDir(dir)) {
					if inside.Name() != tagName { // which goes last, so that a Forget that is stopped goes on
						Check(os.RemoveAll(filepath.Join(dir, inside.Name())))
					}
				}
				Check(os.RemoveAll(dir))
			}
		}
	}
	fmt.Println("forgotten: what cells had kept in", root)
}

// store returns the folder where cells keep their results and models.
func store() (string, error) {
	if root := os.Getenv(StoreVariable); root != "" {
		return root, nil
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; name a folder in %s", err, StoreVariable)
	}
	return filepath.Join(caches, "synpool"), nil
}

// codeVersion identifies the code: a checksum of the source files of the checkout, or the version of the module if there are
// no files.
var codeVersion = sync.OnceValues(func() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
		return sumOf(root)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", nil
	}
	module := strings.TrimSuffix(reflect.TypeFor[Bags]().PkgPath(), "/notebooks/cell")
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version, nil
		}
	}
	return info.Main.Version, nil
})

// sumOf returns a checksum of the source files in a folder, except tests, notebooks and commands.
func sumOf(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "notebooks", "cmd", "course", "deploy", "docs", "examples", "paper", "tools"}, name)):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go") || name != "go.mod" && !slices.Contains([]string{".go", ".c", ".h", ".cc"}, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%d %s\n", len(text), filepath.ToSlash(path[len(root):]))
		h.Write(text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}

// machine is what trains and scores in the cell.
var machine = &milbench.Machine{}

// interrupted returns a context that ends when the cell is stopped.
var interrupted = sync.OnceValue(func() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the cell at once
	return ctx
})
