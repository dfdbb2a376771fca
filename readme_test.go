package synpool_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeFolders compares the table of folders with the packages, and the modules below this one.
func TestReadmeFolders(t *testing.T) {
	var named, packages []string
	for _, row := range regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(([^)]+)\) \| `).FindAllStringSubmatch(readme(t), -1) {
		if row[1] != row[2] {
			t.Errorf("%s links to %s", row[1], row[2])
		}
		named = append(named, row[1])
	}
	for _, p := range list(t, "GOFLAGS=") {
		if dir, _ := folder(p.ImportPath); dir != "" {
			packages = append(packages, dir)
		}
	}
	modules, err := filepath.Glob("*/go.mod")
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules below this one (%v)", err)
	}
	for _, file := range modules {
		packages = append(packages, filepath.Dir(file))
	}
	slices.Sort(named)
	slices.Sort(packages)
	if !slices.Equal(named, packages) {
		t.Errorf("the table of README.md names\n%q\nand the packages are\n%q", named, packages)
	}
}

// TestReadmeExample compares the program shown with the example that is run.
func TestReadmeExample(t *testing.T) {
	file, err := os.ReadFile("synlayer/example_program_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(file), "\nfunc Example() {")
	if !strings.Contains(readme(t), "\n```go\nfunc Example() {"+example+"```\n") {
		t.Error("README.md shows another program than synlayer/example_program_test.go")
	}
}

// TestReadmeLinks looks for what README.md links to.
func TestReadmeLinks(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readme(t), -1)
	if len(links) == 0 {
		t.Fatal("no links found")
	}
	for _, link := range links {
		path := link[1]
		if strings.HasPrefix(path, "https://") {
			continue
		}
		data, err := os.ReadFile(path)
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			continue
		}
		if err != nil {
			t.Errorf("README.md links to %s: %v", path, err)
		}
		if filepath.Ext(path) == ".png" {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > 100_000 {
				t.Errorf("%s: %d bytes, want a figure under 100 kB (%v)", path, len(data), err)
			}
		}
	}
}
