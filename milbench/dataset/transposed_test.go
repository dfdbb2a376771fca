package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"synpool/internal/alloctest"
	"synpool/milbench/mil"
)

func transposed(data, bags, labels string) (*mil.Set, error) {
	return Options{}.readTransposed([3]io.Reader{strings.NewReader(data), strings.NewReader(bags), strings.NewReader(labels)}, [3]string{"data", "bags", "labels"})
}

func TestReadTransposed(t *testing.T) {
	s, err := transposed("1\t2\t3\t-4\r\n0.5\t0\t1e-3\t0\r\n0\t0\t7\t8", "7\n3\n7\n9\n", "1\n-1\n1.0\n-1\n")
	must(t, err)
	want, err := ReadCSV(strings.NewReader("1,7,1,0.5,0\n-1,3,2,0,0\n1,7,3,0.001,7\n-1,9,-4,0,8\n"), "toy")
	must(t, err)
	if s.Checksum != want.Checksum || s.Bags[0].ID != "7" || s.Bags[0].Instances.Len() != 2 || s.NumPositive() != 1 {
		t.Errorf("read %+v, want %+v", s.Bags, want.Bags)
	}
}

func TestReadTransposedRefuses(t *testing.T) {
	const x = "1\t2\n3\t4\n"
	for _, c := range []struct{ data, bags, labels, file, want string }{
		{x, "", "0\n1\n", "bags", "the file is empty"},
		{x, "a\nb\n", "", "labels", "the file is empty"},
		{"", "a\nb\n", "0\n1\n", "data", "no features"},
		{x, "a\nb\n", "0\n1\n1\n", "labels", "3 labels, and bags has 2 bag ids"},
		{x, "a\nb\nc\n", "0\n1\n1\n", "data", "line 1: 2 values, and bags has 3 bag ids"},
		{"1\t2\n3\n", "a\nb\n", "0\n1\n", "data", "line 2 has 1 fields"},
		{"1\t2\n3\tx\n", "a\nb\n", "0\n1\n", "data", `line 2: instance 2: "x" is not a number`},
		{"1\t2\n3\tNaN\n", "a\nb\n", "0\n1\n", "data", "line 2: instance 2: "},
		{"1,2\n", "a\nb\n", "0\n1\n", "data", "line 1: 1 values"},
		{x, "a\na\n", "0\n1\n", "labels", "line 2: bag a has label 1 here and 0 before"},
		{x, "a\tb\nc\td\n", "0\n1\n", "bags", "line 1: 2 fields"},
		{x, "a\n\u00a0\n", "0\n1\n", "bags", "line 2: no word"},
		{x, "a\nb\x01c\n", "0\n1\n", "bags", "line 2: "},
		{x, "a\nb\n", "0\n\xff\n", "labels", "line 2: "},
		{x, "a\nb\n", "1\n1\n", "data", ""},
	} {
		_, err := transposed(c.data, c.bags, c.labels)
		requireOneLine(t, err, c.file, c.want)
	}

	folder := t.TempDir()
	there := filepath.Join(folder, "there")
	must(t, os.WriteFile(there, []byte("1\n"), 0o600))
	missing := filepath.Join(folder, "missing")
	_, err := ReadTransposed(there, missing, there)
	requireOneLine(t, err, "open "+missing, syscall.ENOENT.Error())
}

// TestFetchTransposed passes generated files through the entry of a set that may be absent.
func TestFetchTransposed(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	var data, bags, labels strings.Builder
	for j := range 7 {
		for i := range 42 * 3 {
			fmt.Fprintf(&data, "%s%d", strings.Repeat("\t", min(i, 1)), (i*i+j)%11)
		}
		data.WriteString("\n")
	}
	for i := range 42 * 3 {
		fmt.Fprintln(&bags, i/3+1)
		fmt.Fprintln(&labels, i/3%2)
	}
	content := [][]byte{[]byte(data.String()), []byte(bags.String()), []byte(labels.String())}
	e, requests := served(t, "mutagenesis2", content...)
	for i, c := range content {
		sum := sha256.Sum256(c)
		e.Files[i].Bytes, e.Files[i].SHA256 = int64(len(c)), hex.EncodeToString(sum[:])
	}
	if _, err := e.Load(); !errors.Is(err, ErrNotFetched) {
		t.Fatalf("load: %v", err)
	}
	if err := e.Fetch(t.Context(), nil); err != nil || *requests != 3 {
		t.Fatalf("%d requests, %v", *requests, err)
	}
	s, err := e.Load()
	must(t, err)
	if s.Name != e.Name || len(s.Bags) != 42 || s.NumInstances() != 126 || s.NumFeatures() != 7 || s.NumPositive() != 21 || s.InstanceLabels != nil {
		t.Errorf("%+v", s)
	}
}

func FuzzTransposed(f *testing.F) {
	f.Add([]byte("1\t2\t3\n0\t1e-3\t-0\n"), []byte("b\na\nb\n"), []byte("1\n0\n1\n"))
	f.Add([]byte("1\t2\n"), []byte("1\n2\n"), []byte("x\ny\n"))
	f.Add([]byte("1\n"), []byte("\"a\nb\"\n"), []byte("0.5"))
	f.Fuzz(func(t *testing.T, data, bags, labels []byte) {
		var s *mil.Set
		var err error
		alloctest.Bounded(t, bytes.Join([][]byte{data, bags, labels}, nil), 2000, func() {
			s, err = Options{}.readTransposed([3]io.Reader{bytes.NewReader(data), bytes.NewReader(bags), bytes.NewReader(labels)}, [3]string{"fuzz", "fuzz", "fuzz"})
		})
		requireSound(t, s, err)
		if err != nil || s.NumInstances()*s.NumFeatures() > 1e5 {
			return
		}
		back, err := transposed(transpose(t, s))
		must(t, err)
		if back.Checksum != s.Checksum {
			t.Errorf("wrote %+v, read %+v", s.Bags, back.Bags)
		}
	})
}

// transpose writes s as [ReadTransposed] reads it.
func transpose(t testing.TB, s *mil.Set) (data, bags, labels string) {
	t.Helper()
	features := make([][]string, s.NumFeatures())
	for _, b := range s.Bags {
		row := make([]float32, s.NumFeatures())
		for i := range b.Instances.Len() {
			must(t, b.Instances.Read(i, i+1, row))
			for j, v := range row {
				features[j] = append(features[j], formatValue(v))
			}
			bags += quoted(b.ID)
			labels += quoted(labelText(s, b))
		}
	}
	for _, values := range features {
		data += strings.Join(values, "\t") + "\n"
	}
	return data, bags, labels
}

// quoted returns a word as a line.
func quoted(word string) string { return fmt.Sprintf("\"%s\"\n", strings.ReplaceAll(word, `"`, `""`)) }
