package neural

import "synpool/milbench"

// group is what the fits of a block have in common.
type group struct {
	blockStructure
	epochs int
}

// layout says how the bags of a task lie in the arrays of the blocks of a group. It shapes the arrays and no result.
type layout struct {
	group
	sizes   []bucketSize // of each bag of the task
	buckets []bucketSize
	bags    map[bucketSize][]int // of each bucket, indices in the task
	at      []int                // of each bag of the task, its place in its bucket
	steps   map[bucketSize]int   // of each bucket, the most steps of a round
	sparse  bool                 // the network takes the columns that a bag uses
}

func newLayout(g group, bags []milbench.Matrix, fits []milbench.Fit) *layout {
	l := &layout{group: g, sizes: sizesOf(bags), bags: map[bucketSize][]int{}, at: make([]int, len(bags)),
		steps: map[bucketSize]int{}, sparse: g.network.Layers > 0}
	for i, size := range l.sizes {
		l.at[i] = len(l.bags[size])
		l.bags[size] = append(l.bags[size], i)
		l.sparse = l.sparse && bags[i].Sparse()
	}
	l.buckets = sortedBuckets(l.bags)
	for _, fit := range fits {
		trained := map[bucketSize]int{}
		for _, e := range fit.Train {
			trained[l.sizes[e.Bag]]++
		}
		for size, count := range trained {
			batches := (count + g.batch - 1) / g.batch
			l.steps[size] = max(l.steps[size], (batches+rounds-1)/rounds)
		}
	}
	return l
}

// width returns the numbers of an instance in a bucket: the columns of sparse bags, else all features.
func (l *layout) width(size bucketSize) int {
	if l.sparse {
		return size.columns
	}
	return l.features
}

// heldOut returns the bags that a fit scores: its validation part, then its test part.
func heldOut(fit milbench.Fit) []int {
	return append(append([]int{}, fit.Validation...), fit.Test...)
}
