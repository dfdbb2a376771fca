package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// requireOneLine requires a one-line error that starts with name and contains want.
func requireOneLine(t *testing.T, err error, name, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line about %s with %q", err, name, want)
	}
}

// rowAt returns instance i.
func rowAt(x mil.Instances, i int) []float64 {
	narrow := make([]float32, x.Features())
	if err := x.Read(i, i+1, narrow); err != nil {
		panic(err) // there is none in memory
	}
	row := make([]float64, len(narrow))
	for j, v := range narrow {
		row[j] = float64(v)
	}
	return row
}

// values returns the stored values of a bag.
func values(x mil.Instances) []float32 {
	if s, ok := x.(*mil.Sparse); ok {
		return s.Values
	}
	return x.(*mil.Dense).Values
}

// sum returns the checksum of bags.
func sum(bags []mil.Bag) string {
	s := &mil.Set{Bags: bags}
	if err := s.Seal(); err != nil {
		panic(err) // there is none in memory
	}
	return s.Checksum
}

// normalSet returns bags of up to five instances of standard normal features, every other one positive.
func normalSet(seed uint64, bags, features int) *mil.Set {
	random := rand.New(rand.NewPCG(seed, 0))
	s := &mil.Set{Name: "noise"}
	for i := range bags {
		m := &mil.Dense{Rows: 1 + random.IntN(5), Cols: features}
		for range m.Rows * features {
			m.Values = append(m.Values, float32(random.NormFloat64()))
		}
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i + 1), Target: mil.Labelled(i % 2), Instances: m})
	}
	return s
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
