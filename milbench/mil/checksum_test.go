package mil

import (
	"math"
	"testing"
)

// TestReadFileSmall and TestReadFileSets compare checksums of dense sets and of real ones with those from another
// program.
func TestChecksum(t *testing.T) {
	negativeZero := float32(math.Copysign(0, -1))
	sum := func(bags []Bag) string {
		s := &Set{Bags: bags}
		if err := s.Seal(); err != nil {
			t.Fatal(err)
		}
		return s.Checksum
	}
	bags := func() []Bag {
		return []Bag{
			{ID: "a", Target: Labelled(1), Group: "g", Split: TrainPart, Instances: &Dense{Rows: 2, Cols: 2, Values: []float32{1, 0, negativeZero, 2}}},
			{ID: "b", Instances: &Dense{Rows: 1, Cols: 2, Values: []float32{0, 3}}},
		}
	}
	want := sum(bags())

	sparse := bags()
	for i := range sparse {
		sparse[i].Instances, _ = ToSparse(sparse[i].Instances)
	}
	if got := sum(sparse); got != want {
		t.Errorf("sparse %s, dense %s", got, want)
	}
	sparse[1].Instances = &Sparse{Rows: 1, Cols: 2, Values: []float32{0, 3}, Column: []int32{0, 1}, RowStart: []int{0, 2}}
	if got := sum(sparse); got != want {
		t.Errorf("with a stored zero %s, without %s", got, want)
	}

	for name, change := range map[string]func(b []Bag) []Bag{
		"id":                func(b []Bag) []Bag { b[0].ID = "c"; return b },
		"label":             func(b []Bag) []Bag { b[0].Label = 0; return b },
		"group":             func(b []Bag) []Bag { b[0].Group = "h"; return b },
		"split":             func(b []Bag) []Bag { b[0].Split = TestPart; return b },
		"value":             func(b []Bag) []Bag { b[1].Instances.(*Dense).Values[1] = math.Nextafter32(3, 4); return b },
		"place":             func(b []Bag) []Bag { b[1].Instances.(*Dense).Values = []float32{3, 0}; return b },
		"shape":             func(b []Bag) []Bag { d := b[0].Instances.(*Dense); d.Rows, d.Cols = 1, 4; return b },
		"order":             func(b []Bag) []Bag { return []Bag{b[1], b[0]} },
		"one bag":           func(b []Bag) []Bag { return b[:1] },
		"value of a target": func(b []Bag) []Bag { b[0].Value = 2; return b },
		"event":             func(b []Bag) []Bag { b[0].Event = true; return b },
		"fields":            func(b []Bag) []Bag { b[0].ID, b[0].Group = "ag", ""; return b },
	} {
		if sum(change(bags())) == want {
			t.Errorf("another %s has the same sum", name)
		}
	}
}
