//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"synpool/backend/internal/pjrtcache"
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
	const alone, shared = "SYNPOOL_TEST_CACHE", "SYNPOOL_TEST_SHARED"
	c := onCPU(t)
	if os.Getenv(alone) != "" {
		cores := c.Cores(2)
		if want := os.Getenv(shared) != ""; cores.Kept != want {
			t.Errorf("workers load what others compiled: %t, want %t", cores.Kept, want)
		}
		if err := errors.Join(cores.Run(large), large(c.Backend)); err != nil {
			t.Error(err)
		}
		compiled, loaded := pjrtcache.Counts()
		fmt.Println("counts", compiled, loaded)
		fmt.Println("graphs", c.Graphs())
		return
	}
	cpus, err := affinity()
	must(t, err)
	// The workers' clients are alike, with one CPU each; that for all CPUs is another.
	entries, clients := min(len(cpus), 2), c.Cores(2).Workers+1
	run := func(cache string, variables ...string) (bits, counts, graphs string) {
		t.Helper()
		test := exec.Command(os.Args[0], "-test.run=^TestCache$", "-test.v")
		test.Env = append(append(os.Environ(), alone+"=1", CacheVariable+"="+cache), variables...)
		var stderr bytes.Buffer
		test.Stderr = &stderr
		out, err := test.Output()
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("in a process of its own: %v\n%s%s", err, out, &stderr)
		}
		for line := range strings.Lines(string(out)) {
			switch {
			case strings.HasPrefix(line, "bits "):
				bits += line
			case strings.HasPrefix(line, "counts "):
				counts = strings.TrimSpace(line)
			case strings.HasPrefix(line, "graphs "):
				graphs = strings.TrimSpace(line)
			}
		}
		return bits, counts, graphs
	}
	want, counts, graphs := run("off")
	if strings.Count(want, "bits ") != clients || counts != "counts 0 0" || graphs != "graphs not kept: "+CacheVariable+" is off" {
		t.Fatalf("%d clients say %q, %s and %s", clients, want, counts, graphs)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	check := func(what string, left, compiled, loaded int, variables ...string) []string {
		t.Helper()
		got, counts, graphs := run(dir, append(variables, shared+"=1")...)
		if want := fmt.Sprintf("counts %d %d", compiled, loaded); counts != want {
			t.Errorf("%s: compiled and loaded: %s, want %s", what, counts, want)
		}
		if graphs != "graphs kept in "+dir {
			t.Errorf("%s: %s", what, graphs)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) != left {
			t.Fatalf("%s: %v (%v), want %d entries", what, files, err, left)
		}
		if variables == nil && got != want {
			t.Errorf("%s: %q, compiled without a cache %q", what, got, want)
		}
		return files
	}
	entry := check("compiled", entries, entries, clients-entries)[0]
	kept, err := os.ReadFile(entry)
	must(t, err)
	check("loaded", entries, 0, clients)
	wrong := bytes.Clone(kept)
	wrong[len(wrong)/2] ^= 1
	for what, bad := range map[string][]byte{"empty": {}, "cut off": kept[:len(kept)/2], "a bit wrong": wrong} {
		must(t, os.WriteFile(entry, bad, 0o600))
		if _, counts, _ := run(dir, shared+"=1"); !strings.HasPrefix(counts, "counts 1 ") {
			t.Errorf("%s: %s, want one compiled", what, counts)
		}
		if now, err := os.ReadFile(entry); err != nil || bytes.Equal(now, bad) {
			t.Errorf("%s: the entry is unchanged (%v)", what, err)
		}
	}

	foreign := []byte("not an executable of XLA")
	sum := sha256.Sum256(foreign)
	must(t, os.WriteFile(entry, append(sum[:], foreign...), 0o600))
	if got, _, graphs := run(dir, shared+"=1"); got != want || graphs != "graphs read from "+dir+"; nothing more can be kept there" {
		t.Errorf("foreign: %q and %s, want %q", got, graphs, want)
	}
	if _, err := os.Stat(entry); !os.IsNotExist(err) {
		t.Errorf("foreign: the entry is still there (%v)", err)
	}
	check("after it", entries, 1, clients-1)

	const flags = "XLA_FLAGS=--xla_backend_optimization_level=2"
	other, _, _ := run("off", flags)
	check("other flags", 2*entries, entries, clients-entries, flags)
	if got, counts, _ := run(dir, flags, shared+"=1"); got != other || counts != fmt.Sprint("counts 0 ", clients) {
		t.Errorf("other flags, loaded: %q and %s, want %q", got, counts, other)
	}
	if got, counts, graphs := run(entry); got != want || counts != "counts 0 0" || !strings.HasPrefix(graphs, "graphs not kept: mkdir "+entry) {
		t.Errorf("a file instead of the folder: %q, %s and %s, want %q", got, counts, graphs, want)
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

// Options reach XLA: it refuses an unknown one by name and takes a known one.
func TestOptions(t *testing.T) {
	const option = "SYNPOOL_TEST_OPTION"
	if name := os.Getenv(option); name != "" {
		keepCompiled(findPlugin("cpu"), map[string]any{name: int64(0)})
		fmt.Println("compiled:", large(onCPU(t).Backend))
		return
	}
	onCPU(t)
	for name, want := range map[string]string{"xla_gpu_autotune_level": "compiled: <nil>", "xla_no_such_option": "xla_no_such_option"} {
		test := exec.Command(os.Args[0], "-test.run=^TestOptions$", "-test.v")
		test.Env = append(os.Environ(), option+"="+name, CacheVariable+"=off")
		if out, err := test.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestGPUOptions(t *testing.T) {
	for _, test := range []struct {
		path, options, flags string
		want                 []string
	}{
		{"/lib/xla_cuda_plugin.so", ",tf32=false", "--xla_gpu_cuda_data_dir=/cuda", []string{"xla_gpu_autotune_level", "xla_gpu_enable_triton_gemm"}},
		{"/lib/xla_cuda_plugin.so", "noshared_buffers,notf32", "", []string{"xla_gpu_autotune_level", "xla_gpu_enable_triton_gemm"}},
		{"/lib/xla_cuda_plugin.so", ",tf32=false", "--xla_gpu_autotune_level=2", []string{"xla_gpu_enable_triton_gemm"}},
		{"/lib/xla_cuda_plugin.so", ",tf32=true", "", nil},
		{"/cuda/libtpu.so", ",tf32=false", "", nil},
	} {
		if got := slices.Sorted(maps.Keys(gpuOptions(test.path, test.options, test.flags))); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
