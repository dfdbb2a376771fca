package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func inflatable(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	return b.String()
}

func TestSums(t *testing.T) {
	const (
		hello    = "hello\n"
		helloSHA = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" // sha256sum
	)
	packed := inflatable(t, hello)
	for _, c := range []struct {
		name, content string
		sums          Sums
		want          string // "" for right, else a part of the message
	}{
		{"nothing asked", hello, Sums{}, ""},
		{"size", hello, Sums{Bytes: 6}, ""},
		{"other size", hello, Sums{Bytes: 7}, "6 bytes long, not 7"},
		{"sha", hello, Sums{Bytes: 6, SHA256: helloSHA}, ""},
		{"other sha", "hellO\n", Sums{SHA256: helloSHA}, "SHA-256"},
		{"inflated", packed, Sums{InflatedBytes: 6, InflatedSHA256: helloSHA}, ""},
		{"inflated, size alone", packed, Sums{InflatedBytes: 6}, ""},
		{"inflated, not gzip", hello, Sums{InflatedSHA256: helloSHA}, ""},
		{"inflated, other bytes", inflatable(t, "hellO\n"), Sums{InflatedSHA256: helloSHA}, "decompressed SHA-256"},
		{"inflated, larger", packed, Sums{InflatedBytes: 5, InflatedSHA256: helloSHA}, "more than 5"},
		{"inflated, smaller", packed, Sums{InflatedBytes: 7, InflatedSHA256: helloSHA}, "to 6 bytes, not 7"},
		{"inflated, cut", packed[:len(packed)-9], Sums{InflatedSHA256: helloSHA}, "does not decompress"},
		{"inflated, header only", packed[:2], Sums{InflatedSHA256: helloSHA}, "does not decompress"},
		{"inflated and packed", packed, Sums{SHA256: helloSHA, InflatedSHA256: helloSHA}, "SHA-256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			must(t, os.WriteFile(path, []byte(c.content), 0o666))
			err := c.sums.Check(path)
			if c.want == "" {
				must(t, err)
				return
			}
			if !errors.Is(err, ErrSum) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestSumsOfWhatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	if err := (Sums{}).Check(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := (Sums{}).Check(folder); err == nil || errors.Is(err, ErrSum) {
		t.Errorf("folder: %v", err)
	}
}
