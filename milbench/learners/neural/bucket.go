package neural

import (
	"cmp"

	"synpool/milbench/mil"
)

// Buckets of dense bags double from smallestBucket to widestDoubling and then grow by a factor of three. Each bucket
// needs a compiled graph, and compiling costs more than padding a few large bags.
const (
	smallestBucket = 8
	widestDoubling = 16
)

// bucket returns the number of instances that a dense bag is padded to.
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

// padded returns the number of instances that a bag is padded to; for a sparse bag it is a power of two. It depends
// only on the bag: rounding depends on the padding, and other bags must not influence training or the score of a bag.
func padded(bag mil.Instances) int {
	if mil.IsSparse(bag) {
		return powerOfTwo(max(smallestBucket, bag.Len()))
	}
	return bucket(bag.Len())
}

// bucketSize is the size that the bags of a bucket are padded to. Buckets also determine the order of the bags, so
// different buckets change the training.
type bucketSize struct {
	instances int
	columns   int // used by a sparse bag; 0 for dense bags
}

// In side-by-side training, sparse bags are padded to at least smallestSparse instances, and to a power of two of
// columns, at least fewestColumns. Products with the padded arrays take most of a step: with instances padded like
// those of dense bags and columns to 256, 1024 and 4096, a fit of Web 1 took two fifths longer.
const (
	smallestSparse = 32
	fewestColumns  = 256
)

// sizeOf returns the bucket of a bag. It depends only on the bag.
func sizeOf(bag mil.Instances) bucketSize {
	sparse, ok := bag.(*mil.Sparse)
	if !ok {
		return bucketSize{instances: padded(bag)}
	}
	return bucketSize{max(smallestSparse, padded(bag)), powerOfTwo(max(fewestColumns, len(columnsOf(sparse))))}
}

// sizesOf returns the bucket of each bag.
func sizesOf(bags []mil.Instances) []bucketSize {
	sizes := make([]bucketSize, len(bags))
	for i, b := range bags {
		sizes[i] = sizeOf(b)
	}
	return sizes
}

// columnsOf returns the features that a bag uses, in the order of their first occurrence.
func columnsOf(bag *mil.Sparse) []int32 {
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
