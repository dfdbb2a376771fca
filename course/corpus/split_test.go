package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every text is in one part, ascending, and every part has its share of every class to within one.
func TestStratifiedSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		classes, shares := 1+rng.IntN(4), make([]int, 1+rng.IntN(4))
		total := 0
		for i := range shares {
			shares[i] = 1 + rng.IntN(5)
			total += shares[i]
		}
		labels := make([]int, 200)
		counts := make([]int, classes)
		for i := range labels {
			labels[i] = rng.IntN(classes)
			counts[labels[i]]++
		}
		seed := rng.Uint64()
		parts := must(StratifiedSplit(labels, shares, seed))
		var all []int
		for p, part := range parts {
			if !slices.IsSorted(part) {
				t.Fatalf("part %d is not ascending", p)
			}
			all = append(all, part...)
			for y, n := range counts {
				have := 0
				for _, i := range part {
					if labels[i] == y {
						have++
					}
				}
				if want := float64(n*shares[p]) / float64(total); math.Abs(float64(have)-want) > 1 {
					t.Errorf("part %d of %v has %d of %d texts of class %d", p, shares, have, n, y)
				}
			}
		}
		slices.Sort(all)
		for i, k := range all {
			if i != k {
				t.Fatalf("text %d at %d", k, i)
			}
		}
		again, err := StratifiedSplit(labels, shares, seed)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(parts) {
			t.Error("the same seed gives other parts")
		}
		if len(parts) > 1 {
			if other, err := StratifiedSplit(labels, shares, seed+1); err != nil || fmt.Sprint(other) == fmt.Sprint(parts) {
				t.Errorf("another seed gives the same parts, %v", err)
			}
		}
	}
}

// The largest shares of many texts are divided as well, on 32 bits too.
func TestStratifiedSplitLargeShares(t *testing.T) {
	parts, err := StratifiedSplit(make([]int, 30000), []int{1 << 20, 1 << 20, 1 << 20}, 1)
	if err != nil || len(parts[0]) != 10000 || len(parts[1]) != 10000 || len(parts[2]) != 10000 {
		t.Errorf("%d parts, %v", len(parts), err)
	}
}

// Which text is in which part is fixed for good: results name a split by its seed.
func TestStratifiedSplitIsFixed(t *testing.T) {
	labels := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0}
	parts := must(StratifiedSplit(labels, []int{2, 1, 1}, 7))
	folds := must(StratifiedSplit(labels, []int{1, 1, 1}, 7))
	if got, want := fmt.Sprint(parts, folds), "[[1 3 4 6 8 9 10] [0 5] [2 7 11]] [[3 6 8 9] [0 1 4 10] [2 5 7 11]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestStratifiedSplitRefuses(t *testing.T) {
	for _, c := range []struct {
		labels, shares []int
		message        string
	}{
		{nil, []int{1}, "nothing to split"},
		{[]int{1}, nil, "nothing to split"},
		{[]int{1, 2}, []int{1, 0}, "share 0 of part 1"},
		{[]int{1, 2}, []int{-1}, "share -1 of part 0"},
		{[]int{1, 2}, []int{math.MaxInt}, fmt.Sprintf("share %d of part 0", math.MaxInt)},
		{[]int{5, 0, 0, 0}, []int{1, 1}, "class 5 has 1 texts, none of them for part"},
	} {
		_, err := StratifiedSplit(c.labels, c.shares, 1)
		requireOneLine(t, err, c.message)
	}
}
