package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"synpool/internal/fetch"
)

// ucsbLike writes a table with the counts of the UCSB set: 58 bags, 26 positive, 2002 instances, 708 features.
func ucsbLike() []byte {
	random := rand.New(rand.NewPCG(58, 26))
	var b bytes.Buffer
	for i := range 58 {
		rows, label := 34, 0 // 57 bags of 34 and one of 64
		if i == 57 {
			rows = 64
		}
		if i < 26 {
			label = 1
		}
		for range rows {
			fmt.Fprintf(&b, "%d,%d", label, i+1)
			for range 708 {
				fmt.Fprintf(&b, ",%d", random.IntN(100))
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// served returns the named entry with the address of a server that has this content, and counts the requests.
func served(t *testing.T, name string, content ...[]byte) (Entry, *int) {
	t.Helper()
	e, err := Find(name)
	must(t, err)
	requests := new(int)
	for i := range e.Files {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			*requests++
			if content == nil {
				http.NotFound(w, r)
				return
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content[i]))
		}))
		t.Cleanup(server.Close)
		e.Files[i].URL = server.URL + "/" + e.Files[i].Name
	}
	return e, requests
}

func TestFetch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on", "demand")
	t.Setenv("MILBENCH_DATA", dir)
	content := ucsbLike()
	e, requests := served(t, "ucsb", content)
	sum := sha256.Sum256(content)
	e.Files[0].Bytes, e.Files[0].SHA256 = int64(len(content)), hex.EncodeToString(sum[:])

	if state, err := e.Verify(); state != Missing || !errors.Is(err, ErrNotFetched) {
		t.Fatalf("before: %s, %v", state, err)
	}
	if _, err := e.Load(); !errors.Is(err, ErrNotFetched) {
		t.Fatalf("load: %v", err)
	}
	last := int64(0)
	if err := e.Fetch(t.Context(), func(file string, done, total int64) {
		if file != "ucsb_breast_cancer.csv" || total != int64(len(content)) {
			t.Errorf("%s: %d of %d", file, done, total)
		}
		last = done
	}); err != nil {
		t.Fatal(err)
	}
	if last != int64(len(content)) {
		t.Errorf("progress ended at %d of %d", last, len(content))
	}
	if state, err := e.Verify(); state != Fetched || err != nil {
		t.Fatalf("after: %s, %v", state, err)
	}
	s, err := e.Load()
	must(t, err)
	if len(s.Bags) != e.Bags || s.NumPositive() != e.Positive || s.NumInstances() != e.Instances || s.NumFeatures() != e.Features || e.Folds != 4 {
		t.Errorf("%d bags, %d positive, %d instances, %d features; want %+v", len(s.Bags), s.NumPositive(), s.NumInstances(), s.NumFeatures(), e)
	}

	if err := e.Fetch(t.Context(), nil); err != nil || *requests != 1 {
		t.Errorf("fetched again: %d requests, %v", *requests, err)
	}
	name := filepath.Join(dir, "ucsb_breast_cancer.csv")
	damaged := bytes.Clone(content)
	damaged[1000] ^= 4
	must(t, os.WriteFile(name, damaged, 0o666))
	if state, err := e.Verify(); state != Damaged || !strings.Contains(err.Error(), "SHA-256") || !strings.Contains(err.Error(), "milbench data fetch ucsb") {
		t.Errorf("damaged: %s, %v", state, err)
	}
	if _, err := e.Load(); err == nil {
		t.Error("a damaged file was loaded")
	}
	if err := e.Fetch(t.Context(), nil); err != nil {
		t.Errorf("repair: %v", err)
	}
	if state, err := e.Verify(); state != Fetched {
		t.Errorf("repaired: %s, %v", state, err)
	}
}

// The IDX files may be compressed again: only their inflated content counts.
func TestFetchByInflatedBytes(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	random := rand.NewChaCha8([32]byte{})
	var images, labels [784*40 + 16]byte
	random.Read(images[:])
	copy(images[:], []byte{0, 0, 8, 3, 0, 0, 0, 40, 0, 0, 0, 28, 0, 0, 0, 28})
	copy(labels[:], []byte{0, 0, 8, 1, 0, 0, 0, 40})
	for i := range 40 {
		labels[8+i] = byte(i % 10)
	}
	raw := [][]byte{images[:], labels[:48]}
	var packed [][]byte
	for i, b := range raw {
		var out bytes.Buffer
		z, err := gzip.NewWriterLevel(&out, 9-8*i)
		must(t, err)
		z.Write(b)
		z.Close()
		packed = append(packed, out.Bytes())
	}
	e, requests := served(t, "mnist", packed...)
	for i := range e.Files {
		sum := sha256.Sum256(raw[i])
		e.Files[i].InflatedBytes, e.Files[i].InflatedSHA256 = int64(len(raw[i])), hex.EncodeToString(sum[:])
	}
	if err := e.Fetch(t.Context(), nil); err != nil || *requests != 2 {
		t.Fatalf("%d requests, %v", *requests, err)
	}
	s, err := e.Load()
	must(t, err)
	if s.Name != "mnist" || len(s.Bags) != 100 || s.NumFeatures() != 784 || len(s.InstanceLabels) != 100 {
		t.Errorf("%s: %d bags, %d features", s.Name, len(s.Bags), s.NumFeatures())
	}
}

func TestFetchIntoNoFolder(t *testing.T) {
	blocked := written(t, "blocked", nil)
	t.Setenv("MILBENCH_DATA", filepath.Join(blocked, "data"))
	e, _ := served(t, "fox", nil)
	err := e.Fetch(t.Context(), nil)
	if !errors.Is(err, fetch.ErrFolder) || !strings.Contains(err.Error(), "set MILBENCH_DATA") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if state, err := e.Verify(); state == Fetched || err == nil {
		t.Errorf("%s, %v", state, err)
	}
}

// TestNowhere: without a folder for data sets the error names the variable, and the embedded set needs none.
func TestNowhere(t *testing.T) {
	for _, name := range []string{"MILBENCH_DATA", "XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} {
		t.Setenv(name, "")
	}
	fox, err := Find("fox")
	must(t, err)
	if _, err := fox.Load(); err == nil || !strings.Contains(err.Error(), "MILBENCH_DATA") {
		t.Errorf("load from nowhere: %v", err)
	}
	musk1, err := Find("musk1")
	must(t, err)
	if _, err := musk1.Load(); err != nil {
		t.Errorf("the embedded set needs no folder: %v", err)
	}
}

func ExampleEntry_Fetch() {
	e, err := Find("musk1")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := e.Fetch(context.Background(), nil); err != nil { // musk1 needs no files
		fmt.Println(err)
		return
	}
	fmt.Println(e.Verify())
	// Output: embedded <nil>
}
