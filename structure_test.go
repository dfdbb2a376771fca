package synpool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

// Libraries that the table below names by a short word, including everything under the path.
var libraries = map[string]string{
	"gomlx":      "github.com/gomlx/gomlx",
	"compute":    "github.com/gomlx/compute",
	"go-xla":     "github.com/gomlx/go-xla",
	"gonum":      "gonum.org/v1/gonum",
	"parquet-go": "github.com/parquet-go/parquet-go",
	"compress":   "github.com/klauspost/compress",
	"brotli":     "github.com/andybalholm/brotli",
	"lz4":        "github.com/pierrec/lz4/v4",
	"gonum/plot": "gonum.org/v1/plot",
	"uax29":      "github.com/clipperhouse/uax29/v2",
	"gonb":       "github.com/janpfeifer/gonb",
	"cobra":      "github.com/spf13/cobra",
	"pflag":      "github.com/spf13/pflag",
	"x/image":    "golang.org/x/image",
	"x/sys":      "golang.org/x/sys",
	"x/text":     "golang.org/x/text",
	"x/term":     "golang.org/x/term",
}

// rule says what a package may import besides the standard library: packages of this module by folder, and libraries by the
// words above. Its tests may also import the package itself and the packages in tests.
type rule struct{ imports, tests []string }

// imports is the import table: arrows run one way, and every package has a row.
var imports = map[string]rule{
	"":                                     {},
	"backend":                              {[]string{"backend/internal/pjrtcache", "gomlx", "compute", "go-xla", "x/sys"}, nil},
	"backend/internal/pjrtcache":           {[]string{"x/sys"}, nil},
	"backend/backendtest":                  {[]string{"backend", "compute"}, []string{"gomlx"}},
	"synlayer":                             {[]string{"internal/members", "gomlx", "compute"}, []string{"backend/backendtest", "internal/goldentest", "synlayer/syntest"}},
	"internal/goldentest":                  {[]string{"gomlx", "compute"}, nil},
	"course/capsule":                       {[]string{"internal/members", "synlayer", "gomlx", "compute"}, []string{"backend/backendtest", "internal/goldentest"}},
	"course/memory":                        {[]string{"gonum"}, []string{"internal/large", "synlayer", "backend/backendtest", "gomlx", "compute"}},
	"course/sequence":                      {[]string{"internal/members", "synlayer", "gomlx", "compute"}, []string{"internal/large", "synlayer/syntest", "internal/goldentest", "backend/backendtest"}},
	"synlayer/syntest":                     {[]string{"internal/members", "synlayer", "gomlx", "compute"}, []string{"backend/backendtest"}},
	"course/corpus":                        {[]string{"internal/disk", "internal/fetch", "internal/lbfgs", "gonum", "uax29"}, []string{"internal/large", "internal/alloctest"}},
	"course/corpus/download":               {[]string{"course/corpus", "internal/fetch"}, nil},
	"course/examples/capsule":              {[]string{"backend", "course/examples/capsule/training", "course/examples/command"}, nil},
	"course/examples/capsule/training":     {[]string{"internal/members", "course/examples/fit", "synlayer", "course/capsule", "milbench/dataset", "gomlx", "compute"}, []string{"internal/large", "backend/backendtest", "gonum", "internal/fetched"}},
	"examples/extending":                   {nil, []string{"milbench", "milbench/dataset", "milbench/learner", "milbench/learner/neural", "milbench/learner/onebyone", "milbench/results", "milbench/run", "milbench/cluster", "synlayer", "synlayer/syntest", "plotting", "gonum", "gonum/plot", "gomlx", "compute"}},
	"course/examples/fit":                  {[]string{"internal/disk", "course/corpus", "synlayer", "gomlx", "compute"}, []string{"backend/backendtest"}},
	"course/examples/fit/fittest":          {[]string{"compute"}, nil},
	"course/examples/command":              {},
	"course/examples/deepsets/training":    {[]string{"course/examples/fit", "synlayer", "course/sequence", "gonum", "gomlx", "compute"}, []string{"internal/large", "backend/backendtest", "course/examples/fit/fittest"}},
	"course/examples/deepsets":             {[]string{"backend", "course/examples/command", "course/examples/deepsets/training", "synlayer", "course/sequence", "gonum"}, nil},
	"course/examples/memnet":               {[]string{"backend", "course/examples/command", "course/examples/memnet/training", "course/sequence"}, nil},
	"course/examples/memnet/training":      {[]string{"course/corpus", "course/examples/fit", "course/sequence", "gomlx", "compute"}, []string{"internal/large", "backend/backendtest", "course/examples/fit/fittest"}},
	"course/examples/reviews":              {[]string{"backend", "course/corpus", "course/examples/command", "course/examples/reviews/training", "course/sequence"}, nil},
	"course/examples/reviews/training":     {[]string{"course/corpus", "course/examples/fit", "course/sequence", "gomlx", "compute"}, []string{"internal/large", "backend/backendtest", "internal/fetched", "course/examples/fit/fittest"}},
	"course/examples/translation":          {[]string{"backend", "course/corpus", "course/examples/command", "course/examples/translation/training", "course/sequence"}, nil},
	"course/examples/translation/training": {[]string{"course/corpus", "course/examples/fit", "course/sequence", "gomlx", "compute"}, []string{"internal/large", "backend/backendtest", "internal/fetched", "course/examples/fit/fittest"}},
	"course/examples/tweets":               {[]string{"backend", "course/corpus", "course/examples/command", "course/examples/tweets/training", "course/sequence", "gonum"}, nil},
	"course/examples/tweets/training":      {[]string{"course/corpus", "course/examples/fit", "course/sequence", "gomlx", "compute"}, []string{"internal/large", "backend/backendtest", "internal/fetched", "course/examples/fit/fittest"}},
	"course/examples/memory":               {[]string{"internal/disk", "course/examples/command", "course/examples/memory/retrieval", "course/memory"}, []string{"milbench/dataset"}},
	"course/examples/memory/retrieval":     {[]string{"course/memory", "milbench", "milbench/dataset"}, []string{"internal/fetched"}},
	"internal/alloctest":                   {},
	"internal/delimited":                   {},
	"internal/disk":                        {nil, []string{"internal/reexec"}},
	"internal/fetch":                       {[]string{"internal/disk", "x/sys", "x/term"}, nil},
	"internal/fetched":                     {[]string{"internal/fetch"}, nil},
	"internal/large":                       {},
	"internal/hdf5":                        {},
	"internal/float16":                     {},
	"internal/parquet":                     {[]string{"internal/float16", "parquet-go", "compress", "brotli", "lz4"}, []string{"internal/alloctest"}},
	"internal/pickle":                      {nil, []string{"internal/alloctest"}},
	"internal/lbfgs":                       {[]string{"gonum"}, nil},
	"internal/members":                     {[]string{"gomlx", "compute"}, nil},
	"internal/mixture":                     {},
	"internal/printable":                   {[]string{"x/text"}, nil},
	"internal/reexec":                      {},
	"internal/transport":                   {[]string{"gonum"}, nil},
	"internal/svm":                         {[]string{"gonum"}, []string{"internal/large"}},
	"internal/svm/bench":                   {[]string{"internal/svm"}, nil},
	"internal/transport/bench":             {[]string{"internal/transport"}, nil},
	"internal/trees":                       {},
	"internal/trees/bench":                 {[]string{"internal/trees"}, nil},
	"milbench":                             {},
	"milbench/judge":                       {[]string{"gonum"}, nil},
	"milbench/calibrate":                   {[]string{"milbench", "milbench/judge"}, nil},
	"milbench/dataset":                     {[]string{"internal/disk", "internal/delimited", "milbench", "milbench/dataset/generate", "internal/fetch", "internal/float16", "internal/hdf5", "internal/parquet", "internal/pickle", "x/sys", "x/text"}, []string{"milbench/dataset/audit", "internal/fetched", "internal/alloctest", "internal/large"}},
	"milbench/dataset/generate":            {[]string{"milbench"}, []string{"milbench/dataset", "milbench/dataset/audit", "internal/fetched"}},
	"milbench/dataset/intake":              {[]string{"milbench", "milbench/dataset", "milbench/dataset/audit"}, nil},
	"milbench/dataset/audit":               {[]string{"milbench"}, []string{"milbench/dataset", "milbench/dataset/generate", "internal/fetched", "internal/large"}},
	"milbench/learner":                     {[]string{"milbench", "milbench/calibrate", "milbench/judge", "milbench/learner/classic", "milbench/learner/modeldir", "milbench/learner/onebyone", "milbench/learner/schedule", "gonum"}, []string{"internal/alloctest", "internal/large", "milbench/dataset", "milbench/run", "milbench/run/runtest", "milbench/cluster", "milbench/results"}},
	"milbench/learner/bench":               {[]string{"milbench", "milbench/dataset", "milbench/dataset/audit", "milbench/judge", "milbench/learner", "milbench/learner/onebyone", "gonum"}, nil},
	"milbench/learner/modeldir":            {[]string{"internal/disk", "milbench"}, []string{"internal/reexec"}},
	"milbench/learner/schedule":            {[]string{"milbench"}, nil},
	"milbench/learner/onebyone":            {[]string{"milbench", "milbench/learner/schedule"}, []string{"milbench/learner", "milbench/results", "milbench/run", "milbench/run/runtest"}},
	"milbench/learner/classic":             {[]string{"milbench", "milbench/learner/onebyone", "internal/lbfgs", "internal/mixture", "internal/svm", "internal/transport", "internal/trees", "gonum"}, []string{"internal/large", "milbench/dataset", "milbench/dataset/generate", "milbench/judge", "internal/fetched"}},
	"milbench/learner/neural":              {[]string{"internal/disk", "internal/members", "milbench", "milbench/learner/modeldir", "milbench/learner/schedule", "synlayer", "backend", "gomlx", "compute", "gonum"}, []string{"internal/large", "backend/backendtest", "synlayer/syntest", "milbench/dataset", "milbench/dataset/generate", "milbench/judge"}},
	"milbench/learner/networks":            {[]string{"milbench", "milbench/learner", "milbench/learner/neural"}, nil},
	"milbench/learner/neural/bench":        {[]string{"backend", "milbench", "milbench/dataset", "milbench/learner/neural", "milbench/judge"}, nil},
	"milbench/results":                     {[]string{"internal/disk", "milbench", "milbench/cluster", "milbench/judge", "gonum"}, []string{"internal/large", "x/sys", "internal/reexec"}},
	"milbench/exchange":                    {[]string{"internal/delimited", "milbench", "milbench/results"}, nil},
	"milbench/predict":                     {[]string{"milbench", "milbench/calibrate", "milbench/learner", "milbench/learner/modeldir", "milbench/learner/networks", "milbench/learner/neural", "milbench/learner/onebyone"}, nil},
	"milbench/evaluate":                    {[]string{"milbench", "milbench/judge", "milbench/learner/modeldir", "milbench/results", "gonum"}, []string{"internal/large"}},
	"milbench/run":                         {[]string{"milbench", "milbench/cluster", "milbench/judge", "milbench/results", "gonum"}, []string{"x/sys", "internal/reexec", "milbench/run/runtest"}},
	"milbench/cluster":                     {[]string{"internal/disk", "milbench"}, []string{"internal/large"}},
	"milbench/run/runtest":                 {[]string{"milbench", "milbench/results", "milbench/run", "milbench/cluster"}, nil},
	"milbench/charts":                      {[]string{"milbench", "milbench/calibrate", "milbench/evaluate", "milbench/judge", "milbench/results", "plotting", "gonum"}, nil},
	"paper":                                {[]string{"milbench", "milbench/dataset", "milbench/dataset/audit", "milbench/dataset/generate", "milbench/judge", "milbench/learner", "milbench/learner/classic", "milbench/learner/neural", "milbench/learner/onebyone", "milbench/results", "milbench/run", "milbench/cluster", "gonum"}, []string{"compute", "milbench/run/runtest"}},
	"paper/report":                         {[]string{"milbench/charts", "internal/disk", "milbench", "milbench/dataset/generate", "milbench/judge", "milbench/results", "paper", "plotting", "gonum"}, []string{"internal/large", "milbench/dataset", "milbench/run"}},
	"paper/results":                        {[]string{"milbench/results"}, []string{"internal/large", "paper", "paper/report"}},
	"internal/notebook":                    {[]string{"gonb"}, nil},
	"plotting":                             {[]string{"internal/disk", "internal/notebook", "gonum/plot", "gonum", "gonb", "x/image"}, []string{"internal/large"}},
	"docs":                                 {},
	"docs/pictures":                        {nil, []string{"backend/backendtest", "synlayer", "milbench", "milbench/dataset", "milbench/dataset/generate", "milbench/judge", "milbench/learner/neural", "milbench/predict", "milbench/results", "paper/results", "gonum", "gomlx", "compute"}},
	"notebooks":                            {nil, []string{"notebooks/internal/labtest"}},
	"notebooks/cell":                       {[]string{"milbench/charts", "internal/disk", "internal/printable", "backend", "internal/notebook", "milbench", "milbench/calibrate", "milbench/dataset", "milbench/dataset/audit", "milbench/dataset/intake", "milbench/evaluate", "milbench/judge", "milbench/learner", "milbench/learner/modeldir", "milbench/learner/networks", "milbench/learner/neural", "milbench/learner/onebyone", "milbench/predict", "milbench/results", "milbench/run", "plotting", "gonb", "gonum"}, []string{"milbench/dataset/generate"}},
	"course/explorer":                      {[]string{"course/memory", "gonum"}, nil},
	"course/explorer/page":                 {[]string{"internal/notebook", "docs", "gonb"}, nil},
	"course/explorer/build":                {[]string{"internal/disk", "course/explorer/page"}, nil},
	"notebooks/internal/labtest":           {},
	"cmd/milbench":                         {[]string{"milbench/charts", "internal/disk", "internal/printable", "backend", "synlayer", "milbench", "milbench/calibrate", "milbench/dataset", "milbench/dataset/audit", "milbench/dataset/intake", "milbench/evaluate", "milbench/exchange", "milbench/judge", "milbench/learner", "milbench/learner/modeldir", "milbench/learner/networks", "milbench/learner/neural", "milbench/learner/onebyone", "milbench/learner/schedule", "milbench/predict", "milbench/results", "milbench/run", "milbench/cluster", "paper", "paper/report", "plotting", "internal/fetch", "cobra", "pflag", "compute", "x/sys", "x/term"}, []string{"backend/backendtest", "internal/large", "internal/fetched", "internal/reexec"}},
}

// light has the packages that never compile GoMLX, so that programs that load a set or draw a figure build in seconds.
var light = []string{"", "internal/notebook", "course/memory", "course/examples/memory", "course/examples/memory/retrieval", "course/corpus", "course/corpus/download", "internal/delimited", "internal/disk", "internal/fetch", "internal/float16", "internal/hdf5", "internal/parquet", "internal/pickle", "internal/lbfgs", "internal/transport", "milbench", "milbench/calibrate", "milbench/dataset", "milbench/dataset/audit", "milbench/dataset/intake", "milbench/dataset/generate", "milbench/evaluate", "milbench/exchange", "milbench/judge", "milbench/learner", "milbench/learner/classic", "milbench/learner/modeldir", "milbench/learner/onebyone", "milbench/learner/schedule", "milbench/results", "milbench/run", "milbench/cluster", "plotting", "docs", "course/explorer", "course/explorer/page", "course/explorer/build", "internal/svm", "internal/svm/bench", "internal/mixture", "internal/trees", "internal/trees/bench"}

// listed is the output of go list for a package.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// list runs go list on every package of the module.
func list(t *testing.T, environment string, arguments ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps"}, arguments...), "./...")...)
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

// under reports whether path is root or lies under it.
func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// allowed reports whether a package may be imported by a row with the given imports.
func allowed(path string, by []string) bool {
	if dir, ours := folder(path); ours {
		return slices.Contains(by, dir)
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return true // the standard library, and "C"
	}
	return slices.ContainsFunc(by, func(word string) bool {
		root, ok := libraries[word]
		return ok && under(path, root)
	})
}

// TestImports checks the table: each package has a row and imports only what its row names.
func TestImports(t *testing.T) {
	for _, p := range list(t, "GOFLAGS=") {
		dir, _ := folder(p.ImportPath)
		row, ok := imports[dir]
		if !ok {
			t.Errorf("%s has no row in the import table: give it one in structure_test.go", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			if !allowed(path, row.imports) {
				t.Errorf("%s must not import %s", p.ImportPath, path)
			}
		}
		for _, path := range append(p.TestImports, p.XTestImports...) {
			if path != p.ImportPath && !allowed(path, append(slices.Clone(row.imports), row.tests...)) {
				t.Errorf("the tests of %s must not import %s", p.ImportPath, path)
			}
		}
	}
}

// TestTable checks the table itself: it names only packages that exist or can exist, and has no cycle.
func TestTable(t *testing.T) {
	done := map[string]bool{}
	var visit func(dir string, path []string)
	visit = func(dir string, path []string) {
		if slices.Contains(path, dir) {
			t.Errorf("a circle: %v", append(path, dir))
			return
		}
		if done[dir] {
			return
		}
		for _, to := range imports[dir].imports {
			if _, ok := imports[to]; ok {
				visit(to, append(slices.Clone(path), dir))
			}
		}
		done[dir] = true
	}
	for dir, row := range imports {
		visit(dir, nil)
		for _, word := range append(slices.Clone(row.imports), row.tests...) {
			_, ours := imports[word]
			if _, library := libraries[word]; !ours && !library {
				t.Errorf("the row %q names %s, which is neither a row nor a library", dir, word)
			}
		}
		if slices.Contains(row.imports, "go-xla") && dir != "backend" {
			t.Errorf("%s may import go-xla; backend alone may", dir)
		}
	}
}

// TestLight checks all dependencies of the light packages.
func TestLight(t *testing.T) {
	for _, p := range list(t, "GOFLAGS=") {
		if dir, _ := folder(p.ImportPath); !slices.Contains(light, dir) {
			continue
		}
		for _, path := range p.Deps {
			if under(path, "github.com/gomlx") {
				t.Errorf("%s compiles %s", p.ImportPath, path)
			}
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
					if under(path, libraries["go-xla"]) {
						t.Errorf("%s compiles %s", p.ImportPath, path)
					}
				}
			}
		})
	}
}

// TestShares checks that no folder has more than 30 % of the lines of Go. Milbench has half of them, so its subfolders are
// counted instead.
func TestShares(t *testing.T) {
	lines, all := map[string]int{}, 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			if entry != nil && entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parts := strings.Split(filepath.ToSlash(path), "/")
		room := parts[0]
		if room == "milbench" && len(parts) > 2 {
			room += "/" + parts[1]
		}
		n := bytes.Count(text, []byte("\n"))
		lines[room], all = lines[room]+n, all+n
		return nil
	})
	if err != nil || len(lines) < 10 {
		t.Fatalf("%d folders (%v)", len(lines), err)
	}
	for room, n := range lines {
		if 10*n > 3*all {
			t.Errorf("%s has %d of %d lines; divide it", room, n, all)
		}
	}
}
