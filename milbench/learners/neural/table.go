package neural

import (
	"errors"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// table holds the first weights of a network on sparse bags, with their moments, for all features.
//
// A bag uses few rows. The others have no gradient, but a step of AdamW changes them, too, and reading and writing them
// all takes longer than the rest of the step. So a step takes the rows that its bags use ([table.take]), changes only
// these, and puts them back ([table.put]). When a row is taken, it makes up for all missed updates at once ([gap]).
type table struct {
	layout *layout
	arrays [3]*tensors.Tensor // weights, first and second moments, [members, features, width]
	gaps   []gaps             // one per member
	missed *tensors.Tensor    // missed by all rows, [gapNumbers, members, features]
	calls  map[bucketSize]*tableCall
	time   []int32 // [members]: number of finished steps
	last   []int32 // [members, features]: the last step that took a row; 0 if none did
	bags   []int   // [members]: bags of the step that takes rows, by index in the task, -1 for none
}

// tableCall holds what a table gives to a step in a bucket. Rows are in the order of the bags' columns.
type tableCall struct {
	rows   [3]*tensors.Tensor // weights and moments, [members, columns, width]
	missed *tensors.Tensor    // blockMissed
}

func newTable(b compute.Backend, l *layout, weights []float32, configs []Config) (*table, error) {
	members := len(configs)
	t := &table{layout: l, calls: map[bucketSize]*tableCall{}, time: make([]int32, members), last: make([]int32, members*l.features)}
	for _, c := range configs {
		t.gaps = append(t.gaps, newGaps(c.LR, c.WeightDecay))
	}
	t.arrays[0] = tensors.FromFlatDataAndDimensions(weights, members, l.features, l.network.Width)
	var errs []error
	zeros := func(dims ...int) *tensors.Tensor {
		x, err := tensors.FromShapeForBackend(b, 0, shapes.Make(dtypes.Float32, dims...))
		errs = append(errs, err)
		return x
	}
	for moment := 1; moment < len(t.arrays); moment++ {
		t.arrays[moment] = zeros(members, l.features, l.network.Width)
	}
	t.missed = zeros(gapNumbers, members, l.features)
	for _, size := range l.buckets {
		c := &tableCall{missed: zeros(gapNumbers, members, size.columns)}
		for moment := range c.rows {
			c.rows[moment] = zeros(members, size.columns, l.network.Width)
		}
		t.calls[size] = c
	}
	return t, errors.Join(errs...)
}

func (t *table) finalize() error {
	all := append(t.arrays[:], t.missed)
	for _, c := range t.calls {
		all = append(append(all, c.rows[:]...), c.missed)
	}
	return finalize(all...)
}

// take takes the rows that the bag of each member uses. Bags are given by index in the task, -1 for none.
func (t *table) take(size bucketSize, bags []int) (*tableCall, error) {
	c := t.calls[size]
	t.bags = bags
	err := t.miss(c.missed, t.rows)
	return c, errors.Join(err, t.move(t.arrays, c.rows, func(m, column int, row int32) (from, to int) {
		return m*t.layout.features + int(row), m*size.columns + column
	}))
}

// rows returns the rows that a member's bag uses.
func (t *table) rows(m int) []int32 {
	if t.bags[m] < 0 {
		return nil
	}
	return t.layout.columns[t.bags[m]]
}

// put puts back the rows that were taken last, as changed by the step.
func (t *table) put(size bucketSize, rows [3]*tensors.Tensor) error {
	for m, bag := range t.bags {
		if bag < 0 {
			continue
		}
		t.time[m]++
		for _, row := range t.rows(m) {
			t.last[m*t.layout.features+int(row)] = t.time[m]
		}
	}
	return t.move(rows, t.arrays, func(m, column int, row int32) (from, to int) {
		return m*size.columns + column, m*t.layout.features + int(row)
	})
}

// move copies the taken rows between arrays; between maps the rows. On a CPU, backends share memory with Go, and a call
// returns when it has read and written.
func (t *table) move(from, to [3]*tensors.Tensor, between func(m, column int, row int32) (from, to int)) error {
	width := t.layout.network.Width
	for moment := range from {
		var errFrom error
		errTo := tensors.MutableFlatData(to[moment], func(to []float32) {
			errFrom = tensors.ConstFlatData(from[moment], func(from []float32) {
				for m := range t.bags {
					for column, row := range t.rows(m) {
						source, target := between(m, column, row)
						copy(to[target*width:][:width], from[source*width:][:width])
					}
				}
			})
		})
		if err := errors.Join(errTo, errFrom); err != nil {
			return err
		}
	}
	return nil
}

// current returns what all rows have missed.
func (t *table) current() (*tensors.Tensor, error) {
	all := make([]int32, t.layout.features)
	for row := range all {
		all[row] = int32(row)
	}
	return t.missed, t.miss(t.missed, func(int) []int32 { return all })
}

// miss sets what each member's rows have missed. Rows after them belong to no bag and are set to 0.
func (t *table) miss(missed *tensors.Tensor, rows func(m int) []int32) error {
	members, room := missed.Shape().Dim(1), missed.Shape().Dim(2)
	return tensors.MutableFlatData(missed, func(flat []float32) {
		for m := range members {
			last, list := t.last[m*t.layout.features:], rows(m)
			known := map[int32]gap{} // by the last step
			for at := range room {
				g := gap{epsilon: 1}
				if at < len(list) {
					d, ok := last[list[at]], false
					if g, ok = known[d]; !ok {
						g = t.gaps[m].gap(int(d), int(t.time[m]))
						known[d] = g
					}
				}
				for k, v := range [gapNumbers]float64{g.shrink, g.rate, g.epsilon, g.first, g.second} {
					flat[(k*members+m)*room+at] = float32(v)
				}
			}
		}
	})
}

// gap holds what a row must make up for after step t if step d was the last to take it. It missed the updates i = d,
// ..., t; those after d have no gradient. With s = 1 − lr·wd they sum to
//
//	θ ← sᵗ⁻ᵈ⁺¹ θ − m Σᵢ aᵢ / (√v + εᵢ),   m ← β₁ᵗ⁻ᵈ m,   v ← β₂ᵗ⁻ᵈ v
//	aᵢ = sᵗ⁻ⁱ lr β₁ⁱ⁻ᵈ / (1−β₁ⁱ) · cᵢ,   εᵢ = 10⁻⁸ cᵢ,   cᵢ = √(1−β₂ⁱ) / β₂⁽ⁱ⁻ᵈ⁾ᐟ²
//
// The sum is approximated by Σaᵢ / (√v + ε), where ε is the mean of the εᵢ, weighted by aᵢ. The error is the square of
// their differences, relative to √v + ε. It is below the precision of float32 unless √v is below 10⁻⁵ in the first
// steps, or 10⁻⁶ later. In the worst case, √v is about 10⁻⁹ and only one of the first steps took the row; then the
// error is a fifth of lr, once.
type gap struct {
	shrink        float64 // sᵗ⁻ᵈ⁺¹
	rate, epsilon float64 // Σaᵢ and ε
	first, second float64 // β₁ᵗ⁻ᵈ and β₂ᵗ⁻ᵈ
}

const gapNumbers = 5

// Rows are taken if a set has at least this many features, so that most bags use few of them, and up to the lr·wd for
// which gaps has sums.
const (
	fewestTaken = 4 * fewestColumns
	mostDecay   = 0.01
)

// gaps holds sums that give the gaps of a fit: Σaᵢ sᵈ⁻ᵗ and Σaᵢεᵢ sᵈ⁻ᵗ over all i from d on. A gap is a difference of
// such sums.
type gaps struct {
	shrink             float64   // s
	rate, epsilon      []float64 // by d; the last value holds for every later d
	rateOf, epsilonFor float64   // ratio of consecutive terms, without the part of cᵢ and 1−β₁ⁱ that depends only on i
}

// settled is the first step with 1−β₁ⁱ and 1−β₂ⁱ equal to 1.
const settled = 50_000

func newGaps(lr, wd float64) gaps {
	s := float64(1 - float32(float32(lr)*float32(wd))) // as rounded in the steps, unless XLA rounds only once
	g := gaps{shrink: s, rate: make([]float64, settled+1), epsilon: make([]float64, settled+1),
		rateOf: beta1 / math.Sqrt(beta2) / s, epsilonFor: beta1 / beta2 / s}
	g.rate[settled], g.epsilon[settled] = lr/(1-g.rateOf), lr*adamEpsilon/(1-g.epsilonFor)
	for d := settled - 1; d > 0; d-- {
		a, c := lr/(1-math.Pow(beta1, float64(d))), math.Sqrt(1-math.Pow(beta2, float64(d)))
		g.rate[d], g.epsilon[d] = a*c+g.rateOf*g.rate[d+1], a*c*c*adamEpsilon+g.epsilonFor*g.epsilon[d+1]
	}
	return g
}

// gap returns the gap after step t of a row last taken by step d. If d is 0, no step has taken it: it has no moments
// and only decays.
func (g *gaps) gap(d, t int) gap {
	if d == 0 {
		return gap{shrink: math.Pow(g.shrink, float64(t)), epsilon: adamEpsilon, first: 1, second: 1}
	}
	n := float64(t - d)
	from, to := min(d, settled), min(t+1, settled)
	rate := g.rate[from] - math.Pow(g.rateOf, n+1)*g.rate[to]
	epsilon := g.epsilon[from] - math.Pow(g.epsilonFor, n+1)*g.epsilon[to]
	return gap{shrink: math.Pow(g.shrink, n+1), rate: math.Pow(g.shrink, n) * rate, epsilon: epsilon / rate, first: math.Pow(beta1, n), second: math.Pow(beta2, n)}
}

// madeUp returns the weights and moments of rows, [members, rows, width], after they have made up for what they missed.
func (bp *blockProgram) madeUp(s blockState, missed *Node) (weights, first, second *Node) {
	weights, first, second = s.parameters[bp.table], s.first[bp.table], s.second[bp.table]
	dims := missed.Shape().Dimensions
	of := func(k int) *Node { return Reshape(SliceAxis(missed, 0, AxisElem(k)), dims[1], dims[2], 1) }
	step := Div(Mul(first, of(1)), Add(Sqrt(second), of(2)))
	return Sub(Mul(weights, of(0)), step), Mul(first, of(3)), Mul(second, of(4))
}
