package neural

import (
	"testing"

	"synpool/milbench/mil"
)

func TestBucket(t *testing.T) {
	for instances, want := range map[int]int{0: 8, 1: 8, 8: 8, 9: 16, 17: 48, 48: 48, 49: 144, 433: 1296, 1044: 1296} {
		if got := bucket(instances); got != want {
			t.Errorf("bucket(%d) = %d, want %d", instances, got, want)
		}
	}
}

// TestSizeOf checks that a sparse bag is padded to a power of two of instances and of the columns that it uses, and a
// dense bag to a bucket of instances.
func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		rows, used int
		want       bucketSize
	}{
		{1, 0, bucketSize{32, 256}}, {32, 256, bucketSize{32, 256}}, {33, 257, bucketSize{64, 512}}, {129, 513, bucketSize{256, 1024}}, {300, 1, bucketSize{512, 256}}, {2, 1025, bucketSize{32, 2048}},
	} {
		bag := &mil.Sparse{Rows: c.rows, Cols: 3000, RowStart: make([]int, c.rows+1)}
		for j := range c.used { // all in the last row
			bag.Column, bag.Values = append(bag.Column, int32(2*j)), append(bag.Values, 1)
		}
		bag.RowStart[c.rows] = c.used
		if got := sizeOf(bag); got != c.want {
			t.Errorf("%d instances, %d columns: %v, want %v", c.rows, c.used, got, c.want)
		}
	}
	if got, want := sizeOf(&mil.Dense{Rows: 9, Cols: 1, Values: make([]float32, 9)}), (bucketSize{instances: 16}); got != want {
		t.Errorf("a dense bag: %v, want %v", got, want)
	}
}
