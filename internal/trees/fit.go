package trees

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Config has the hyperparameters of a forest. [DefaultConfig] returns scikit-learn's values with more trees.
type Config struct {
	Trees    int  // number of trees
	Features int  // candidate features per node; 0 means ⌊√d⌋ for classes, all d for values
	MinLeaf  int  // minimum number of rows in a leaf
	MinSplit int  // minimum number of rows in a node to split
	Balanced bool // weigh each class by n / (k·n_class), with n rows of k classes that occur
}

// DefaultConfig returns 500 trees, ⌊√d⌋ candidates (all features for a regression), and leaves of at least one row.
func DefaultConfig() Config { return Config{Trees: 500, MinLeaf: 1, MinSplit: 2} }

// Data has the training rows of a forest. Fit only reads them and keeps no reference.
type Data struct {
	X        []float32 // [n, features], row-major, finite
	Features int       // features per row
	Labels   []int     // [n]: class of each row, 0 to Classes-1; nil with Values
	Classes  int       // number of classes; some may not occur. 0 with Values
	Values   []float64 // [n]: targets of a regression, within the range of float32
	Rows     []int     // rows to fit on, in any order, perhaps repeated; nil means all
}

// Fit returns a forest fitted on data. A node becomes a leaf if it has a single class or value, too few rows, or no
// candidate that splits it. Otherwise Fit draws features until Features of them are drawn and at least one is not constant
// in the node, draws one threshold for each, and takes the candidate that decreases the weighted impurity most. The impurity
// is Gini's, 1 − Σ_k p_k² for the shares p_k of the classes, or the variance of the values.
//
// Equal data, configuration and seed give equal forests, whatever the number of workers. While it runs, Fit holds one
// transposed copy of the rows. It returns an error if data or configuration are invalid, and the cause of the context when
// that ends.
func (c Config) Fit(ctx context.Context, data Data, seed uint64, workers int) (*Forest, error) {
	s, err := c.newSample(data)
	if err != nil {
		return nil, fmt.Errorf("trees: %w", err)
	}
	grown := make([]tree, c.Trees)
	growers := make([]*grower, max(1, min(workers, c.Trees)))
	err = parallel(ctx, c.Trees, workers, func(worker, t int) error {
		if growers[worker] == nil {
			growers[worker] = newGrower(s)
		}
		var err error
		grown[t], err = growers[worker].grow(ctx, rand.NewPCG(seed, mix(uint64(t))))
		return err
	})
	if err != nil {
		return nil, err
	}
	return join(grown, data)
}

// mix is the finaliser of SplitMix64: it maps nearby numbers to very different ones.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// join concatenates the trees into flat arrays.
func join(grown []tree, data Data) (*Forest, error) {
	nodes, leaves := 0, 0
	for _, t := range grown {
		nodes, leaves = nodes+len(t.feature), leaves+len(t.leaves)
	}
	if nodes > math.MaxInt32 {
		return nil, fmt.Errorf("trees: %d nodes, more than %d; take fewer trees or larger leaves", nodes, math.MaxInt32)
	}
	f := &Forest{
		Features: data.Features, Classes: data.Classes,
		Starts: make([]int32, 1, len(grown)+1), Feature: make([]int32, 0, nodes), Threshold: make([]float32, 0, nodes), Next: make([]int32, 0, nodes),
		Leaves: make([]float32, 0, leaves), Importance: make([]float64, data.Features),
	}
	var total float64
	for i, t := range grown {
		f.Feature, f.Threshold, f.Next, f.Leaves = append(f.Feature, t.feature...), append(f.Threshold, t.threshold...), append(f.Next, t.next...), append(f.Leaves, t.leaves...)
		f.Starts = append(f.Starts, int32(len(f.Feature)))
		var sum float64
		for _, g := range t.gains {
			sum += g.decrease
		}
		if sum > 0 {
			for _, g := range t.gains {
				f.Importance[g.feature] += g.decrease / sum
			}
			total++
		}
		grown[i] = tree{}
	}
	if total > 0 {
		for j := range f.Importance {
			f.Importance[j] /= total
		}
	}
	return f, nil
}

// sample is the prepared training data of a forest.
type sample struct {
	config  Config
	n, d, k int       // k is 0 for a regression
	columns []int32   // [d, n]: keys of the values
	labels  []int32   // [n], nil for a regression
	targets []float64 // [n], nil for classes
	class   []float64 // [k]: class weights
}

// key maps finite floats without −0 to integers in the same order; value is its inverse.
func key(v float32) int32 {
	b := int32(math.Float32bits(v))
	return b ^ (b >> 31 & math.MaxInt32)
}

func value(k int32) float32 { return math.Float32frombits(uint32(k ^ (k >> 31 & math.MaxInt32))) }

// newSample checks data and configuration and transposes the rows.
func (c Config) newSample(data Data) (*sample, error) {
	switch {
	case c.Trees < 1 || c.MinLeaf < 1 || c.MinSplit < 2 || c.Features < 0:
		return nil, fmt.Errorf("%d trees, %d candidates, leaves of %d and splits of %d rows, want at least 1, 0, 1 and 2", c.Trees, c.Features, c.MinLeaf, c.MinSplit)
	case data.Features < 1 || data.Features > math.MaxInt32 || len(data.X)%data.Features != 0:
		return nil, fmt.Errorf("%d values, want rows of %d features", len(data.X), data.Features)
	}
	n, regression := len(data.X)/data.Features, data.Values != nil
	switch {
	case regression && (data.Labels != nil || data.Classes != 0 || c.Balanced):
		return nil, fmt.Errorf("%d labels of %d classes, balanced %v, beside values, want no classes", len(data.Labels), data.Classes, c.Balanced)
	case regression && len(data.Values) != n:
		return nil, fmt.Errorf("%d values of %d rows", len(data.Values), n)
	case !regression && (data.Classes < 1 || data.Classes > math.MaxInt32):
		return nil, fmt.Errorf("%d classes", data.Classes)
	case !regression && len(data.Labels) != n:
		return nil, fmt.Errorf("%d labels of %d rows", len(data.Labels), n)
	}
	rows := data.Rows
	if rows == nil {
		rows = all(n)
	}
	s := &sample{config: c, d: data.Features, k: data.Classes, class: make([]float64, data.Classes)}
	switch {
	case s.config.Features == 0 && regression:
		s.config.Features = s.d
	case s.config.Features == 0:
		s.config.Features = int(math.Sqrt(float64(s.d)))
	}
	s.n = len(rows)
	switch {
	case s.n == 0:
		return nil, errors.New("no rows to fit on")
	case s.n > math.MaxInt32/2:
		return nil, fmt.Errorf("%d rows, more than %d", s.n, math.MaxInt32/2)
	}
	counts := make([]float64, s.k)
	for i, row := range rows {
		if row < 0 || row >= n {
			return nil, fmt.Errorf("row %d at %d, want 0 to %d", row, i, n-1)
		}
		if regression {
			v := data.Values[row]
			if !(math.Abs(v) <= math.MaxFloat32) {
				return nil, fmt.Errorf("row %d has the value %g, want a float32", row, v)
			}
			s.targets = append(s.targets, v)
			continue
		}
		label := data.Labels[row]
		if label < 0 || label >= s.k {
			return nil, fmt.Errorf("row %d has label %d, want 0 to %d", row, label, s.k-1)
		}
		s.labels = append(s.labels, int32(label))
		counts[label]++
	}
	occur := 0
	for _, count := range counts {
		if count > 0 {
			occur++
		}
	}
	for k, count := range counts {
		s.class[k] = 1
		if c.Balanced && count > 0 {
			s.class[k] = float64(s.n) / (float64(occur) * count)
		}
	}
	s.columns = make([]int32, s.n*s.d)
	const block = 16 // rows whose values fill a cache line of a column
	for a := 0; a < s.n; a += block {
		part := rows[a:min(a+block, s.n)]
		for j := range s.d {
			for i, row := range part {
				v := data.X[row*s.d+j] + 0 // −0 becomes 0
				if v-v != 0 {
					return nil, fmt.Errorf("feature %d of row %d is %g", j, row, v)
				}
				s.columns[j*s.n+a+i] = key(v)
			}
		}
	}
	return s, nil
}

// tree is one grown tree.
type tree struct {
	feature   []int32
	threshold []float32
	next      []int32
	leaves    []float32
	gains     []gain
}

// gain is the decrease of weighted impurity by one split.
type gain struct {
	feature  int32
	decrease float64
}

// span is a node to grow: the rows begin to end-1 of the order.
type span struct {
	begin, end int
	parent     int // whose right child it is; -1 for the root and left children
	constants  int // features known to be constant
}

// grower grows one tree at a time in its own memory.
type grower struct {
	*sample
	random *rand.PCG
	tree
	stack []span

	// Parallel arrays [n], permuted so that the rows of a node are side by side.
	order []int32  // rows
	label []int32  // their classes; nil for a regression
	pack  []uint64 // 1 + label·2³²; with two classes

	target []float64 // their values; nil for classes
	mean   float64   // of the values of the node

	keys []int32 // [n]: values of a candidate in the node

	// Features in a separate order. As in scikit-learn, those known to be constant above the node come first.
	features, constant []int32

	counts, left []int32 // [k]: rows of the node and of the left child
}

func newGrower(s *sample) *grower {
	g := &grower{
		sample: s, order: make([]int32, s.n), label: make([]int32, len(s.labels)), target: make([]float64, len(s.targets)), keys: make([]int32, s.n),
		features: make([]int32, s.d), constant: make([]int32, s.d),
		counts: make([]int32, s.k), left: make([]int32, s.k),
	}
	if s.k == 2 {
		g.pack = make([]uint64, s.n)
	}
	return g
}

// below returns a number from 0 to n-1.
func (g *grower) below(n int) int {
	hi, _ := bits.Mul64(g.random.Uint64(), uint64(n))
	return int(hi)
}

// grow returns a tree drawn from a source of random numbers.
func (g *grower) grow(ctx context.Context, random *rand.PCG) (tree, error) {
	g.random = random
	for i := range g.order {
		g.order[i] = int32(i)
	}
	copy(g.label, g.labels)
	copy(g.target, g.targets)
	if g.pack != nil {
		for i, label := range g.label {
			g.pack[i] = 1 | uint64(label)<<32
		}
	}
	for j := range g.features {
		g.features[j] = int32(j)
	}
	g.feature, g.threshold, g.next, g.leaves, g.gains = g.feature[:0], g.threshold[:0], g.next[:0], g.leaves[:0], g.gains[:0]
	g.stack = append(g.stack[:0], span{end: g.n, parent: -1})
	leaf := int32(0)
	for visited := 0; len(g.stack) > 0; visited++ {
		node := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		if visited%256 == 0 || node.end-node.begin > 1<<13 {
			if err := context.Cause(ctx); err != nil {
				return tree{}, err
			}
		}
		i := len(g.feature)
		if node.parent >= 0 {
			g.next[node.parent] = int32(i)
		}
		split, ok := g.split(&node)
		if !ok {
			g.feature, g.threshold, g.next = append(g.feature, -1), append(g.threshold, 0), append(g.next, leaf)
			g.addLeaf()
			leaf++
			continue
		}
		g.feature, g.threshold, g.next = append(g.feature, split.feature), append(g.threshold, value(split.threshold)), append(g.next, 0)
		g.gains = append(g.gains, gain{split.feature, split.gain})
		middle := g.divide(node, split)
		g.stack = append(g.stack, span{middle, node.end, i, node.constants}, span{node.begin, middle, -1, node.constants})
	}
	return tree{slices.Clone(g.feature), slices.Clone(g.threshold), slices.Clone(g.next), slices.Clone(g.leaves), slices.Clone(g.gains)}, nil
}

// addLeaf appends the class frequencies of the node, or the mean of its values.
func (g *grower) addLeaf() {
	if g.targets != nil {
		g.leaves = append(g.leaves, float32(g.mean))
		return
	}
	var total float64
	for k := range g.k {
		total += g.weight(g.counts, k)
	}
	for k := range g.k {
		g.leaves = append(g.leaves, float32(g.weight(g.counts, k)/total))
	}
}

// weight returns the weight of class k.
func (g *grower) weight(counts []int32, k int) float64 { return float64(counts[k]) * g.class[k] }

// split is a feature, the key of its threshold, and how much it decreases the weighted impurity.
type split struct {
	feature   int32
	threshold int32
	gain      float64
}

// split counts the classes of a node, or computes the mean of its values, for addLeaf, and returns its best candidate, or
// false if it is a leaf. It sets node.constants to the number of features known to be constant below.
func (g *grower) split(node *span) (split, bool) {
	n := node.end - node.begin
	pure := g.count(node)
	if pure || n < g.config.MinSplit || n < 2*g.config.MinLeaf {
		return split{}, false
	}
	var found split
	before := g.concentration() // 0 for a regression, whose scores are relative to the node
	best := math.Inf(-1)

	// features holds, in turn: constants drawn, known constants not drawn, new constants, features not drawn, features drawn.
	known, drawn, fresh, end := node.constants, 0, 0, g.d
	for visited := 0; end > known+fresh && (visited < g.config.Features || visited <= fresh+drawn); {
		visited++
		j := drawn + g.below(end-fresh-drawn)
		if j < known {
			g.features[drawn], g.features[j] = g.features[j], g.features[drawn]
			drawn++
			continue
		}
		j += fresh
		feature := g.features[j]
		low, high := g.gather(feature, node)
		if low == high {
			g.features[j], g.features[known+fresh] = g.features[known+fresh], feature
			fresh++
			continue
		}
		end--
		g.features[end], g.features[j] = feature, g.features[end]
		threshold := g.draw(low, high)
		score, perfect := g.score(n, node, threshold)
		if score > best {
			best, found = score, split{feature: feature, threshold: threshold}
			if perfect {
				break
			}
		}
	}
	copy(g.features[:known], g.constant[:known])
	copy(g.constant[known:known+fresh], g.features[known:known+fresh])
	node.constants = known + fresh
	found.gain = max(0, best-before)
	return found, !math.IsInf(best, -1)
}

// count sets counts to those of a node, or mean to that of its values, and reports whether it has a single class or
// value.
func (g *grower) count(node *span) bool {
	if g.targets != nil {
		return g.measure(node)
	}
	clear(g.counts)
	for _, label := range g.label[node.begin:node.end] {
		g.counts[label]++
	}
	return int(g.counts[g.label[node.begin]]) == node.end-node.begin
}

// concentration returns Σ w_k² / Σ w_k of the node.
func (g *grower) concentration() float64 {
	if g.targets != nil {
		return 0
	}
	var sum, squares float64
	for k := range g.k {
		w := g.weight(g.counts, k)
		sum, squares = sum+w, squares+w*w
	}
	return squares / sum
}

// gather sets keys to those of a feature in a node and returns the smallest and the largest.
func (g *grower) gather(feature int32, node *span) (low, high int32) {
	column := g.columns[int(feature)*g.n:][:g.n]
	order := g.order[node.begin:node.end]
	keys := g.keys[:len(order)]
	low, high = math.MaxInt32, math.MinInt32
	for i, row := range order {
		v := column[row]
		keys[i] = v
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// draw returns the key of a threshold drawn uniformly from the values low to high: the largest float32 that is at most the
// drawn number, so that it splits rows in the same way. It is always less than high.
func (g *grower) draw(low, high int32) int32 {
	a, b := float64(value(low)), float64(value(high))
	u := a + (b-a)*(float64(g.random.Uint64()>>11)*0x1p-53)
	t := float32(u) + 0
	if float64(t) > u {
		t = math.Nextafter32(t, float32(math.Inf(-1))) + 0
	}
	k := key(t)
	if k >= high { // rounding
		return low
	}
	return max(low, k)
}

// score returns Σ w_lk² / w_l + Σ w_rk² / w_r of a threshold for the keys, which is larger for purer children, and whether
// both are pure. It is −Inf if a child has too few rows.
func (g *grower) score(n int, node *span, threshold int32) (score float64, perfect bool) {
	keys := g.keys[:n]
	if g.targets != nil {
		return g.scatter(keys, node, threshold), false
	}
	if g.pack != nil {
		pack := g.pack[node.begin:node.end][:len(keys)]
		var sum uint64
		for i, v := range keys {
			// All ones if v ≤ threshold.
			sum += pack[i] & uint64((int64(v)-int64(threshold)-1)>>63)
		}
		left, ones := int32(uint32(sum)), int32(sum>>32)
		zeros, rest := left-ones, int32(n)-left
		restOnes := g.counts[1] - ones
		restZeros := rest - restOnes
		if int(left) < g.config.MinLeaf || int(rest) < g.config.MinLeaf {
			return math.Inf(-1), false
		}
		l0, l1 := float64(zeros)*g.class[0], float64(ones)*g.class[1]
		r0, r1 := float64(restZeros)*g.class[0], float64(restOnes)*g.class[1]
		return (l0*l0+l1*l1)/(l0+l1) + (r0*r0+r1*r1)/(r0+r1), (zeros == 0 || ones == 0) && (restZeros == 0 || restOnes == 0)
	}
	label := g.label[node.begin:node.end][:len(keys)]
	clear(g.left)
	for i, v := range keys {
		g.left[label[i]] += int32(uint64(int64(v)-int64(threshold)-1) >> 63)
	}
	var left, leftClasses, restClasses int
	var l, r, ll, rr float64
	for k, here := range g.left {
		left += int(here)
		w, rest := g.weight(g.left, k), 0.0
		if here < g.counts[k] {
			rest = g.weight(g.counts, k) - w
			restClasses++
		}
		if here > 0 {
			leftClasses++
		}
		l, ll, r, rr = l+w, ll+w*w, r+rest, rr+rest*rest
	}
	if left < g.config.MinLeaf || n-left < g.config.MinLeaf {
		return math.Inf(-1), false
	}
	return ll/l + rr/r, leftClasses == 1 && restClasses == 1
}

// divide moves the rows of a node that go left before the others and returns the position of the first of the others.
func (g *grower) divide(node span, s split) int {
	column := g.columns[int(s.feature)*g.n:][:g.n]
	i, j := node.begin, node.end
	for i < j {
		if column[g.order[i]] <= s.threshold {
			i++
			continue
		}
		j--
		g.order[i], g.order[j] = g.order[j], g.order[i]
		if g.targets != nil {
			g.target[i], g.target[j] = g.target[j], g.target[i]
		} else {
			g.label[i], g.label[j] = g.label[j], g.label[i]
		}
		if g.pack != nil {
			g.pack[i], g.pack[j] = g.pack[j], g.pack[i]
		}
	}
	return i
}
