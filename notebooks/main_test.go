package notebooks

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"testing"
)

// TestMain leaves out the tests that take minutes, unless -run or -skip say which ones are wanted.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" {
		if err := flag.Set("test.skip", "^Test(Execute|Browser)"); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}

// environment returns the absolute path of the Python environment of notebooks/lab; without one the test is skipped.
func environment(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(".venv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, "share", "jupyter", "kernels", "gonb", "kernel.json")); err != nil {
		t.Skipf("JupyterLab and its Go kernel are not installed: %v; run notebooks/lab --install", err)
	}
	return path
}
