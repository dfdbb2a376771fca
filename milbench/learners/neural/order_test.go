package neural

import (
	"fmt"
	"slices"
	"testing"
)

// TestEpochOrder checks the order of an epoch. Each bag comes once; a batch holds bags of one bucket and is full,
// except the last of a bucket; buckets ascend within a round; epochs differ; and the first batch of a bucket is in the
// first round in odd epochs and in the second in even ones.
func TestEpochOrder(t *testing.T) {
	bags, examples := unequal(47)
	sizes := sizesOf(bags)
	const batch = 4
	var before string
	for epoch := 1; epoch <= 6; epoch++ {
		o := epochOrder(sizes, examples, batch, epoch, orderRand(1, epoch))
		var seen []int
		small := make(map[bucketSize]int)
		for r, round := range o {
			for size, batches := range round {
				for _, b := range batches {
					if len(b) < batch {
						small[size]++
					}
					if len(b) == 0 || len(b) > batch {
						t.Errorf("a batch of %d bags", len(b))
					}
					for _, i := range b {
						if sizes[examples[i].Bag] != size {
							t.Errorf("bag %d is of another bucket", i)
						}
					}
				}
				if others := len(o[1-r][size]); len(batches) < others-1 || len(batches) > others+1 {
					t.Errorf("%d batches of a bucket in a round and %d in the other", len(batches), others)
				}
				if first := (epoch - 1) % rounds; len(o[first][size]) < len(o[1-first][size]) {
					t.Errorf("epoch %d: the first round has fewer batches", epoch)
				}
			}
		}
		for size, n := range small {
			if n > 1 {
				t.Errorf("%d small batches of bucket %v", n, size)
			}
		}
		last, falls := bucketSize{}, 0
		for b := range o.batches() {
			seen = append(seen, b...)
			if sizes[examples[b[0]].Bag].compare(last) < 0 {
				falls++
			}
			last = sizes[examples[b[0]].Bag]
		}
		if falls > rounds-1 {
			t.Errorf("buckets descend %d times", falls)
		}
		now := fmt.Sprint(seen)
		if now == before {
			t.Errorf("epoch %d is in the order of the one before", epoch)
		}
		before = now
		slices.Sort(seen)
		for i, at := range seen {
			if i != at {
				t.Fatalf("epoch %d: bags %v", epoch, seen)
			}
		}
		if len(seen) != len(examples) {
			t.Errorf("epoch %d: %d of %d bags", epoch, len(seen), len(examples))
		}
	}
}
