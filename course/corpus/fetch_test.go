package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"synpool/internal/fetch"
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
			if seen[f.Name] || seen[f.SHA256] || !strings.HasSuffix(f.Name, path.Base(f.URL)) || !pinned.MatchString(f.URL) || !sum.MatchString(f.SHA256) || f.Bytes < 1 {
				t.Errorf("%s: %+v", e.Name, f)
			}
			seen[f.Name], seen[f.SHA256] = true, true
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
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
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
		func() error { _, err := Catalog()[0].Paths(); return err },
		func() error { return Catalog()[0].Fetch(t.Context(), nil) },
	} {
		requireOneLine(t, load(), "set CORPUS_DATA")
	}
}

// served returns an entry of files with these contents on a server of its own, and counts the requests.
func served(t *testing.T, contents ...string) (Entry, *int) {
	t.Helper()
	requests := new(int)
	e := Entry{Name: "made-up"}
	for i, content := range contents {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			*requests++
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
		}))
		t.Cleanup(server.Close)
		sum := sha256.Sum256([]byte(content))
		name := []string{"first.gz", "second.gz"}[i]
		e.Files = append(e.Files, File{Name: name, URL: server.URL + "/" + name, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])})
	}
	return e, requests
}

func TestFetch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on", "demand")
	t.Setenv("CORPUS_DATA", dir)
	e, requests := served(t, "one", "two and more")
	state, err := e.Verify()
	if requireOneLine(t, err, "made-up: not fetched yet", "first.gz", "`go run synpool/course/corpus/download made-up`"); state != fetch.Missing || !errors.Is(err, ErrNotFetched) {
		t.Errorf("before: %s, %v", state, err)
	}
	var arrived []string
	progress := func(file string, done, total int64) {
		if done == total {
			arrived = append(arrived, file)
		}
	}
	if err := e.Fetch(t.Context(), progress); err != nil || *requests != 2 || !slices.Equal(arrived, []string{"first.gz", "second.gz"}) {
		t.Fatalf("%d requests, %q arrived: %v", *requests, arrived, err)
	}
	if state, err := e.Verify(); state != fetch.Fetched || err != nil {
		t.Errorf("after: %s, %v", state, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "second.gz")); err != nil || string(text) != "two and more" {
		t.Errorf("%q, %v", text, err)
	}
	if err := e.Fetch(t.Context(), nil); err != nil || *requests != 2 {
		t.Errorf("fetched again: %d requests, %v", *requests, err)
	}

	name := filepath.Join(dir, "second.gz")
	if err := os.WriteFile(name, []byte("two and mOre"), 0o666); err != nil {
		t.Fatal(err)
	}
	state, err = e.Verify()
	if requireOneLine(t, err, "second.gz is not the file it should be", "SHA-256", "`go run synpool/course/corpus/download made-up`"); state != fetch.Damaged {
		t.Error(state)
	}
	if err := e.Fetch(t.Context(), nil); err != nil || *requests != 3 {
		t.Errorf("repair: %d requests, %v", *requests, err)
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
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range e.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), bytes.Repeat([]byte("x"), int(f.Bytes)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		requireOneLine(t, load(), name+": ", "is not the file it should be", "SHA-256")
	}
}
