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

// table is the first weights of a network on sparse bags, with their moments, for all features.
//
// A bag uses few of its rows. The others have no gradient, but a step of AdamW changes them, too, and to read and write them all
// takes longer than everything else in it. So a step takes the rows that its bags use ([table.take]) and changes these alone, and
// they are put back ([table.put]). A row that is taken makes up at once for the updates that it has missed ([gap]).
type table struct {
	layout *layout
	arrays [3]*tensors.Tensor // weights, first and second moments, [members, features, width]
	gaps   []gaps             // of the members
	missed *tensors.Tensor    // by all rows, [gapNumbers, members, features]
	calls  map[bucketSize]*tableCall
	time   []int32 // [members]: steps done
	last   []int32 // [members, features]: the last step that took a row; 0 for none
	bags   []int   // [members]: of the step that takes rows, by index in the task, -1 for none
}

// tableCall is what a table gives to a step in a bucket. The rows of the bags stand in the order of their columns.
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

// take takes the rows that the bag of each member uses, by index in the task, -1 for none.
func (t *table) take(size bucketSize, bags []int) (*tableCall, error) {
	c := t.calls[size]
	t.bags = bags
	err := t.miss(c.missed, t.rows)
	return c, errors.Join(err, t.move(t.arrays, c.rows, func(m, column int, row int32) (from, to int) {
		return m*t.layout.features + int(row), m*size.columns + column
	}))
}

// rows returns the rows that the bag of a member uses.
func (t *table) rows(m int) []int32 {
	if t.bags[m] < 0 {
		return nil
	}
	return t.layout.columns[t.bags[m]]
}

// put puts the rows that were taken last back, as the step has left them.
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

// move copies the rows that are taken from arrays to others; between says which row becomes which. XLA shares memory with Go on a
// CPU, and a call returns when it has written and read.
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

// miss sets what the rows of each member have missed. Those after them, which are no bag's, become 0.
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

// gap is what a row is to make up for after step t that was last taken by step d: the updates i = d, ..., t, of which those after d
// come without a gradient. With s = 1 − lr·wd they add up to
//
//	θ ← sᵗ⁻ᵈ⁺¹ θ − m Σᵢ aᵢ / (√v + εᵢ),   m ← β₁ᵗ⁻ᵈ m,   v ← β₂ᵗ⁻ᵈ v
//	aᵢ = sᵗ⁻ⁱ lr β₁ⁱ⁻ᵈ / (1−β₁ⁱ) · cᵢ,   εᵢ = 10⁻⁸ cᵢ,   cᵢ = √(1−β₂ⁱ) / β₂⁽ⁱ⁻ᵈ⁾ᐟ²
//
// The sum is taken as Σaᵢ / (√v + ε) with ε the mean of the εᵢ weighted by aᵢ, of which it is off by the square of what they
// differ by, relative to √v + ε: by less than float32 tells unless √v is below 10⁻⁵ in the first steps, or 10⁻⁶ later. At the worst,
// where √v is some 10⁻⁹ and a row was taken by one of the first steps alone, it is off by a fifth of lr, once.
type gap struct {
	shrink        float64 // sᵗ⁻ᵈ⁺¹
	rate, epsilon float64 // Σaᵢ and ε
	first, second float64 // β₁ᵗ⁻ᵈ and β₂ᵗ⁻ᵈ
}

const gapNumbers = 5

// Rows are taken from as many features on as make most bags use few of them, and up to the lr·wd with which gaps has sums.
const (
	fewestTaken = 4 * fewestColumns
	mostDecay   = 0.01
)

// gaps has what the gaps of a fit are made of: Σaᵢ sᵈ⁻ᵗ and Σaᵢεᵢ sᵈ⁻ᵗ of all i from d on, of which those of a gap are differences.
type gaps struct {
	shrink             float64   // s
	rate, epsilon      []float64 // by d; the last ones hold for every d after
	rateOf, epsilonFor float64   // what a term is of the one before, but for what of cᵢ and 1−β₁ⁱ depends on i alone
}

// settled is the step from which on 1−β₁ⁱ and 1−β₂ⁱ are 1.
const settled = 50_000

func newGaps(lr, wd float64) gaps {
	s := float64(1 - float32(float32(lr)*float32(wd))) // as the steps round it, unless XLA does so once
	g := gaps{shrink: s, rate: make([]float64, settled+1), epsilon: make([]float64, settled+1),
		rateOf: beta1 / math.Sqrt(beta2) / s, epsilonFor: beta1 / beta2 / s}
	g.rate[settled], g.epsilon[settled] = lr/(1-g.rateOf), lr*adamEpsilon/(1-g.epsilonFor)
	for d := settled - 1; d > 0; d-- {
		a, c := lr/(1-math.Pow(beta1, float64(d))), math.Sqrt(1-math.Pow(beta2, float64(d)))
		g.rate[d], g.epsilon[d] = a*c+g.rateOf*g.rate[d+1], a*c*c*adamEpsilon+g.epsilonFor*g.epsilon[d+1]
	}
	return g
}

// gap returns the gap after step t of a row last taken by step d, 0 for none: such a row has no moments, only decay.
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

// madeUp returns the weights and moments of rows, [members, rows, width], after what they have missed.
func (bp *blockProgram) madeUp(s blockState, missed *Node) (weights, first, second *Node) {
	weights, first, second = s.parameters[bp.table], s.first[bp.table], s.second[bp.table]
	dims := missed.Shape().Dimensions
	of := func(k int) *Node { return Reshape(SliceAxis(missed, 0, AxisElem(k)), dims[1], dims[2], 1) }
	step := Div(Mul(first, of(1)), Add(Sqrt(second), of(2)))
	return Sub(Mul(weights, of(0)), step), Mul(first, of(3)), Mul(second, of(4))
}
