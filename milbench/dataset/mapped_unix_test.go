//go:build unix

package dataset

import (
	"slices"
	"testing"
)

// TestMappedBounds: beyond the limit of mapped files, arrays are read in pieces. Releasing pages does not change any
// value.
func TestMappedBounds(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, 4}, {5, 6}}
	folder := numpyFolder(t, map[string][]byte{"a.npy": numpyFile("<f4", false, rows...)})
	most, held := maxMapped, maxResident
	defer func() { maxMapped, maxResident = most, held }()

	x, is := inFile(t, folder).(*mappedArray)
	if !is {
		t.Fatal("the array is not mapped")
	}
	maxResident = 10
	for range 3 {
		values := make([]float32, 4)
		if err := x.Read(1, 3, values); err != nil || !slices.Equal(values, []float32{3, 4, 5, 6}) {
			t.Errorf("%v, %v", values, err)
		}
		if resident.bytes != 0 || len(resident.read) != 0 {
			t.Errorf("%d bytes of %d arrays are resident", resident.bytes, len(resident.read))
		}
	}
	maxMapped = 0
	if _, is := inFile(t, folder).(*numpyArray); !is {
		t.Error("one file too many is mapped")
	}
}
