package corpus

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestCatalog(t *testing.T) {
	pinned := regexp.MustCompile(`^https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/`)
	sum := regexp.MustCompile(`^[0-9a-f]{64}$`)
	seen := map[string]bool{}
	for _, e := range Catalog() {
		found, err := Find(e.Name)
		if err != nil || found.Title != e.Title {
			t.Errorf("%s: %v", e.Name, err)
		}
		if seen[e.Name] || e.Title == "" || e.Source == "" || e.Licence == "" || len(e.Citations) == 0 || e.Texts < 1 || len(e.Files) == 0 {
			t.Errorf("%+v lacks something", e)
		}
		seen[e.Name] = true
		for _, f := range e.Files {
			if seen[f.Name] || seen[f.Sums.SHA256] || !strings.HasSuffix(f.Name, path.Base(f.URL)) || !pinned.MatchString(f.URL) || !sum.MatchString(f.Sums.SHA256) || f.Sums.Bytes < 1 {
				t.Errorf("%s: %+v", e.Name, f)
			}
			seen[f.Name], seen[f.Sums.SHA256] = true, true
		}
	}
	_, err := Find("tweet")
	if requireOneLine(t, err, `"tweet"`, "tweets, reviews, multi30k"); !errors.Is(err, ErrUnknownSet) {
		t.Error(err)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("CORPUS_DATA", "texts")
	t.Setenv("MILBENCH_DATA", "bags")
	t.Setenv("XDG_CACHE_HOME", filepath.FromSlash("/home/somebody/.cache"))
	t.Setenv("HOME", filepath.FromSlash("/home/somebody"))
	cache := must(os.UserCacheDir())
	for _, want := range []struct{ unset, dir string }{{"", "texts"}, {"CORPUS_DATA", "bags"}, {"MILBENCH_DATA", filepath.Join(cache, "milbench")}} {
		if want.unset != "" {
			t.Setenv(want.unset, "")
		}
		if dir, err := Dir(); dir != want.dir || err != nil {
			t.Errorf("without %s: %q, %v", want.unset, dir, err)
		}
	}
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} {
		t.Setenv(name, "")
	}
	for _, load := range []func() error{
		func() error { _, err := Dir(); return err },
		func() error { _, err := LoadTweets(); return err },
	} {
		requireOneLine(t, load(), "set CORPUS_DATA")
	}
}

// Without its files, or with others, no set is loaded.
func TestLoadWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CORPUS_DATA", dir)
	loads := map[string]func() error{
		tweetsName:   func() error { _, err := LoadTweets(); return err },
		reviewsName:  func() error { _, err := LoadReviews(); return err },
		multi30kName: func() error { _, err := LoadMulti30k(); return err },
	}
	for name, load := range loads {
		err := load()
		if requireOneLine(t, err, name+": not fetched yet", "`go run synpool/course/corpus/download "+name+"`"); !errors.Is(err, ErrNotFetched) {
			t.Error(err)
		}
		e := must(Find(name))
		for _, f := range e.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), bytes.Repeat([]byte("x"), int(f.Sums.Bytes)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		requireOneLine(t, load(), name+": ", "is not the file it should be", "SHA-256")
	}
}
