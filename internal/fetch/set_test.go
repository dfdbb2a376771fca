package fetch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "on", "demand")
	t.Setenv("FIRST", "")
	t.Setenv("SECOND", folder)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.URL.Path)) }))
	defer server.Close()
	s := Set{Name: "pair", Variables: []string{"FIRST", "SECOND"}, Command: "get pair", Files: []File{
		{Name: "a", URL: server.URL + "/a", Sums: Sums{Bytes: 2}}, {Name: "b", URL: server.URL + "/b", Sums: Sums{Bytes: 2}},
	}}
	want := []string{filepath.Join(folder, "a"), filepath.Join(folder, "b")}
	if paths, err := s.Paths(); err != nil || !slices.Equal(paths, want) {
		t.Errorf("%q, %v", paths, err)
	}
	verify := func(want State, message string) {
		t.Helper()
		state, err := s.Verify()
		if state != want || (err == nil) != (want == Fetched) || errors.Is(err, ErrNotFetched) != (want == Missing) {
			t.Errorf("%s, %v; want %s", state, err, want)
		}
		if err != nil && err.Error() != message {
			t.Errorf("%q, want %q", err, message)
		}
	}
	verify(Missing, "pair: not fetched yet, "+want[0]+" is not there; run `get pair`")
	must(t, s.Fetch(t.Context(), nil))
	verify(Fetched, "")
	if text, err := os.ReadFile(want[1]); err != nil || string(text) != "/b" {
		t.Errorf("%q, %v", text, err)
	}
	must(t, os.WriteFile(want[1], []byte("bcd"), 0o666))
	verify(Damaged, "pair: "+want[1]+" is not the file it should be; run `get pair` to get it again: b: it is 3 bytes long, not 2")
	must(t, errors.Join(os.Remove(want[1]), os.Mkdir(want[1], 0o777)))
	verify(Damaged, "pair: "+want[1]+": is a folder, not a file")

	t.Setenv("FIRST", filepath.Join(want[0], "folder")) // in a file
	if err := s.Fetch(t.Context(), nil); !errors.Is(err, ErrFolder) || !strings.HasPrefix(err.Error(), "pair: set FIRST to a folder that can be written: ") {
		t.Error(err)
	}
}

func TestFolder(t *testing.T) {
	t.Setenv("FIRST", "one")
	t.Setenv("SECOND", "two")
	t.Setenv("XDG_CACHE_HOME", filepath.FromSlash("/home/somebody/.cache"))
	t.Setenv("HOME", filepath.FromSlash("/home/somebody"))
	cache, err := os.UserCacheDir()
	must(t, err)
	for _, c := range []struct{ unset, want string }{{"", "one"}, {"FIRST", "two"}, {"SECOND", filepath.Join(cache, "milbench")}} {
		if c.unset != "" {
			t.Setenv(c.unset, "")
		}
		if folder, err := Folder("FIRST", "SECOND"); folder != c.want || err != nil {
			t.Errorf("without %q: %q, %v", c.unset, folder, err)
		}
	}
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} {
		t.Setenv(name, "")
	}
	if _, err := (Set{Name: "pair", Variables: []string{"FIRST"}}).Paths(); err == nil || !strings.HasPrefix(err.Error(), "pair: no folder for data sets, set FIRST to one: ") {
		t.Error(err)
	}
}
