// Package backend chooses the GoMLX backend that runs the graphs, reports why, and can install a faster one.
//
// # Glossary
//
//   - backend: what compiles and runs a GoMLX graph. "go" is written in Go and always available; "xla" is OpenXLA.
//   - plugin: the shared library that XLA runs on one kind of device (PJRT C API): "cpu", "cuda".
//   - configuration: NAME or NAME:PLUGIN[,OPTION...], as in the environment variable GOMLX_BACKEND: go, xla:cpu,
//     xla:cuda, xla:/absolute/path/of/a/plugin.so.
//
// Only [Install] downloads anything. XLA needs cgo; without cgo, or with the build tag noxla, the package supports only the
// Go backend.
package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// goConfig is the configuration of the Go backend.
const goConfig = gobackend.BackendName

// xlaNames are the names of go-xla's backend.
var xlaNames = []string{"xla", "stablehlo", "shlo", "hlo"}

// Choice is a started backend and the reason why it was chosen.
type Choice struct {
	Backend compute.Backend
	Config  string // its configuration: "go", "xla:cpu", ...
	Plugin  string // path of the loaded plugin, "" for the Go backend
	Reason  string // why it was chosen
	Hint    string // the command that installs a faster backend, "" if there is none
}

// String returns the line that a command prints on standard error: the backend, the reason and the hint.
func (c Choice) String() string {
	s := fmt.Sprintf("backend %s: %s", c.Config, c.Reason)
	if c.Hint != "" {
		s += "; for a faster one: " + c.Hint
	}
	return s
}

// New chooses a backend and starts it. It tries, in this order: the backend that GOMLX_BACKEND names, if set; CUDA, if there
// is a device and the plugin is installed; XLA on the CPU, if its plugin is installed; the Go backend.
//
// If GOMLX_BACKEND names a plugin that cannot be used, New returns an error. If a plugin that it found itself cannot be
// used, New falls back to the next, and the Reason says so.
//
// With XLA on the CPU, New changes two settings for the whole process unless the environment sets them: XLA_FLAGS, and
// malloc, so that the process keeps memory that the C library frees. This can halve the time of a training step. If
// XLA_FLAGS is set and is not a file name, New adds a flag that turns off XNNPACK, because with XNNPACK XLA can compute with
// outdated values of a parameter; set --xla_cpu_use_xnnpack yourself to prevent that. On a GPU, XLA does
// not time algorithms, unless products are in TF32 or XLA_FLAGS sets xla_gpu_autotune_level. Compiled graphs are kept in
// files, see [CacheVariable].
func New() (*Choice, error) {
	if _, err := cacheDir(); err != nil {
		return nil, err
	}
	if config := os.Getenv(compute.ConfigEnvVar); config != "" {
		return asked(config)
	}
	var failed []string
	cuda := xlaBuilt && hasCUDA()
	if cuda {
		if path := findPlugin("cuda"); path != "" {
			b, err := load(path, "")
			if err == nil {
				return &Choice{Backend: b, Config: "xla:cuda", Plugin: path, Reason: "a CUDA device and its XLA plugin are there"}, nil
			}
			failed = append(failed, err.Error())
		}
	}
	if path := findPlugin("cpu"); xlaBuilt && path != "" {
		b, err := load(path, "")
		if err == nil {
			c := &Choice{Backend: b, Config: "xla:cpu", Plugin: path, Reason: reason(failed, "the XLA plugin for the CPU is installed")}
			if cuda && len(failed) == 0 {
				c.Reason = "a CUDA device is there, but only the XLA plugin for the CPU is installed"
				c.Hint = installCommand + " prints how to use the device"
			}
			return c, nil
		}
		failed = append(failed, err.Error())
	}
	b, err := newGo("")
	if err != nil {
		return nil, fmt.Errorf("starting the Go backend: %w", err)
	}
	c := &Choice{Backend: b, Config: goConfig}
	if _, ok := wheels[platform()]; ok {
		c.Hint = installCommand
	}
	switch {
	case !xlaBuilt:
		c.Reason, c.Hint = withoutXLA(platform())
	case len(failed) == 0:
		c.Reason = "no XLA plugin is installed"
	default:
		c.Reason = reason(failed, "")
		if c.Hint != "" && findPlugin("cpu") != "" {
			c.Hint += " after removing the plugin named"
		}
	}
	return c, nil
}

// Likely returns the configuration of the backend that [New] would choose, without starting it.
func Likely() string {
	if config := os.Getenv(compute.ConfigEnvVar); config != "" {
		return config
	}
	switch {
	case xlaBuilt && hasCUDA() && findPlugin("cuda") != "":
		return "xla:cuda"
	case xlaBuilt && findPlugin("cpu") != "":
		return "xla:cpu"
	}
	return goConfig
}

// Built lists the backends that are part of this program: go, and xla if it was built with cgo for a platform that XLA supports.
func Built() []string {
	if xlaBuilt {
		return []string{goConfig, xlaNames[0]}
	}
	return []string{goConfig}
}

// xlaPlatforms are the platforms that XLA is built for: the build constraints of xla.go.
var xlaPlatforms = []string{"darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64"}

// withoutXLA says why a program for a platform was built without XLA, and how to build it with XLA ("" if impossible).
func withoutXLA(platform string) (reason, hint string) {
	if !slices.Contains(xlaPlatforms, platform) {
		return "XLA does not support " + platform, ""
	}
	return "this program was built without XLA", "build it with cgo and without -tags noxla"
}

// orInstall returns the start of a hint that offers to install a plugin, "" if there is none to install.
func orInstall() string {
	if _, ok := wheels[platform()]; !ok {
		return ""
	}
	return "run " + installCommand + ", or "
}

// newGo starts the Go backend. Without options, it runs one operation at a time, each on all cores: large products that run
// at the same time wait for each other's cores, and deadlock if there are as many products as cores (compute 0.1.2).
func newGo(options string) (compute.Backend, error) {
	if !strings.Contains(options, "ops_") {
		options = strings.TrimPrefix(options+",ops_sequential", ",")
	}
	return gobackend.New(options)
}

// reason joins the failures with what was found instead.
func reason(failed []string, found string) string {
	s := strings.Join(failed, "; ")
	if s != "" && found != "" {
		s += "; "
	}
	return s + found
}

// asked starts the backend of a configuration given by the user.
func asked(config string) (*Choice, error) {
	name, options, _ := strings.Cut(config, ":")
	if slices.Contains(xlaNames, name) {
		return askedXLA(config, options)
	}
	if !slices.Contains(compute.List(), name) {
		return nil, fmt.Errorf("%s=%s: there is no backend %q; use go, xla:cpu, xla:cuda or xla:/absolute/path/of/a/plugin",
			compute.ConfigEnvVar, config, name)
	}
	var b compute.Backend
	err := try(func() (err error) {
		if name == goConfig {
			b, err = newGo(options)
		} else {
			b, err = compute.NewWithConfig(config)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", compute.ConfigEnvVar, config, err)
	}
	return &Choice{Backend: b, Config: config, Reason: compute.ConfigEnvVar + " asks for it"}, nil
}

// askedXLA starts XLA on the plugin that options name: "cpu", "cuda", an absolute path, or "" for the best found,
// followed by the options of go-xla.
func askedXLA(config, options string) (*Choice, error) {
	variable := compute.ConfigEnvVar + "=" + config
	if !xlaBuilt {
		reason, hint := withoutXLA(platform())
		if hint != "" {
			hint += ", or "
		}
		return nil, fmt.Errorf("%s: %s; %sset %s=%s", variable, reason, hint, compute.ConfigEnvVar, goConfig)
	}
	plugin, rest, _ := strings.Cut(options, ",")
	path := plugin
	switch {
	case plugin == "":
		plugin = "cpu"
		if hasCUDA() && findPlugin("cuda") != "" {
			plugin = "cuda"
		}
		path = findPlugin(plugin)
		config = strings.TrimSuffix("xla:"+plugin+","+rest, ",")
	case !filepath.IsAbs(plugin):
		path = findPlugin(plugin)
	}
	if path == "" {
		return nil, fmt.Errorf("%s: no XLA plugin %s in %s; %sset %s=%s",
			variable, pluginFile(plugin), strings.Join(pluginDirs(), ", "), orInstall(), compute.ConfigEnvVar, goConfig)
	}
	b, err := load(path, rest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %sset %s=%s", variable, err, orInstall(), compute.ConfigEnvVar, goConfig)
	}
	return &Choice{Backend: b, Config: config, Plugin: path, Reason: compute.ConfigEnvVar + " asks for it"}, nil
}

// load starts XLA on the plugin at an absolute path.
func load(path, options string) (compute.Backend, error) {
	err := checkPlugin(path)
	if err == nil && strings.Contains(path, ",") {
		err = errors.New("its path has a comma, which separates options; move it")
	}
	if err != nil {
		return nil, fmt.Errorf("the XLA plugin %s cannot be loaded: %w", path, err)
	}
	var b compute.Backend
	err = try(func() (err error) {
		b, err = newXLA(path, options)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the XLA plugin %s cannot be loaded: %w", path, err)
	}
	return b, nil
}

// try calls f and turns a panic of foreign code into an error; the error is cut to one line.
func try(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			err = errors.New(strings.Join(strings.Fields(err.Error()), " "))
		}
	}()
	return f()
}

// hasCUDA reports whether there is an NVIDIA device.
var hasCUDA = func() bool {
	if devices, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(devices) > 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "-L").Output()
	return err == nil && strings.Contains(string(out), "GPU")
}
