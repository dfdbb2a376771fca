package cell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gomlx/compute"
)

// StoreVariable names the environment variable with the folder in which cells keep what they compute; without it that is synpool in the
// user's folder of caches. Nothing in it is needed: what is missing is computed again.
const StoreVariable = "SYNPOOL_STORE"

// place returns the folder of what is computed from some values by this version of the code, on the backend that the environment asks
// for; it may not be there yet.
func place(kind string, from ...any) (string, error) {
	root := os.Getenv(StoreVariable)
	if root == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w; name a folder in %s", err, StoreVariable)
		}
		root = filepath.Join(caches, "synpool")
	}
	code, err := codeVersion()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(append([]any{code, os.Getenv(compute.ConfigEnvVar)}, from...))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return filepath.Join(root, kind, hex.EncodeToString(sum[:12])), nil
}

const module = "synpool"

// codeVersion says which code computes: the version of the module or, of a checkout, a sum of its Go files outside of tests.
var codeVersion = sync.OnceValues(func() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", nil
	}
	for _, m := range info.Deps {
		if m.Path != module {
			continue
		}
		if m.Replace == nil {
			return m.Version, nil
		}
		if !filepath.IsAbs(m.Replace.Path) { // of a module elsewhere
			return m.Replace.Version, nil
		}
		return sumOf(m.Replace.Path)
	}
	return info.Main.Version, nil
})

// sumOf returns a sum of the Go files in a folder, outside of tests and of what belongs to notebooks.
func sumOf(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "notebooks" || name == "cmd" || name == "docs"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") && name != "go.mod" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%d %s\n", len(text), path[len(root):])
		h.Write(text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}

// interrupted is done when the cell is stopped.
var interrupted = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	return ctx
})
