package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes results, and curves unless they are empty, to a folder.
func folder(t *testing.T, results, curves string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(results), 0o666); err != nil {
		t.Fatal(err)
	}
	if curves != "" {
		if err := os.WriteFile(filepath.Join(dir, "curves.jsonl"), []byte(curves), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCompare(t *testing.T) {
	const (
		one    = `{"fit":"1","bags":[{"id":"a","score":0.10}],"wall_s":1.5}` + "\n"
		slower = `{"fit":"1","bags":[{"id":"a","score":0.10}],"wall_s":2e3}` + "\n"
		other  = `{"fit":"1","bags":[{"id":"a","score":0.11}],"wall_s":1.5}` + "\n"
		two    = `{"fit":"2","bags":[],"wall_s":0.1}` + "\n"
		curve  = `{"fit":"1","loss":[1,0.5]}` + "\n"
	)
	for _, test := range []struct {
		name             string
		a, aCurves       string
		b, bCurves, want string // empty: the same
	}{
		{"the same", one + two, "", one + two, "", ""},
		{"another order and wall time", one + two, "", two + slower, "", ""},
		{"with curves", one + two, curve, two + slower, curve, ""},
		{"another score in its last digit", one + two, "", other + two, "", "1 lines stand in"},
		{"a line more", one, "", one + two, "", "0 lines stand in"},
		{"a line twice", one + two, "", one + two + slower, "", "and 1 in"},
		{"another curve", one, curve, one, strings.Replace(curve, "0.5", "0.6", 1), "curves.jsonl: 1 lines"},
		{"no curves", one, curve, one, "", "curves.jsonl"},
		{"a torn line", one + two, "", one + two[:10], "", "torn"},
		{"no wall time", one, "", strings.Replace(one, "wall_s", "wall", 1), "", "no wall_s"},
		{"no JSON", one, "", "results\n", "", "line 1"},
		{"nothing at all", "", "", "", "", "no results"},
	} {
		t.Run(test.name, func(t *testing.T) {
			same, err := compare(folder(t, test.a, test.aCurves), folder(t, test.b, test.bCurves))
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "" && !strings.HasPrefix(same, "2 results") && !strings.HasPrefix(same, "1 results"):
				t.Errorf("%q", same)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	var d difference
	if _, err := compare(folder(t, one, ""), folder(t, two, "")); !errors.As(err, &d) {
		t.Errorf("%v is no difference", err)
	}
}
