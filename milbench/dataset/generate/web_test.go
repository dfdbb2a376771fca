package generate_test

import (
	"testing"

	"synpool/internal/fetched"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

// On a real set of term vectors.
func TestNoiseWeb(t *testing.T) {
	fetched.File(t, "web1.mat", "web1")
	e, err := dataset.Find("web1")
	if err != nil {
		t.Fatal(err)
	}
	s := fetched.Load(t, e.Load)
	terms := func(s *mil.Set) (each []int, all int) {
		for _, b := range s.Bags {
			rows := b.Instances.(*mil.Sparse)
			for i := range rows.Rows {
				_, values := rows.Row(i)
				each, all = append(each, len(values)), all+len(values)
			}
		}
		return each, all
	}
	each, all := terms(s)
	for _, kind := range []generate.NoiseKind{generate.Deletion, generate.Replacement, generate.Swap} {
		noisy, err := generate.Noise{Kind: kind, Level: 0.2, Seed: 1}.Apply(s)
		if err != nil {
			t.Fatal(err)
		}
		want := all
		if kind == generate.Deletion {
			for _, n := range each {
				if n > 0 {
					want -= max(1, int(0.2*float64(n)+0.5))
				}
			}
		}
		if _, got := terms(noisy); got != want || noisy.Validate() != nil || noisy.NumInstances() != s.NumInstances() {
			t.Errorf("%s: %d terms of %d, want %d (%v)", kind, got, all, want, noisy.Validate())
		}
	}
}
