package neural

import (
	"cmp"

	"synpool/milbench"
)

// Buckets of dense bags are powers of two from smallestBucket to widestDoubling, then three times as large each: a graph is
// compiled for each, which costs more than padding a few large bags.
const (
	smallestBucket = 8
	widestDoubling = 128
)

// bucket returns the number of instances to which a dense bag of so many is padded.
func bucket(instances int) int {
	b := smallestBucket
	for b < instances {
		if b < widestDoubling {
			b *= 2
		} else {
			b *= 3
		}
	}
	return b
}

// padded returns the number of instances to which a bag is padded, a sparse one to a power of two. It depends on the bag alone:
// rounding differs with the padding, and neither training nor the score of a bag may feel another.
func padded(bag milbench.Instances) int {
	if milbench.IsSparse(bag) {
		return powerOfTwo(max(smallestBucket, bag.Len()))
	}
	return bucket(bag.Len())
}

// bucketSize is what the bags of a bucket are padded to. Buckets make the order of the bags, too: other ones would be another
// training.
type bucketSize struct {
	instances int
	columns   int // that a sparse bag uses; 0 for dense bags
}

// Where fits are trained side by side, sparse bags are padded to smallestSparse instances at least, and to a power of two of
// columns, at least fewestColumns. The products with all that are most of a step: with instances padded as those of dense bags and
// columns to 256, 1024 and 4096 a fit of Web 1 took two fifths longer.
const (
	smallestSparse = 32
	fewestColumns  = 256
)

// sizeOf returns the bucket of a bag, which depends on it alone.
func sizeOf(bag milbench.Instances) bucketSize {
	sparse, ok := bag.(*milbench.Sparse)
	if !ok {
		return bucketSize{instances: padded(bag)}
	}
	return bucketSize{max(smallestSparse, padded(bag)), powerOfTwo(max(fewestColumns, len(columnsOf(sparse))))}
}

// sizesOf returns the bucket of each bag.
func sizesOf(bags []milbench.Instances) []bucketSize {
	sizes := make([]bucketSize, len(bags))
	for i, b := range bags {
		sizes[i] = sizeOf(b)
	}
	return sizes
}

// columnsOf returns the features that a bag uses, in the order in which they first stand in it.
func columnsOf(bag *milbench.Sparse) []int32 {
	var columns []int32
	seen := map[int32]bool{}
	for _, j := range bag.Column {
		if !seen[j] {
			seen[j] = true
			columns = append(columns, j)
		}
	}
	return columns
}

// compare orders buckets by size.
func (s bucketSize) compare(other bucketSize) int {
	return cmp.Or(cmp.Compare(s.instances, other.instances), cmp.Compare(s.columns, other.columns))
}
