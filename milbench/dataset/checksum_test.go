package dataset

import (
	"math"
	"testing"

	"synpool/milbench"
)

// Sums of dense sets and of real ones are compared with those of another program in TestReadFileSmall and
// TestReadFileSets.
func TestChecksum(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	bags := func() []milbench.Bag {
		return []milbench.Bag{
			{ID: "a", Label: 1, Group: "g", Split: milbench.TrainPart, Instances: milbench.Matrix{Rows: 2, Cols: 2, Values: []float64{1, 0, negativeZero, 2}}},
			{ID: "b", Instances: milbench.Matrix{Rows: 1, Cols: 2, Values: []float64{0, 3}}},
		}
	}
	want := checksum(bags())

	sparse := bags()
	for i := range sparse {
		sparse[i].Instances = compress(sparse[i].Instances)
	}
	if got := checksum(sparse); got != want {
		t.Errorf("sparse %s, dense %s", got, want)
	}
	stored := sparse[1].Instances
	stored.Values, stored.Column, stored.RowStart = []float64{0, 3}, []int32{0, 1}, []int{0, 2}
	sparse[1].Instances = stored
	if got := checksum(sparse); got != want {
		t.Errorf("with a stored zero %s, without %s", got, want)
	}

	for name, change := range map[string]func(b []milbench.Bag) []milbench.Bag{
		"id":      func(b []milbench.Bag) []milbench.Bag { b[0].ID = "c"; return b },
		"label":   func(b []milbench.Bag) []milbench.Bag { b[0].Label = 0; return b },
		"group":   func(b []milbench.Bag) []milbench.Bag { b[0].Group = "h"; return b },
		"split":   func(b []milbench.Bag) []milbench.Bag { b[0].Split = milbench.TestPart; return b },
		"value":   func(b []milbench.Bag) []milbench.Bag { b[1].Instances.Values[1] = math.Nextafter(3, 4); return b },
		"place":   func(b []milbench.Bag) []milbench.Bag { b[1].Instances.Values = []float64{3, 0}; return b },
		"shape":   func(b []milbench.Bag) []milbench.Bag { b[0].Instances.Rows, b[0].Instances.Cols = 1, 4; return b },
		"order":   func(b []milbench.Bag) []milbench.Bag { return []milbench.Bag{b[1], b[0]} },
		"one bag": func(b []milbench.Bag) []milbench.Bag { return b[:1] },
		"fields":  func(b []milbench.Bag) []milbench.Bag { b[0].ID, b[0].Group = "ag", ""; return b },
	} {
		if checksum(change(bags())) == want {
			t.Errorf("another %s has the same sum", name)
		}
	}
}
