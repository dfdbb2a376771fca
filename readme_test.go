package synpool_test

import (
	"bytes"
	"fmt"
	"image/png"
	"io/fs"
	"net/url"
	"os"
	slashpath "path"
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

// TestReadmeExample compares the programs in README.md with the tested example and with the doc comment of package milbench.
func TestReadmeExample(t *testing.T) {
	doc, err := os.ReadFile("milbench/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(doc), "//\n//\t")
	lines, _, _ = strings.Cut(lines, "\n//\n")
	if lines = strings.ReplaceAll(lines, "\n//\t", "\n"); !strings.Contains(readme(t), "\n```go\n"+lines+"\n```\n") {
		t.Errorf("README.md lacks\n%s", lines)
	}
	file, err := os.ReadFile("synlayer/example_pooling_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(file), "\nfunc Example() {")
	if !strings.Contains(readme(t), "\n```go\nfunc Example() {"+example+"```\n") {
		t.Error("README.md shows another program than synlayer/example_pooling_test.go")
	}
}

// TestReadmeCommands: the commands of the main job and of the tests stand together; .ci/run runs them as written.
func TestReadmeCommands(t *testing.T) {
	if !strings.Contains(readme(t), "\n```\ngo run ./cmd/milbench demo\ngo test ./...\n") {
		t.Error("README.md does not show `go run ./cmd/milbench demo` and `go test ./...`")
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

// TestLinks looks for what every Markdown file links to in the repository: files, folders, and the headings and anchors of pages. Addresses
// elsewhere are not asked for. Pictures that README.md shows are small, as every reader of it loads them.
func TestLinks(t *testing.T) {
	pages := map[string]page{}
	for _, path := range markdown(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.ToSlash(path)] = parse(string(text))
	}
	links := 0
	for path, from := range pages {
		for _, link := range from.links {
			address, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s links to %s: %v", path, link, err)
				continue
			}
			if address.Scheme != "" {
				continue
			}
			links++
			target := path
			if address.Path != "" {
				target = slashpath.Join(slashpath.Dir(path), address.Path)
			}
			info, err := os.Stat(target)
			if err != nil {
				t.Errorf("%s links to %s: %v", path, link, err)
				continue
			}
			if info.IsDir() {
				target = slashpath.Join(target, "README.md")
			}
			if to, ok := pages[target]; address.Fragment != "" && (!ok || !slices.Contains(to.anchors, address.Fragment)) {
				t.Errorf("%s links to %s: %s has no such heading or anchor", path, link, target)
			}
			if path == "README.md" && filepath.Ext(target) == ".png" {
				data, err := os.ReadFile(target)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > 100_000 {
					t.Errorf("%s: %d bytes, want a figure under 100 kB (%v)", target, len(data), err)
				}
			}
		}
	}
	if links == 0 {
		t.Fatal("no links found")
	}
}

// page is what a Markdown file links to, and what others can link to in it.
type page struct{ links, anchors []string }

var (
	code      = regexp.MustCompile("(?s)(?m:^) *```.*?(?m:^) *```|`[^`\n]+`")
	linked    = regexp.MustCompile(`\]\(([^)\s]+)(?: "[^"]*")?\)|(?m:^)\[[^\]]+\]: (\S+)|<[^>]*\b(?:href|src|srcset)="([^"]+)"`)
	headings  = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	anchors   = regexp.MustCompile(`<[^>]*\b(?:id|name)="([^"]+)"`)
	unslugged = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// parse finds links and anchors. A heading has the anchor that GitHub gives it: small letters, hyphens for spaces, no punctuation.
func parse(text string) (found page) {
	bare := code.ReplaceAllString(text, "")
	for _, match := range linked.FindAllStringSubmatch(bare, -1) {
		found.links = append(found.links, match[1]+match[2]+match[3])
	}
	for _, match := range anchors.FindAllStringSubmatch(bare, -1) {
		found.anchors = append(found.anchors, match[1])
	}
	fenced := regexp.MustCompile("(?ms)^ *```.*?^ *```").ReplaceAllString(text, "")
	for _, match := range headings.FindAllStringSubmatch(fenced, -1) {
		name := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(match[1], "$1")
		slug := strings.ReplaceAll(unslugged.ReplaceAllString(strings.ToLower(name), ""), " ", "-")
		again := slug
		for n := 1; slices.Contains(found.anchors, again); n++ {
			again = fmt.Sprintf("%s-%d", slug, n)
		}
		found.anchors = append(found.anchors, again)
	}
	return found
}

// TestParse: a link in code is none, and headings have the anchors that GitHub gives them.
func TestParse(t *testing.T) {
	got := parse("# A, *b* & `c d`\n[x](y.md#z) `[no](no.md)` ![p](p.svg \"title\")\n```\n# no\n[no](no.md)\n```\n" +
		"## [See](s.md) you\n<a id=\"here\"></a> <img src=\"i.png\">\n## See you\n[ref]: r.md\n")
	want := page{
		links:   []string{"y.md#z", "p.svg", "s.md", "i.png", "r.md"},
		anchors: []string{"here", "a-b--c-d", "see-you", "see-you-1"},
	}
	if !slices.Equal(got.links, want.links) || !slices.Equal(got.anchors, want.anchors) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// markdown returns the Markdown files, except for those of tests.
func markdown(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !entry.IsDir() && filepath.Ext(path) == ".md":
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
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
