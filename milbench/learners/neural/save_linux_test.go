package neural_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSaveCloses: no file of a saved model stays open. Windows would not replace the model.
func TestSaveCloses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	save(t, trained(t, 1), dir)
	open := must(os.ReadDir("/proc/self/fd"))
	for _, f := range open {
		if path, err := os.Readlink(filepath.Join("/proc/self/fd", f.Name())); err == nil && strings.HasPrefix(path, dir) {
			t.Errorf("%s is open", path)
		}
	}
}
