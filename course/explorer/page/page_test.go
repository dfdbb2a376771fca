package page_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"synpool/course/explorer/page"
)

// built is the page, compiled once for all tests.
var built = sync.OnceValues(func() ([]byte, error) {
	return page.Build(context.Background())
})

// committed is the page in the repository.
const committed = "../../../docs/explorer.html"

func build(t *testing.T) []byte {
	t.Helper()
	html, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// TestBuild: the page is the same each time, needs nothing besides itself, and is no larger than it has to be.
func TestBuild(t *testing.T) {
	html := build(t)
	again, err := page.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(html, again) {
		t.Error("built twice, the page is not the same")
	}
	if len(html) > 1_500_000 {
		t.Errorf("the page has %d bytes, want 1.5 MB at most", len(html))
	}
	for _, outside := range regexp.MustCompile(`(?i)<(?:script|img|iframe)[^>]*\ssrc=|<link[^>]*href="[^"d]|@import|url\(`).FindAllString(string(html), -1) {
		t.Errorf("the page needs something outside: %s", outside)
	}
	for _, path := range []string{os.TempDir() + "/", filepath.Dir(committed) + "/", "/root/", "/home/"} {
		if strings.Contains(string(html), path) {
			t.Errorf("the page names %s, a folder of the machine that built it", path)
		}
	}
}

// TestCommitted: the page in the repository is made of the sources beside it.
func TestCommitted(t *testing.T) {
	html, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := page.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`<meta name="sources" content="([^"]*)">`).FindSubmatch(html)
	if found == nil || string(found[1]) != sources {
		t.Errorf("docs/explorer.html is made of %q, and the sources are %s: rebuild it with go run ./course/explorer/build and commit it", found, sources)
	}
	if !bytes.Contains(build(t), []byte(sources)) {
		t.Error("a page just built does not carry the hash of its sources")
	}
}

// TestBuildFails: an error of the go command comes back in one line.
func TestBuildFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := page.Build(t.Context()); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "go build") {
		t.Errorf("outside of a module: %v", err)
	}
}
