package backend

import (
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// installed is the plugin for the CPU that this machine has, "" if none; read before tests change the environment.
var installed = findPlugin("cpu")

// The tests compile what they measure and look at, unless they say otherwise.
func TestMain(m *testing.M) {
	if os.Getenv(CacheVariable) == "" {
		os.Setenv(CacheVariable, "off")
	}
	os.Exit(m.Run())
}

// elsewhere points everything that New looks at to an empty machine and returns the folder searched for plugins.
func elsewhere(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(compute.ConfigEnvVar, "")
	t.Setenv(pluginPath, dir)
	t.Setenv("HOME", dir)
	device(t, false)
	return dir
}

// device has hasCUDA give an answer for the rest of the test.
func device(t *testing.T, there bool) {
	t.Helper()
	old := hasCUDA
	t.Cleanup(func() { hasCUDA = old })
	hasCUDA = func() bool { return there }
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes an executable file.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must(t, os.WriteFile(path, content, 0o755))
}

// double runs 2x on a backend.
func double(t *testing.T, b compute.Backend) {
	t.Helper()
	got := graph.MustExecOnce(b, func(x *graph.Node) *graph.Node { return graph.MulScalar(x, 2) }, []float32{1, 2.5}).Value()
	if want := []float32{2, 5}; !slices.Equal(got.([]float32), want) {
		t.Errorf("2x = %v, want %v", got, want)
	}
}

func TestNew(t *testing.T) {
	type test struct {
		name    string
		env     string
		cuda    bool
		plugins map[string][]byte // file name to content; nil content links the installed plugin
		config  string
		reason  string
		hint    string
		leaves  string // what the hint must not say
		fails   string // part of the error

		unshared bool // the backend's memory is not the program's
	}
	cpu, cuda := pluginFile("cpu"), pluginFile("cuda")
	broken := map[string][]byte{cpu: []byte("\x7fELF and no more")}
	tests := []test{
		{name: "go asked for", env: "go", config: "go", reason: "GOMLX_BACKEND asks for it"},
		{name: "go asked for with a broken plugin", env: "go", plugins: broken, config: "go", reason: "GOMLX_BACKEND asks for it"},
		{name: "unknown", env: "tpux", fails: `there is no backend "tpux"; use go, xla:cpu`},
		{name: "unknown with options", env: "torch:cpu", fails: `there is no backend "torch"`},
	}
	removing := ""
	if wheelHint() != "" {
		removing = "after removing the plugin named"
	}
	if xlaBuilt {
		tests = append(tests, []test{
			{name: "nothing there", config: "go", reason: "no XLA plugin is installed", hint: wheelHint()},
			{name: "device without plugins", cuda: true, config: "go", reason: "no XLA plugin is installed", hint: wheelHint()},
			{name: "broken plugin", plugins: broken, config: "go", reason: cpu + " cannot be loaded", hint: removing},
			{name: "broken CUDA plugin", cuda: true, plugins: map[string][]byte{cuda: {}}, config: "go", reason: cuda + " cannot be loaded", hint: wheelHint(), leaves: "removing"},
			{name: "broken plugins", cuda: true, plugins: map[string][]byte{cuda: {}, cpu: {}}, config: "go", reason: cpu + " cannot be loaded", hint: removing},
			{name: "CUDA plugin without a device", plugins: map[string][]byte{cuda: {}}, config: "go", reason: "no XLA plugin is installed"},
			{name: "asked for without a plugin", env: "xla:cpu", fails: "no XLA plugin " + cpu},
			{name: "xla without a plugin", env: "xla", fails: "run milbench backend install"},
			{name: "asked for and broken", env: "xla:cpu", plugins: broken, fails: cpu + " cannot be loaded"},
			{name: "asked for by path and missing", env: "xla:/nowhere/cpu_plugin.so", fails: "/nowhere/cpu_plugin.so cannot be loaded"},
			{name: "asked for cuda without a plugin", env: "xla:cuda", plugins: broken, fails: cuda},
		}...)
	} else {
		tests = append(tests, []test{
			{name: "nothing there", config: "go", reason: "built without XLA", hint: "build it with cgo"},
			{name: "plugin of no use", plugins: broken, config: "go", reason: "built without XLA"},
			{name: "xla asked for", env: "xla:cpu", fails: "built without XLA; build it with cgo and without -tags noxla"},
		}...)
	}
	if xlaBuilt && installed != "" {
		good := map[string][]byte{cpu: nil}
		tests = append(tests, []test{
			{name: "plugin found", plugins: good, config: "xla:cpu", reason: "plugin for the CPU is installed"},
			{name: "plugin of another version", plugins: map[string][]byte{pluginFile("cpu_v0.0.1"): nil}, config: "xla:cpu", reason: "is installed"},
			{name: "plugin found and a device without its own", cuda: true, plugins: good, config: "xla:cpu", reason: "a CUDA device is there", hint: "prints how"},
			{name: "plugin found beside a broken one", cuda: true, plugins: map[string][]byte{cpu: nil, cuda: {}}, config: "xla:cpu", reason: cuda + " cannot be loaded"},
			{name: "asked for", env: "xla:cpu", plugins: good, config: "xla:cpu", reason: "GOMLX_BACKEND asks for it"},
			{name: "xla asked for", env: "xla", plugins: good, config: "xla:cpu", reason: "GOMLX_BACKEND asks for it"},
			{name: "comma, in the path", plugins: good, config: "go", reason: "its path has a comma"},
			{name: "asked for by path", env: "xla:" + installed, config: "xla:" + installed, reason: "GOMLX_BACKEND asks for it"},
			{name: "another kind of plugin in a folder called cpu", env: "xla:other", plugins: map[string][]byte{pluginFile("other"): nil}, config: "xla:other", reason: "asks for it", unshared: true},
			{name: "asked for with an option", env: "xla:cpu,noshared_buffers", plugins: good, config: "xla:cpu,noshared_buffers", reason: "asks for it", unshared: true},
			{name: "asked for with an unknown option", env: "xla:cpu,speed=11", plugins: good, fails: "unknown plugin options [speed]"},
		}...)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := elsewhere(t)
			device(t, test.cuda)
			t.Setenv(compute.ConfigEnvVar, test.env)
			for name, content := range test.plugins {
				if path := filepath.Join(dir, name); content != nil {
					write(t, path, content)
				} else if err := os.Symlink(installed, path); err != nil {
					t.Fatal(err)
				}
			}
			c, err := New()
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %q, want one line with %q", err, test.fails)
				}
				return
			}
			must(t, err)
			if c.Config != test.config || !strings.Contains(c.Reason, test.reason) || !strings.Contains(c.Hint, test.hint) {
				t.Errorf("%q because %q, hint %q; want %q because %q, hint %q", c.Config, c.Reason, c.Hint, test.config, test.reason, test.hint)
			}
			if test.leaves != "" && strings.Contains(c.Hint, test.leaves) {
				t.Errorf("hint %q with %q", c.Hint, test.leaves)
			}
			if isXLA := c.Config != "go"; isXLA != (c.Plugin != "") {
				t.Errorf("%s has the plugin %q", c.Config, c.Plugin)
			}
			if s := c.String(); strings.Contains(s, "\n") || !strings.HasPrefix(s, "backend "+c.Config+": ") {
				t.Errorf("String is %q", s)
			}
			if n := c.Backend.NumDevices(); n != 1 && !test.unshared {
				t.Errorf("%d devices, want 1", n)
			}
			if got := c.Backend.HasSharedBuffers(); got == test.unshared {
				t.Errorf("shared memory: %v", got)
			}
			double(t, c.Backend)
		})
	}
}

// wheelHint is the hint where nothing is installed.
func wheelHint() string {
	if _, ok := wheels[platform()]; ok {
		return installCommand
	}
	return ""
}

// TestXLAPlatforms keeps the list as the build constraints of xla.go are, and looks at what is said elsewhere.
func TestXLAPlatforms(t *testing.T) {
	source, err := os.ReadFile("xla.go")
	must(t, err)
	line, _, _ := strings.Cut(string(source), "\n")
	built, err := constraint.Parse(line)
	must(t, err)
	for _, system := range []string{"darwin", "freebsd", "linux", "windows"} {
		for _, machine := range []string{"386", "amd64", "arm64", "riscv64"} {
			platform := system + "/" + machine
			want := built.Eval(func(tag string) bool { return tag == "cgo" || tag == system || tag == machine })
			reason, hint := withoutXLA(platform)
			if got := slices.Contains(xlaPlatforms, platform); got != want || got != (hint != "") || got == strings.Contains(reason, "does not support "+platform) {
				t.Errorf("%s: built with XLA %v, listed %v; reason %q, hint %q", platform, want, got, reason, hint)
			}
		}
	}
}

func TestPluginDirs(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	t.Setenv("USERPROFILE", "/home/someone")
	t.Setenv("LD_LIBRARY_PATH", "/opt/lib:relative:")
	t.Setenv(pluginPath, "/a::/b")
	if got := pluginDirs(); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("with %s: %v", pluginPath, got)
	}
	if err := os.Unsetenv(pluginPath); err != nil { // t.Setenv restores it
		t.Fatal(err)
	}
	got := pluginDirs()
	if !strings.HasPrefix(got[0], filepath.FromSlash("/home/someone/")) || filepath.Base(got[0]) != "go-xla" {
		t.Errorf("the first folder is %s, not the user's", got[0])
	}
	if !slices.Contains(got, "/opt/lib") || slices.Contains(got, "relative") {
		t.Errorf("folders of LD_LIBRARY_PATH: %v", got)
	}
}

func TestCheckPlugin(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	write(t, text, []byte("not a library"))
	paths := []string{filepath.Join(dir, "missing.so"), dir}
	if platform() == "linux/amd64" || platform() == "linux/arm64" {
		program, err := os.ReadFile(self)
		must(t, err)
		half := filepath.Join(dir, "half.so")
		write(t, half, program[:len(program)/2])
		paths = append(paths, text, self, half)
	}
	for _, path := range paths {
		if err := checkPlugin(path); err == nil {
			t.Errorf("%s passed", path)
		}
	}
	if installed != "" {
		if err := checkPlugin(installed); err != nil {
			t.Errorf("%s: %v", installed, err)
		}
	}
}
