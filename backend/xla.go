//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package backend

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"golang.org/x/sys/cpu"
)

// xlaBuilt reports whether XLA is part of this build.
const xlaBuilt = true

func init() { xla.EnableAutoInstall(false) }

// newXLA starts XLA on the plugin at path with options of go-xla. Compiled graphs are kept for later processes: see
// [CacheVariable].
//
// On the CPU it asks for a single device and sets XLA_FLAGS for the whole process before the plugin loads: see cpuFlags.
// From then on the process keeps memory that the C library frees, unless the environment configures malloc: see keepFreed.
// On Linux its threads receive no signals: see
// withoutSignals.
func newXLA(path, options string) (b compute.Backend, err error) {
	if !forCPU(path) {
		// go-xla treats any plugin in a folder called cpu as a CPU plugin and shares its memory.
		if !strings.Contains(options, "shared_buffers") {
			options += ",noshared_buffers"
		}
		// Float32 products in TF32 keep 10 of 23 bits: that is go-xla's default, but not PyTorch's.
		if !strings.Contains(options, "tf32") {
			options += ",tf32=false"
		}
		keepCompiled(path, gpuOptions(path, options, os.Getenv(flagsVariable)))
		return start(path, strings.TrimPrefix(options, ","), nil)
	}
	if err := os.Setenv(flagsVariable, cpuFlags(os.LookupEnv(flagsVariable))); err != nil {
		return nil, err
	}
	keepFreed()
	err = withoutSignals(func() error {
		keepCompiled(path, nil)
		b, err = start(path, options, pjrt.NamedValuesMap{"cpu_device_count": int64(1)})
		return err
	})
	return b, err
}

const (
	flagsVariable = "XLA_FLAGS"
	xnnFlag       = "--xla_cpu_use_xnnpack"
)

// cpuFlags returns the XLA_FLAGS for the CPU, given those of the environment.
//
// If the environment sets none, XLA compiles with less effort, which takes a quarter less time and gives equally fast code
// for our graphs, and uses the full vector width on a machine with AVX-512. XNNPACK is turned off unless the flags mention
// it or are the name of a file. Reason: for larger products, XNNPACK packs the second factor once and caches it by address,
// so after a parameter changes, or is replaced by another at the same address, the product still uses the old values
// (TestProductsOfChanged).
func cpuFlags(given string, set bool) string {
	if !set {
		given = "--xla_backend_optimization_level=1"
		if cpu.X86.HasAVX512F {
			given += " --xla_cpu_prefer_vector_width=512"
		}
	}
	given = strings.TrimSpace(given)
	file := given != "" && !strings.HasPrefix(given, "-")
	if !file && !strings.Contains(given, xnnFlag) {
		given = strings.TrimSpace(given + " " + xnnFlag + "=false")
	}
	return given
}

// gpuOptions returns the options of XLA for graphs on the GPUs of the plugin at path, given go-xla's options and XLA_FLAGS.
//
// XLA then takes the first algorithm for each product instead of timing several, and no Triton tiles. On an H200, timing
// them more than doubled the time to train a few slides, most of it compiling, and what it chose made the steps of many
// small fits take 7 to 26 times as long (milbench/learners/neural/bench/README.md). It also may choose differently in each
// process, which rounds differently. In TF32, the first algorithm refuses some products, so there XLA times them. Flags
// that the user sets win.
func gpuOptions(path, options, flags string) map[string]any {
	gpu := regexp.MustCompile(`cuda|rocm|gpu`).MatchString(strings.ToLower(filepath.Base(path)))
	exact := regexp.MustCompile(`(^|,)(notf32|tf32=(false|0))(,|$)`).MatchString(options)
	if !gpu || !exact {
		return nil
	}
	of := map[string]any{"xla_gpu_autotune_level": int64(0), "xla_gpu_enable_triton_gemm": false}
	maps.DeleteFunc(of, func(name string, _ any) bool { return strings.Contains(flags, name) })
	return of
}

// start passes go-xla one configuration string and makes sure that the interface never holds a nil *xla.Backend.
func start(path, options string, values pjrt.NamedValuesMap) (compute.Backend, error) {
	config := path
	if options != "" {
		config += "," + options
	}
	b, err := xla.NewWithOptions(config, values)
	if err != nil {
		return nil, err
	}
	return b, nil
}
