package dataset

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"synpool/internal/fetched"
)

func TestMusk1(t *testing.T) {
	s, err := Musk1()
	if err != nil {
		t.Fatal(err)
	}
	_, sets, _ := reference(t)
	requireSummary(t, s, sets["clean1.data"])
	if s.Name != "musk1" || s.Bags[0].ID != "MUSK-188" || s.Bags[91].ID != "NON-MUSK-jp13" {
		t.Errorf("set %s, bags %s to %s", s.Name, s.Bags[0].ID, s.Bags[91].ID)
	}
}

// The embedded bytes are those of the file.
func TestMusk1Embedded(t *testing.T) {
	want, err := os.ReadFile(fetched.File(t, "clean1.data"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(musk1))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes inflated (%v), %d in clean1.data, not the same", len(got), err, len(want))
	}
}

// The values of the cell-array file, without its label column, are those of the embedded set, bag by bag.
func TestMusk1IsCellArrayFile(t *testing.T) {
	stored, err := ReadFile(fetched.File(t, "musk1.mat"))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := MoveInstanceLabels(stored, LastColumn)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Musk1()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cells.Bags {
		cells.Bags[i].ID = s.Bags[i].ID
	}
	if got := resealed(t, cells); got != s.Checksum {
		t.Errorf("checksum %s of musk1.mat, %s of the embedded set", got, s.Checksum)
	}
}
