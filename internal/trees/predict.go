package trees

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Predict returns the class probabilities [rows, classes], or the values [rows] of a regression, for the given rows of x [n,
// features], row-major: the mean of the reached leaves over the trees. Nil rows means all. The number of workers does not
// change the result. It returns an error if a row is out of range or has a value that is not finite, and the cause of the
// context when that ends. A forest from a file must have passed [Forest.Validate].
func (f *Forest) Predict(ctx context.Context, x []float32, rows []int, workers int) ([]float64, error) {
	if len(x)%f.Features != 0 {
		return nil, fmt.Errorf("trees: %d values, want rows of %d features", len(x), f.Features)
	}
	n := len(x) / f.Features
	if rows == nil {
		rows = all(n)
	}
	for i, row := range rows {
		if row < 0 || row >= n {
			return nil, fmt.Errorf("trees: row %d at %d, want 0 to %d", row, i, n-1)
		}
		for j, v := range x[row*f.Features : (row+1)*f.Features] {
			if v-v != 0 {
				return nil, fmt.Errorf("trees: feature %d of row %d is %g", j, row, v)
			}
		}
	}
	width := f.outputs()
	to := make([]float64, len(rows)*width)
	// Small enough that every worker gets a block whose rows stay in the cache from tree to tree, and large enough to be
	// worth rearranging the nodes of a tree.
	size := max(1, min((len(rows)+max(workers, 1)-1)/max(workers, 1), max(64, min(512, 1<<16/f.Features))))
	blocks := (len(rows) + size - 1) / size
	walkers := make([]walker, max(1, min(workers, blocks)))
	err := parallel(ctx, blocks, workers, func(worker, block int) error {
		a, b := block*size, min((block+1)*size, len(rows))
		walkers[worker].predict(f, x, rows[a:b], to[a*width:b*width])
		return context.Cause(ctx)
	})
	if err != nil {
		return nil, err
	}
	return to, nil
}

// walker takes rows down trees in its own memory.
type walker struct {
	nodes []node
	ends  []int // the node where each row of the block ends
}

// node is a node with everything that a step needs. A leaf leads to itself: every value is larger than its threshold, −Inf.
type node struct {
	feature   int32
	threshold float32
	right     int32
}

// predict sets to [rows, outputs] to the probabilities, or values, of a block of rows.
func (w *walker) predict(f *Forest, x []float32, rows []int, to []float64) {
	width := f.outputs()
	w.ends = slices.Grow(w.ends[:0], len(rows))[:len(rows)]
	for t := range f.Trees() {
		a, b := f.Starts[t], f.Starts[t+1]
		feature, threshold, next := f.Feature[a:b], f.Threshold[a:b], f.Next[a:b]
		if len(rows) < rearranged {
			for r, row := range rows {
				w.ends[r] = reached(feature, threshold, next, x[row*f.Features:][:f.Features])
			}
		} else {
			w.nodes = slices.Grow(w.nodes[:0], len(feature))[:len(feature)]
			for i, j := range feature {
				if j < 0 {
					w.nodes[i] = node{0, float32(math.Inf(-1)), int32(i)}
				} else {
					w.nodes[i] = node{j, threshold[i], next[i]}
				}
			}
			w.walk(f.Features, x, rows)
		}
		leaves := f.Leaves[f.firstLeaf(t)*width:]
		if width == 2 {
			for r, end := range w.ends {
				leaf := leaves[2*next[end]:][:2]
				to[2*r] += float64(leaf[0])
				to[2*r+1] += float64(leaf[1])
			}
			continue
		}
		for r, end := range w.ends {
			leaf, sums := int(next[end]), to[r*width:(r+1)*width]
			for k, p := range leaves[leaf*width : (leaf+1)*width] {
				sums[k] += float64(p)
			}
		}
	}
	for i := range to {
		to[i] /= float64(f.Trees())
	}
}

// rearranged is the number of rows from which on rearranging the nodes of a tree costs less than it saves. A bag has one row.
const rearranged = 32

// reached returns the leaf that a row reaches.
func reached(feature []int32, threshold []float32, next []int32, row []float32) int {
	i := int32(0)
	for feature[i] >= 0 {
		if row[feature[i]] > threshold[i] {
			i = next[i]
		} else {
			i++
		}
	}
	return int(i)
}

// walk sets ends. It processes four rows at a time, so that the processor need not wait for the node of one row.
func (w *walker) walk(d int, x []float32, rows []int) {
	nodes := w.nodes
	r := 0
	for ; r+4 <= len(rows); r += 4 {
		a, b := x[rows[r]*d:][:d], x[rows[r+1]*d:][:d]
		c, e := x[rows[r+2]*d:][:d], x[rows[r+3]*d:][:d]
		var i, j, k, l int
		for {
			i1, j1, k1, l1 := step(nodes, a, i), step(nodes, b, j), step(nodes, c, k), step(nodes, e, l)
			if (i1^i)|(j1^j)|(k1^k)|(l1^l) == 0 {
				break
			}
			i, j, k, l = i1, j1, k1, l1
		}
		w.ends[r], w.ends[r+1], w.ends[r+2], w.ends[r+3] = i, j, k, l
	}
	for ; r < len(rows); r++ {
		row := x[rows[r]*d:][:d]
		i := 0
		for to := step(nodes, row, 0); to != i; to = step(nodes, row, i) {
			i = to
		}
		w.ends[r] = i
	}
}

// step returns the child of node i that a row goes to, without a branch, because the processor could not predict it.
func step(nodes []node, row []float32, i int) int {
	n := &nodes[i]
	right := 0
	if row[n.feature] > n.threshold {
		right = 1
	}
	i++
	return i + (-right)&(int(n.right)-i)
}

// all returns 0 to n-1.
func all(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// parallel calls do(worker, i) for every i below n from that many workers. It stops at the first error and returns it.
func parallel(ctx context.Context, n, workers int, do func(worker, i int) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var (
		next  atomic.Int64
		group sync.WaitGroup
		once  sync.Once
		first error
	)
	for worker := range max(1, min(workers, n)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(worker, i); err != nil {
					once.Do(func() { first = err })
					next.Store(math.MaxInt32)
					return
				}
			}
		})
	}
	group.Wait()
	return first
}
