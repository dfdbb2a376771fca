package neural

import (
	"math/bits"
	"slices"

	"github.com/gomlx/compute"

	"synpool/milbench"
)

// group is what the fits of a block have in common.
type group struct {
	blockStructure
	epochs      int
	sparse      bool // the network takes the columns that a bag uses
	setFeatures int  // features of the bags; those of the structure may be rounded up
	perInstance int  // see [Config.perInstance]
	instances   int  // see [Config.Instances]
}

// newGroup returns the group of a fit. What shapes graphs is rounded up, so that other folds and other sets share them: here the
// features of sparse bags, to four binary digits, so that the nine sets of Web, of 5863 to 6519, have 6144 or 6656. The weights
// of those that no bag has are 0 and stay so.
func newGroup(b compute.Backend, c Config, bags []milbench.Instances, sparse bool, fit milbench.Fit) group {
	s := structureOf(c, bags, fit.Train)
	g := group{blockStructure{s, min(c.Batch, len(bags)), !c.Standardise, fit.Instances, c.own != nil, false}, c.Epochs, sparse && c.Layers > 0, s.features, c.perInstance(), c.Instances}
	if g.sparse && blocks(b) {
		g.structure.features = fourDigits(s.features)
		g.taken = g.batch == 1 && b.HasSharedBuffers() && s.features >= fewestTaken && c.LR*c.WeightDecay <= mostDecay && c.LRDecay == 0
	}
	return g
}

// allSparse reports whether all bags are sparse.
func allSparse(bags []milbench.Instances) bool {
	return !slices.ContainsFunc(bags, func(b milbench.Instances) bool { return !milbench.IsSparse(b) })
}

// The bags of a bucket are rounded up to a power of two where a member's array of them has no more than mostDoubled numbers, else
// to four binary digits; the steps of a round to a power of two, at least fewestSteps.
const (
	mostDoubled = 1 << 21
	fewestSteps = 4
)

// powerOfTwo returns the least power of two that is not below n, which is above 0.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// fourDigits returns the least number of four binary digits, and zeros, that is not below n, which is above 0: an eighth more at
// most.
func fourDigits(n int) int {
	unit := 1 << max(0, bits.Len(uint(n-1))-4)
	return (n + unit - 1) / unit * unit
}

// layout says how the bags of a task lie in the arrays of the blocks of a group. It shapes the arrays and no result.
type layout struct {
	group
	sizes   []bucketSize // of each bag of the task
	buckets []bucketSize
	bags    map[bucketSize][]int // of each bucket, indices in the task
	at      []int                // of each bag of the task, its place in its bucket
	steps   map[bucketSize]int   // of each bucket, the most steps of a call, or more
	columns [][]int32            // that each sparse bag uses
}

func newLayout(g group, bags []milbench.Instances, fits []milbench.Fit) *layout {
	l := &layout{group: g, sizes: sizesOf(bags), bags: map[bucketSize][]int{}, at: make([]int, len(bags)),
		steps: map[bucketSize]int{}}
	for i, size := range l.sizes {
		l.at[i] = len(l.bags[size])
		l.bags[size] = append(l.bags[size], i)
	}
	l.buckets = sortedBuckets(l.bags)
	if l.sparse {
		for _, bag := range bags {
			l.columns = append(l.columns, columnsOf(bag.(*milbench.Sparse)))
		}
	}
	for _, fit := range fits {
		for k, count := range l.trained(fit) {
			batches := (count + g.batch - 1) / g.batch
			l.steps[l.buckets[k]] = max(l.steps[l.buckets[k]], (batches+rounds-1)/rounds)
		}
	}
	for size, steps := range l.steps {
		l.steps[size] = powerOfTwo(max(steps, fewestSteps))
		if l.taken {
			l.steps[size] = 1
		}
	}
	return l
}

// places returns the number of bags that the arrays of a bucket have room for.
func (l *layout) places(size bucketSize) int {
	n := len(l.bags[size])
	if doubled := powerOfTwo(n); doubled*size.instances*l.width(size) <= mostDoubled {
		return doubled
	}
	return fourDigits(n)
}

// A member scores at most mostScored bags of a bucket at a time, and of large ones those of scoredInstances: few are held out of
// a bucket, of large bags fewest, and padding costs what bags do.
const (
	mostScored      = 8
	scoredInstances = 128
)

// scored returns how many bags of a bucket a member scores at a time. As rounding depends on it, it depends on the bucket and the
// features alone.
func (l *layout) scored(size bucketSize) int {
	return max(1, min(mostScored, scoredInstances/size.instances, scoringBatch(size.instances, l.features)))
}

// trained returns, of each bucket, the number of bags that a fit is trained on.
func (l *layout) trained(fit milbench.Fit) []int {
	counts := make([]int, len(l.buckets))
	for _, e := range fit.Train {
		k, _ := slices.BinarySearchFunc(l.buckets, l.sizes[e.Bag], bucketSize.compare)
		counts[k]++
	}
	return counts
}

// windowBlocks is how many blocks of fits [layout.alike] orders at a time, at least.
const windowBlocks = 4

// alike returns fits, by index, in an order in which those of a block of so many members wait little for one another: in every
// bucket all take as many steps as the one with the most bags there, so the counts of the largest buckets, where a step takes
// longest, go first. Whole repeats are ordered at a time, as many as make windowBlocks blocks, so that repeats are finished one
// after another.
func (l *layout) alike(fits []milbench.Fit, indices []int, members int) []int {
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

// mostData is the numbers of the bags of a task, padded, up to which they are held by every worker, 256 MB. More are read from where
// they are, for every step, or where one is large ([isLarge]), for every bag of an epoch. Tests make it smaller.
var mostData = 1 << 26

// data returns the numbers of all bags, padded.
func (l *layout) data() int {
	n := 0
	for _, size := range l.buckets {
		n += l.places(size) * size.instances * l.width(size)
	}
	return n
}
