package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"synpool/corpus"
)

func TestList(t *testing.T) {
	t.Setenv("CORPUS_DATA", t.TempDir())
	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	for _, e := range corpus.Catalog() {
		if !strings.Contains(out.String(), "\n"+e.Name+" ") || !strings.Contains(out.String(), e.Licence) || !strings.Contains(out.String(), "missing") {
			t.Errorf("%s is not in the list:\n%s", e.Name, &out)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Setenv("CORPUS_DATA", t.TempDir())
	if err := run(t.Context(), []string{"tweets", "twets"}, &strings.Builder{}); !errors.Is(err, corpus.ErrUnknownSet) || !strings.Contains(err.Error(), "multi30k, and all") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	if err := run(ctx, []string{"all"}, &out); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v, %q", err, &out)
	}
}
