package neural

import (
	"math/bits"
	"slices"

	"github.com/gomlx/compute"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// group describes what the fits of a block have in common.
type group struct {
	blockStructure
	epochs      int
	sparse      bool // the network uses only the columns of each bag
	setFeatures int  // features of the bags; the structure may have more, because it rounds up
	compiles    bool // XLA compiles the graphs, which takes time
	perInstance int  // see [Config.perInstance]
	instances   int  // see [Config.Instances]
}

// newGroup returns the group of a fit. Sizes that shape graphs are rounded up, so that other folds and sets share them.
// Here these are the features of sparse bags: with four significant binary digits, the nine sets of Web, with 5863 to
// 6519 features, have 6144 or 6656. Weights of features that no bag has are 0 and stay 0.
func newGroup(b compute.Backend, c Config, bags []mil.Instances, sparse bool, fit cv.Fit) group {
	s := structureOf(c, bags, fit.Train)
	of := blockStructure{structure: s, batch: min(c.Batch, len(bags)), raw: !c.Standardise, weights: fit.Instances, winners: fit.Winners, own: c.own != nil, single: !loops(b)}
	g := group{of, c.Epochs, sparse && c.Layers > 0, s.features, loops(b), c.perInstance(), c.Instances}
	if g.sparse {
		g.structure.features = fourDigits(s.features)
		g.taken = g.batch == 1 && b.HasSharedBuffers() && s.features >= fewestTaken && c.LR*c.WeightDecay <= mostDecay && c.LRDecay == 0
		g.single = g.single || g.taken
	}
	return g
}

// allSparse reports whether all bags are sparse.
func allSparse(bags []mil.Instances) bool {
	return !slices.ContainsFunc(bags, func(b mil.Instances) bool { return !mil.IsSparse(b) })
}

// The bags of a bucket are rounded up to a power of two if a member's array of them has at most mostDoubled numbers,
// otherwise to four significant binary digits. The steps of a round are rounded up to a power of two, at least
// fewestSteps.
const (
	mostDoubled = 1 << 21
	fewestSteps = 4
)

// powerOfTwo returns the smallest power of two that is at least n; n must be above 0.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// fourDigits rounds n, which must be above 0, up to four significant binary digits, so by at most an eighth.
func fourDigits(n int) int {
	unit := 1 << max(0, bits.Len(uint(n-1))-4)
	return (n + unit - 1) / unit * unit
}

// layout describes how the bags of a task lie in the arrays of a group's blocks. It shapes the arrays but not the
// results.
type layout struct {
	group
	sizes   []bucketSize // bucket of each bag of the task
	buckets []bucketSize
	bags    map[bucketSize][]int // indices in the task, per bucket
	at      []int                // place of each bag of the task in its bucket
	steps   map[bucketSize]int   // upper bound of the steps in a call, per bucket
	columns [][]int32            // columns of each sparse bag
	streams bool                 // bags are read for each step, because they do not fit into memory
}

func newLayout(g group, bags []mil.Instances, fits []cv.Fit) *layout {
	l := &layout{group: g, sizes: sizesOf(bags), bags: map[bucketSize][]int{}, at: make([]int, len(bags)),
		steps: map[bucketSize]int{}}
	for i, size := range l.sizes {
		l.at[i] = len(l.bags[size])
		l.bags[size] = append(l.bags[size], i)
	}
	l.buckets = sortedBuckets(l.bags)
	if l.sparse {
		for _, bag := range bags {
			l.columns = append(l.columns, columnsOf(bag.(*mil.Sparse)))
		}
	}
	l.streams = l.data() > mostData
	l.single = l.single || l.streams
	for _, fit := range fits {
		for k, count := range l.trained(fit) {
			batches := (count + g.batch - 1) / g.batch
			l.steps[l.buckets[k]] = max(l.steps[l.buckets[k]], (batches+rounds-1)/rounds)
		}
	}
	for size, steps := range l.steps {
		l.steps[size] = powerOfTwo(max(steps, fewestSteps))
		if l.single {
			l.steps[size] = 1
		}
	}
	return l
}

// places returns the number of bags that a bucket's arrays can hold.
func (l *layout) places(size bucketSize) int {
	n := len(l.bags[size])
	if doubled := powerOfTwo(n); doubled*size.instances*l.width(size) <= mostDoubled {
		return doubled
	}
	return fourDigits(n)
}

// A member scores at most mostScored bags of a bucket at a time, and fewer large ones: scoredInstances in all. Few bags
// of a bucket are held out, and of large bags fewest, and padding costs as much as bags do. For the same reason small
// bags are padded to smallestScored instances: one graph less.
const (
	mostScored      = 8
	scoredInstances = 144
	smallestScored  = 16
)

// scored returns the size that bags of a bucket are padded to in scoring.
func (s bucketSize) scored() bucketSize {
	return bucketSize{max(s.instances, smallestScored), s.columns}
}

// scoringSizes returns the sizes that the bags of a task are padded to in scoring, in order.
func (l *layout) scoringSizes() []bucketSize {
	var sizes []bucketSize
	for _, size := range l.buckets {
		sizes = append(sizes, size.scored())
	}
	return slices.Compact(sizes)
}

// scored returns how many bags of a size a member scores at a time. It depends only on the size and the features,
// because rounding depends on it.
func (l *layout) scored(size bucketSize) int {
	return max(1, min(mostScored, scoredInstances/size.instances, scoringBatch(size.instances, l.features)))
}

// trained returns the number of training bags of a fit in each bucket.
func (l *layout) trained(fit cv.Fit) []int {
	counts := make([]int, len(l.buckets))
	for _, e := range fit.Train {
		k, _ := slices.BinarySearchFunc(l.buckets, l.sizes[e.Bag], bucketSize.compare)
		counts[k]++
	}
	return counts
}

// windowBlocks is the minimum number of blocks of fits that [layout.alike] orders at a time.
const windowBlocks = 4

// alike orders fits, given by index, so that the members of a block wait little for one another. In each bucket, all
// members take as many steps as the one with the most bags. A step takes longest in the largest buckets, so the numbers
// of their bags come first in the order. Fits are ordered in windows of whole repeats, at least windowBlocks blocks each,
// so that repeats finish one after another.
func (l *layout) alike(fits []cv.Fit, indices []int, members int) []int {
	counts := make(map[int][]int, len(indices))
	for _, i := range indices {
		counts[i] = l.trained(fits[i])
		slices.Reverse(counts[i])
	}
	sorted := slices.Clone(indices)
	order := func(window []int) {
		slices.SortStableFunc(window, func(a, b int) int { return slices.Compare(counts[b], counts[a]) })
	}
	start := 0
	for k := 1; k < len(sorted); k++ {
		if k-start >= windowBlocks*members && fits[indices[k]].Repeat != fits[indices[k-1]].Repeat {
			order(sorted[start:k])
			start = k
		}
	}
	order(sorted[start:])
	return sorted
}

// width returns the numbers per instance in a bucket: the columns of sparse bags, or all features.
func (l *layout) width(size bucketSize) int {
	if l.sparse {
		return size.columns
	}
	return l.features
}

// heldOut returns the bags that a fit scores: its validation part, followed by its test part.
func heldOut(fit cv.Fit) []int {
	return append(append([]int{}, fit.Validation...), fit.Test...)
}

// trainBags returns the bags that a fit is trained on.
func trainBags(fit cv.Fit) (bags []int) {
	for _, e := range fit.Train {
		bags = append(bags, e.Bag)
	}
	return bags
}

// mostData is the limit of numbers, with padding, up to which each worker holds all bags of a task in memory: 256 MB.
// Otherwise bags are read from where they are, for every step or, if one is large ([isLarge]), once per epoch. Tests
// make it smaller.
var mostData = 1 << 26

// data returns the numbers of all bags, with padding.
func (l *layout) data() int {
	n := 0
	for _, size := range l.buckets {
		n += l.places(size) * size.instances * l.width(size)
	}
	return n
}
