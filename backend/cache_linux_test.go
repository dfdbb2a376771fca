//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// large compiles a graph that is large enough to be kept and prints the bits that it gives.
func large(b compute.Backend) error {
	return try(func() error {
		sum, err := graph.CallOnce(b, func(g *graph.Graph) *graph.Node {
			total := graph.Const(g, float32(0))
			for n := 3; n < 16; n++ {
				x := graph.Sin(graph.IotaFull(g, shapes.Make(dtypes.Float32, n, n+1)))
				x = graph.Softmax(graph.MatMul(x, graph.Transpose(x, 0, 1)), -1)
				total = graph.Add(total, graph.ReduceAllSum(graph.Mul(x, x)))
			}
			return total
		})
		if err != nil {
			return err
		}
		fmt.Printf("bits %08x\n", math.Float32bits(sum.Value().(float32)))
		return nil
	})
}

// What one process compiled another one loads, and gets the same bits from it; an entry that is damaged, or that XLA does not
// take, is compiled again.
func TestCache(t *testing.T) {
	const alone = "SYNPOOL_TEST_CACHE"
	c := onCPU(t)
	if os.Getenv(alone) != "" {
		cores := c.Cores(2)
		if on := os.Getenv(CacheVariable) != "off"; cores.Kept != on {
			t.Errorf("workers load what others compiled: %t, want %t", cores.Kept, on)
		}
		if err := errors.Join(cores.Run(large), large(c.Backend)); err != nil {
			t.Error(err)
		}
		return
	}
	entries := min(c.Cores(2).Workers, 2) // the workers' clients are alike, with one CPU each; that for all CPUs is another
	run := func(cache string, variables ...string) string {
		t.Helper()
		test := exec.Command(os.Args[0], "-test.run=^TestCache$", "-test.v")
		test.Env = append(append(os.Environ(), alone+"=1", CacheVariable+"="+cache), variables...)
		var stderr bytes.Buffer
		test.Stderr = &stderr
		out, err := test.Output()
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("in a process of its own: %v\n%s%s", err, out, &stderr)
		}
		var bits []string
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "bits ") {
				bits = append(bits, line)
			}
		}
		return strings.Join(bits, "")
	}
	want := run("off")
	if strings.Count(want, "bits ") == 0 {
		t.Fatal("no worker says what it got")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	check := func(what, got string, entries int) []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) != entries {
			t.Fatalf("%s: %v (%v), want %d entries", what, files, err, entries)
		}
		if got != want {
			t.Errorf("%s: %q, compiled without a cache %q", what, got, want)
		}
		return files
	}
	all := check("compiled", run(dir), entries)
	entry := all[0]
	kept, err := os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(entry, old, old); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(entry) // so that its inode is not that of a new file
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	before, err := held.Stat()
	if err != nil {
		t.Fatal(err)
	}
	check("loaded", run(dir), entries)
	if after, err := os.Stat(entry); err != nil || !os.SameFile(before, after) || !after.ModTime().After(old) {
		t.Errorf("the entry was written anew, or not used: %v, %v", after, err)
	}

	wrong := bytes.Clone(kept)
	wrong[len(wrong)/2] ^= 1
	foreign := []byte("not an executable of XLA")
	sum := sha256.Sum256(foreign)
	for what, bad := range map[string][]byte{"empty": {}, "cut off": kept[:len(kept)/2], "a bit wrong": wrong, "foreign": append(sum[:], foreign...)} {
		if err := os.WriteFile(entry, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		check(what, run(dir), entries)
		if now, err := os.ReadFile(entry); err != nil || bytes.Equal(now, bad) {
			t.Errorf("%s: the entry is as it was (%v)", what, err)
		}
	}

	if got := run(dir, "XLA_FLAGS=--xla_backend_optimization_level=2"); strings.Count(got, "bits ") != strings.Count(want, "bits ") {
		t.Errorf("other flags: %q", got)
	}
	check("other flags", want, 2*entries)
	if got := run(entry); got != want {
		t.Errorf("a file in the place of the folder: %q, want %q", got, want)
	}
}

func TestCacheVariable(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache")
	for value, want := range map[string]string{"": "/cache/synpool/xla", "off": "", "/somewhere": "/somewhere"} {
		t.Setenv(CacheVariable, value)
		if dir, err := cacheDir(); dir != want || err != nil {
			t.Errorf("%q: %q (%v), want %q", value, dir, err, want)
		}
	}
	t.Setenv(CacheVariable, "")
	t.Setenv("XDG_CACHE_HOME", "")
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		if dir, err := cacheDir(); dir != "" || err != nil {
			t.Errorf("home %q: %q (%v), want none", home, dir, err)
		}
	}
	t.Setenv(CacheVariable, "somewhere")
	const want = CacheVariable + "=somewhere is not the absolute path of a folder; use one, or off"
	if _, err := New(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
