//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package backend

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func TestCPUFlags(t *testing.T) {
	if got := cpuFlags("", false); !strings.HasPrefix(got, "--xla_backend_optimization_level=1 ") || !strings.HasSuffix(got, " --xla_cpu_use_xnnpack=false") {
		t.Errorf("none are set: %q", got)
	}
	for given, want := range map[string]string{
		"":                              "--xla_cpu_use_xnnpack=false",
		"--xla_x=1":                     "--xla_x=1 --xla_cpu_use_xnnpack=false",
		"--xla_cpu_use_xnnpack=true":    "--xla_cpu_use_xnnpack=true",
		"--a --xla_cpu_use_xnnpack --b": "--a --xla_cpu_use_xnnpack --b",
		"/etc/xla.flags":                "/etc/xla.flags",
	} {
		if got := cpuFlags(given, true); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// TestProductsOfChanged multiplies by parameters that change in place between calls, as those of a training can do that are freed
// and allocated again. With XNNPACK, which XLA takes on a CPU with AVX-512 for the first of these shapes, every product but the
// first had the parameters of the first. A product of up to 256 rounded terms is compared with one in float64.
func TestProductsOfChanged(t *testing.T) {
	path := findPlugin("cpu")
	if path == "" {
		t.Log("no XLA plugin for the CPU")
		return
	}
	b, err := load(path, "")
	must(t, err)
	defer b.Finalize()
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(x []float32) {
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
	}
	for _, dims := range [][4]int{{5, 128, 230, 256}, {1, 512, 256, 256}, {25, 128, 230, 64}, {1, 32, 32, 32}} {
		members, rows, terms, width := dims[0], dims[1], dims[2], dims[3]
		exec, err := graph.NewExec(b, func(x, y *graph.Node) *graph.Node { return graph.Einsum("mrk,mkw->mrw", x, y) })
		must(t, err)
		x, y := make([]float32, members*rows*terms), make([]float32, members*terms*width)
		draw(x)
		first := tensors.FromFlatDataAndDimensions(x, members, rows, terms)
		second := tensors.FromFlatDataAndDimensions(y, members, terms, width)
		for call := range 4 {
			draw(y)
			must(t, tensors.AssignFlatData(second, y))
			product, err := exec.Call1(first, second)
			must(t, err)
			got := tensors.MustCopyFlatData[float32](product)
			worst := 0.0
			for i := 0; i < len(got); i += 7 {
				m, r, w := i/width/rows, i/width%rows, i%width
				want := 0.0
				for k := range terms {
					want += float64(x[(m*rows+r)*terms+k]) * float64(y[(m*terms+k)*width+w])
				}
				worst = max(worst, math.Abs(float64(got[i])-want))
			}
			if worst > 1e-3 {
				t.Errorf("%v, call %d: off by %g", dims, call, worst)
			}
		}
		exec.Finalize()
	}
}
