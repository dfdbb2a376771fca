package synpool_test

import (
	"bytes"
	"image/png"
	"io/fs"
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

// TestPackages compares the table of docs/architecture.md with the packages, and the modules below this one.
func TestPackages(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var named, packages []string
	for _, row := range regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(([^)]+)\) \| `).FindAllStringSubmatch(string(text), -1) {
		if "../"+row[1] != row[2] {
			t.Errorf("%s links to %s", row[1], row[2])
		}
		named = append(named, row[1])
	}
	for _, p := range list(t, "GOFLAGS=") {
		if dir, _ := folder(p.ImportPath); dir != "" {
			packages = append(packages, dir)
		}
	}
	modules := 0
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.Name() == "go.mod" && path != "go.mod":
			modules++
			packages = append(packages, filepath.ToSlash(filepath.Dir(path)))
		}
		return nil
	})
	if err != nil || modules == 0 {
		t.Fatalf("%d modules below this one (%v)", modules, err)
	}
	slices.Sort(named)
	slices.Sort(packages)
	if !slices.Equal(named, packages) {
		t.Errorf("docs/architecture.md names\n%q\nand the packages are\n%q", named, packages)
	}
}

// TestReadmeExample compares the program in README.md with the tested example.
func TestReadmeExample(t *testing.T) {
	file, err := os.ReadFile("synlayer/example_pooling_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(file), "\nfunc Example() {")
	if !strings.Contains(readme(t), "\n```go\nfunc Example() {"+example+"```\n") {
		t.Error("README.md shows another program than synlayer/example_pooling_test.go")
	}
}

// TestReadmeSize limits the size of README.md: longer texts belong on a page of their own.
func TestReadmeSize(t *testing.T) {
	if words := len(strings.Fields(readme(t))); words > 1300 {
		t.Errorf("README.md has %d words; move what not every reader needs into docs", words)
	}
}

// TestReadmeClaims checks that each estimate in README.md is in a row of RESULTS.md with its interval; RESULTS.md is
// generated from the archives.
func TestReadmeClaims(t *testing.T) {
	results, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	claims := regexp.MustCompile(`([+−]0\.\d{3}) \(([+−]0\.\d{3} to [+−]0\.\d{3})\)`).FindAllStringSubmatch(readme(t), -1)
	if len(claims) < 3 {
		t.Fatalf("%d claims found", len(claims))
	}
	for _, claim := range claims {
		if row := "| " + claim[1] + " | " + claim[2] + ","; !strings.Contains(string(results), row) {
			t.Errorf("RESULTS.md has no row with %q", row)
		}
	}
}

// TestReadmeLinks checks that the targets of links in README.md exist.
func TestReadmeLinks(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readme(t), -1)
	if len(links) == 0 {
		t.Fatal("no links found")
	}
	for _, link := range links {
		path := link[1]
		if strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "#") {
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

// TestTables checks that each table in a Markdown file has a row of dashes under its header, with as many columns; without
// it GitHub shows text.
func TestTables(t *testing.T) {
	tables := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fenced, inside := false, false
		lines := strings.Split(string(text)+"\n", "\n") // after the last line another, empty
		for i, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			row := !fenced && strings.HasPrefix(line, "|")
			if row && !inside {
				tables++
				if next := lines[i+1]; !delimiter.MatchString(next) || columns(next) != columns(line) {
					t.Errorf("%s:%d: under the head of a table stands %q, want |:--| of as many columns", path, i+1, next)
				}
			}
			inside = row
		}
		return nil
	})
	if err != nil || tables == 0 {
		t.Fatalf("%d tables found (%v)", tables, err)
	}
}

var delimiter = regexp.MustCompile(`^\|(:?-+:?\|)+$`)

// columns returns how many columns a row of a table has.
func columns(row string) int { return strings.Count(row, "|") - strings.Count(row, `\|`) - 1 }
