package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/course/corpus"
	"synpool/internal/fetch"
)

func TestList(t *testing.T) {
	t.Setenv("CORPUS_DATA", t.TempDir())
	for _, arguments := range [][]string{nil, {"--"}} {
		var out strings.Builder
		if err := run(t.Context(), arguments, &out); err != nil {
			t.Fatal(err)
		}
		for _, e := range corpus.Catalog() {
			if !strings.Contains(out.String(), "\n"+e.Name+" ") || !strings.Contains(out.String(), e.Licence) || !strings.Contains(out.String(), "missing") {
				t.Errorf("%s is not in the list:\n%s", e.Name, &out)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-h", "-help", "--help"} {
		var out strings.Builder
		if err := run(t.Context(), []string{flag}, &out); err != nil || out.String() != usage {
			t.Errorf("%s: %q, %v", flag, &out, err)
		}
	}
}

// A set that can be had is fetched whatever becomes of the others.
func TestFetch(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("CORPUS_DATA", folder)
	const text = "a dog runs"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/text" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, text)
	}))
	defer server.Close()
	entry := func(name, address string) corpus.Entry {
		sums := fetch.Sums{Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
		return corpus.Entry{Set: fetch.Set{Name: name, Variables: []string{"CORPUS_DATA"}, Files: []fetch.File{{Name: name + ".txt", URL: server.URL + address, Sums: sums}}}}
	}
	var out strings.Builder
	err := fetchAll(t.Context(), []corpus.Entry{entry("gone", "/else"), entry("dogs", "/text")}, &out)
	if err == nil || !strings.HasPrefix(err.Error(), "gone: ") || !strings.Contains(err.Error(), "404") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a set that is not there: %v", err)
	}
	path := filepath.Join(folder, "dogs.txt")
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("%q, %v", got, err)
	}
	if out.String() != "dogs: "+path+"\n" {
		t.Errorf("%q", &out)
	}
}

func TestRefuses(t *testing.T) {
	t.Setenv("CORPUS_DATA", t.TempDir())
	if err := run(t.Context(), []string{"tweets", "twets"}, &strings.Builder{}); !errors.Is(err, corpus.ErrUnknownSet) || !strings.Contains(err.Error(), "multi30k, and all") {
		t.Error(err)
	}
	if err := run(t.Context(), []string{"-all"}, &strings.Builder{}); err == nil || errors.Is(err, corpus.ErrUnknownSet) || !strings.HasSuffix(err.Error(), "-all; -h shows what there is") {
		t.Errorf("a flag: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	if err := run(ctx, []string{"all"}, &out); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v, %q", err, &out)
	}
}
