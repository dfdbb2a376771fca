package neural

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"synpool/milbench"
)

// rounds is the number of rounds of an epoch.
const rounds = 2

// order is the batches of an epoch, by round and bucket, each a list of indices of examples.
type order [rounds]map[bucketSize][][]int

// epochOrder returns the order of an epoch of training bags, given the bucket of each bag.
//
// The bags of each bucket are shuffled and cut into batches; these are dealt to the rounds in turn, from the first one on
// in epochs with an odd number and the second in the others, and a round goes through the buckets from small to large. So
// the order differs from a plain shuffle in that a batch holds bags of one bucket alone, each bucket ending in a smaller
// batch where its bags do not divide, and in that within a round small bags come before large ones. It depends on the
// sizes of the training bags, the epoch and rng alone.
//
// All fits begin in the same round, so that those of a block have their few batches of a large bucket together.
func epochOrder(sizes []bucketSize, examples []milbench.Example, batch, epoch int, rng *rand.Rand) order {
	byBucket := map[bucketSize][]int{}
	for i, e := range examples {
		byBucket[sizes[e.Bag]] = append(byBucket[sizes[e.Bag]], i)
	}
	var o order
	for r := range o {
		o[r] = map[bucketSize][][]int{}
	}
	for _, size := range sortedBuckets(byBucket) {
		indices := byBucket[size]
		rng.Shuffle(len(indices), func(i, j int) { indices[i], indices[j] = indices[j], indices[i] })
		at := epoch - 1
		for chunk := range slices.Chunk(indices, batch) {
			o[at%rounds][size] = append(o[at%rounds][size], chunk)
			at++
		}
	}
	return o
}

// epochSteps returns the number of batches of an epoch.
func epochSteps(sizes []bucketSize, examples []milbench.Example, batch int) (steps int) {
	bags := map[bucketSize]int{}
	for _, e := range examples {
		bags[sizes[e.Bag]]++
	}
	for _, n := range bags {
		steps += (n + batch - 1) / batch
	}
	return steps
}

// batches goes through the batches of an epoch.
func (o order) batches() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for _, round := range o {
			for _, size := range sortedBuckets(round) {
				for _, batch := range round[size] {
					if !yield(batch) {
						return
					}
				}
			}
		}
	}
}

// sortedBuckets returns the buckets from small to large.
func sortedBuckets[T any](m map[bucketSize]T) []bucketSize {
	return slices.SortedFunc(maps.Keys(m), bucketSize.compare)
}
