package neural

import (
	"maps"
	"math/rand/v2"
	"slices"

	"synpool/milbench/cv"
)

// rounds is the number of rounds per epoch.
const rounds = 2

// order holds the batches of an epoch by round and bucket. A batch is a list of indices of examples.
type order [rounds]map[bucketSize][][]int

// epochOrder returns the order of the training bags in an epoch, given the bucket of each bag.
//
// The bags of each bucket are shuffled and cut into batches. The batches alternate between the rounds; odd epochs start
// with the first round, even epochs with the second. A round visits the buckets from small to large. So the order
// differs from a plain shuffle in two ways: a batch holds bags of one bucket, with a smaller batch at the end if the
// bags do not divide evenly, and small bags come before large ones within a round. The order depends only on the sizes
// of the training bags, the epoch and rng.
//
// All fits begin in the same round, so that the members of a block have their few batches of a large bucket at the same
// time.
func epochOrder(sizes []bucketSize, examples []cv.Example, batch, epoch int, rng *rand.Rand) order {
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

// epochSteps returns the number of batches in an epoch.
func epochSteps(sizes []bucketSize, examples []cv.Example, batch int) (steps int) {
	bags := map[bucketSize]int{}
	for _, e := range examples {
		bags[sizes[e.Bag]]++
	}
	for _, n := range bags {
		steps += (n + batch - 1) / batch
	}
	return steps
}

// sortedBuckets returns the buckets, sorted from small to large.
func sortedBuckets[T any](m map[bucketSize]T) []bucketSize {
	return slices.SortedFunc(maps.Keys(m), bucketSize.compare)
}
