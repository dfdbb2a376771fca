package synpool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is the path of this module, as go.mod has it.
var module = func() string {
	text, _ := os.ReadFile("go.mod")
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "module ")
}()

// goXLA is the library that calls XLA.
const goXLA = "github.com/gomlx/go-xla"

// rule forbids dependencies, direct or not: of packages that match one of the first patterns on packages that match one of the second.
// Patterns are folders of this module or paths of libraries; /... stands for what lies below.
type rule struct{ of, never []string }

// rules are the import rules of docs/architecture.md.
var rules = []rule{
	{[]string{"milbench/mil"}, []string{"milbench", "milbench/...", "github.com/...", "golang.org/...", "gonum.org/...", "gopkg.in/..."}},
	{[]string{"milbench/cv"}, []string{"milbench/learner", "milbench/learners/...", "milbench/dataset/...", "milbench/results", "github.com/...", "golang.org/...", "gonum.org/...", "gopkg.in/..."}},
	{[]string{"milbench/..."}, []string{"milbench"}},
	{[]string{"synlayer/..."}, []string{"milbench/...", "plotting"}},
	{[]string{"plotting"}, []string{"milbench/...", "synlayer/...", "backend/..."}},
	{[]string{"milbench/stats", "milbench/calibrate"}, []string{"milbench/dataset/...", "milbench/learners/...", "milbench/results"}},
	{[]string{"milbench/results"}, []string{"milbench/dataset/...", "milbench/learners/..."}},
	{[]string{"milbench/...", "synlayer/...", "plotting", "backend/...", "internal/...", "notebooks/..."}, []string{"paper/...", "course/..."}},
	{[]string{"cmd/...", "paper/..."}, []string{"course/..."}},
}

// graphs are the packages that may depend on GoMLX.
var graphs = []string{"backend/...", "synlayer/...", "internal/batched", "internal/goldentest", "internal/onnx/trace", "internal/roundtrip", "milbench", "milbench/learners/neural/...",
	"cmd/milbench", "notebooks/cell", "paper", "paper/report", "course/capsule", "course/sequence", "course/examples/..."}

// matches reports whether a folder or a library fits one of the patterns.
func matches(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		root, below := strings.CutSuffix(pattern, "/...")
		return path == root || below && strings.HasPrefix(path, root+"/")
	})
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// list runs go list on every package of the module.
func list(t *testing.T, environment string, arguments ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list", "-json=ImportPath,Imports,Deps"}, arguments...), "./...")...)
	cmd.Env = append(os.Environ(), environment)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &stderr)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatal("go list names no packages")
	}
	return packages
}

// folder returns the folder of a package of this module.
func folder(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// TestImports checks the rules, what depends on GoMLX, and that backend alone imports go-xla.
func TestImports(t *testing.T) {
	for _, p := range list(t, "GOFLAGS=") {
		dir, _ := folder(p.ImportPath)
		for _, path := range p.Deps {
			if ours, is := folder(path); is {
				path = ours
			}
			if strings.HasPrefix(path, "github.com/gomlx/") && !matches(dir, graphs) {
				t.Errorf("%s must not depend on %s", dir, path)
			}
			for _, r := range rules {
				if path != dir && matches(dir, r.of) && matches(path, r.never) {
					t.Errorf("%s must not depend on %s", dir, path)
				}
			}
		}
		if dir != "backend" && slices.ContainsFunc(p.Imports, func(path string) bool { return matches(path, []string{goXLA + "/..."}) }) {
			t.Errorf("%s imports go-xla; backend alone may", dir)
		}
	}
}

// TestTools checks that go.mod, which importers use, has no dependencies that only developers need, and that the notebook
// kernel has the same version as the package that plotting uses to show figures in notebooks.
func TestTools(t *testing.T) {
	kernel := regexp.MustCompile(`(?m)^\tgithub\.com/janpfeifer/gonb (v\S+)`)
	var versions []string
	for _, path := range []string{"go.mod", "tools/go.mod"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := kernel.FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s does not name gonb", path)
		}
		versions = append(versions, string(found[1]))
		if has, want := regexp.MustCompile(`(?m)^tool\b`).Match(text), path != "go.mod"; has != want {
			t.Errorf("%s has tools: %t, want %t", path, has, want)
		}
	}
	if versions[0] != versions[1] {
		t.Errorf("go.mod has gonb %s and tools/go.mod %s: they must be one", versions[0], versions[1])
	}
}

// TestWithoutXLA checks all dependencies of a build without XLA, including tests.
func TestWithoutXLA(t *testing.T) {
	for _, build := range []struct{ name, environment, tags string }{
		{"noxla", "CGO_ENABLED=1", "noxla"},
		{"no cgo", "CGO_ENABLED=0", ""},
	} {
		t.Run(build.name, func(t *testing.T) {
			for _, p := range list(t, build.environment, "-test", "-tags="+build.tags) {
				for _, path := range p.Deps {
					if matches(path, []string{goXLA + "/..."}) {
						t.Errorf("%s compiles %s", p.ImportPath, path)
					}
				}
			}
		})
	}
}
