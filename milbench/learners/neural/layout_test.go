package neural

import (
	"slices"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// TestAlike orders the fits of ten folds with different numbers of the few large bags. The result is a permutation
// whose blocks take no more steps in any bucket than before, and fewer in the largest.
func TestAlike(t *testing.T) {
	var bags []mil.Instances
	var all []int
	for i := range 60 {
		rows := 4
		if i%7 == 0 {
			rows = 100
		}
		bags = append(bags, &mil.Dense{Rows: rows, Cols: 1, Values: make([]float32, rows)})
	}
	const folds, settings, members = 10, 3, 4
	var fits []cv.Fit
	for fold := range folds {
		for range settings {
			var f cv.Fit
			for i := range bags {
				if i/6 != fold {
					f.Train = append(f.Train, cv.Example{Bag: i})
				}
			}
			all = append(all, len(fits))
			fits = append(fits, f)
		}
	}
	l := newLayout(group{blockStructure: blockStructure{batch: 1}, epochs: 1}, bags, fits)
	steps := func(order []int) []int { // of all blocks, by bucket
		sum := make([]int, len(l.buckets))
		for block := range slices.Chunk(order, members) {
			most := make([]int, len(l.buckets))
			for _, i := range block {
				for k, n := range l.trained(fits[i]) {
					most[k] = max(most[k], n)
				}
			}
			for k, n := range most {
				sum[k] += n
			}
		}
		return sum
	}
	sorted := l.alike(fits, all, members)
	before, after := steps(all), steps(sorted)
	if len(l.buckets) != 2 || after[1] >= before[1] || after[0] > before[0] {
		t.Errorf("blocks take %v steps in buckets %v, in the order of the fits %v", after, l.buckets, before)
	}
	if !slices.Equal(slices.Sorted(slices.Values(sorted)), all) {
		t.Errorf("%v is not an order of %d fits", sorted, len(all))
	}

	const repeats = 5 // a few blocks stay together; if there are few fits, all do
	var some []cv.Fit
	var of []int
	for repeat := range repeats {
		for _, f := range fits {
			f.Repeat = repeat
			of = append(of, len(some))
			some = append(some, f)
		}
	}
	for k, i := range l.alike(some, of, members) {
		if want := k / len(fits); some[i].Repeat != want || i != want*len(fits)+sorted[k%len(fits)] {
			t.Errorf("fit %d in place %d, of repeat %d, want %d", i, k, some[i].Repeat, want)
		}
	}
	if got := l.alike(some, of, len(of)); some[got[0]].Repeat == some[got[settings]].Repeat {
		t.Errorf("one block is ordered repeat by repeat: %v", got)
	}
}

// TestScored checks that the number of bags scored at a time depends on their bucket and features, not on the number of
// bags.
func TestScored(t *testing.T) {
	for _, c := range []struct{ rows, cols, want int }{
		{1, 166, 8}, {16, 166, 8}, {17, 166, 3}, {49, 166, 1}, {1044, 166, 1}, {48, 10000, 2}, {16, 20000, 3},
	} {
		bag := &mil.Dense{Rows: c.rows, Cols: c.cols, Values: make([]float32, c.rows*c.cols)}
		for _, count := range []int{1, 50} {
			bags := slices.Repeat([]mil.Instances{bag}, count)
			l := newLayout(group{blockStructure: blockStructure{structure: structure{features: c.cols}, batch: 1}, epochs: 1}, bags, nil)
			if got := l.scored(l.buckets[0]); got != c.want {
				t.Errorf("of %d bags of %d instances and %d features %d are scored at a time, want %d", count, c.rows, c.cols, got, c.want)
			}
		}
	}
}
