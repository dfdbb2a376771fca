// Package goldenfile reads golden files for tests.
package goldenfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Read returns what a JSON file below testdata holds. An empty list of cases fails the test.
func Read[T any](t testing.TB, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if cases := reflect.ValueOf(v); cases.Kind() == reflect.Slice && cases.Len() == 0 {
		t.Fatalf("%s: no cases", name)
	}
	return v
}
