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
	taken  [][]int32
}

// tableCall is what a table gives to a step in a bucket. The rows of the bags stand in the order of their columns.
type tableCall struct {
	rows   [3]*tensors.Tensor // weights and moments, [members, columns, width]
	missed *tensors.Tensor    // blockMissed
}

func newTable(b compute.Backend, l *layout, weights []float32, configs []Config, fits []int) (*table, error) {
	members := len(configs)
	t := &table{layout: l, calls: map[bucketSize]*tableCall{}, time: make([]int32, members), last: make([]int32, members*l.features), taken: make([][]int32, members)}
	for m, c := range configs {
		t.gaps = append(t.gaps, newGaps(c.LR, c.WeightDecay, c.Epochs*fits[m]))
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
	for m, bag := range bags {
		t.taken[m] = nil
		if bag >= 0 {
			t.taken[m] = t.layout.columns[bag]
		}
	}
	err := t.miss(c.missed, func(m int) []int32 { return t.taken[m] })
	return c, errors.Join(err, t.move(t.arrays, c.rows, func(m, column int, row int32) (from, to int) {
		return m*t.layout.features + int(row), m*size.columns + column
	}))
}

// put puts the rows that were taken last back, as the step has left them.
func (t *table) put(size bucketSize, rows [3]*tensors.Tensor) error {
	for m, taken := range t.taken {
		if taken == nil {
			continue
		}
		t.time[m]++
		for _, row := range taken {
			t.last[m*t.layout.features+int(row)] = t.time[m]
		}
	}
	return t.move(rows, t.arrays, func(m, column int, row int32) (from, to int) {
		return m*size.columns + column, m*t.layout.features + int(row)
	})
}

// move copies the rows that are taken from arrays to others; between says which row becomes which.
func (t *table) move(from, to [3]*tensors.Tensor, between func(m, column int, row int32) (from, to int)) error {
	width := t.layout.network.Width
	var errs []error
	for moment := range from {
		errs = append(errs, tensors.MutableFlatData(to[moment], func(to []float32) {
			errs = append(errs, tensors.ConstFlatData(from[moment], func(from []float32) {
				for m, taken := range t.taken {
					for column, row := range taken {
						source, target := between(m, column, row)
						copy(to[target*width:][:width], from[source*width:][:width])
					}
				}
			}))
		}))
	}
	return errors.Join(errs...)
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
			of, last, list := &t.gaps[m], t.last[m*t.layout.features:], rows(m)
			for at := range room {
				g := gap{epsilon: 1}
				if at < len(list) {
					g = of.gap(int(last[list[at]]), int(t.time[m]))
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
// differ by, relative to √v + ε: by less than float32 tells unless √v is below 10⁻⁵ in the first steps, or 10⁻⁶ later.
type gap struct {
	shrink        float64 // sᵗ⁻ᵈ⁺¹
	rate, epsilon float64 // Σaᵢ and ε
	first, second float64 // β₁ᵗ⁻ᵈ and β₂ᵗ⁻ᵈ
}

const gapNumbers = 5

// mostDecay is the largest lr·wd with which rows are taken: gaps divides by powers of 1 − lr·wd.
const mostDecay = 0.01

// gaps has what the gaps of a fit are made of, by number of steps. Its sums run to the end of the training and beyond, so that
// those of a gap are differences of two: of Σaᵢ sᵈ⁻ᵗ and of Σaᵢεᵢ sᵈ⁻ᵗ.
type gaps struct {
	shrink, first, second []float64 // powers of s, β₁ and β₂
	rate, epsilon         []float64 // from step d on
	rates, epsilons       []float64 // powers of what a term of these is of the one before, but for cᵢ
}

func newGaps(lr, wd float64, steps int) gaps {
	s := float64(1 - float32(lr)*float32(wd)) // as the steps round it
	powers := func(of float64) []float64 {
		list := []float64{1}
		for range steps + 1 {
			list = append(list, list[len(list)-1]*of)
		}
		return list
	}
	g := gaps{shrink: powers(s), first: powers(beta1), second: powers(beta2), rate: make([]float64, steps+2), epsilon: make([]float64, steps+2),
		rates: powers(beta1 / math.Sqrt(beta2) / s), epsilons: powers(beta1 / beta2 / s)}
	for d := steps; d > 0; d-- {
		a, c := lr/(1-g.first[d]), math.Sqrt(1-g.second[d])
		g.rate[d], g.epsilon[d] = a*c+g.rates[1]*g.rate[d+1], a*c*c*adamEpsilon+g.epsilons[1]*g.epsilon[d+1]
	}
	return g
}

// gap returns the gap after step t of a row last taken by step d, 0 for none: such a row has no moments, only decay.
func (g *gaps) gap(d, t int) gap {
	if d == 0 {
		return gap{shrink: g.shrink[t], epsilon: adamEpsilon, first: 1, second: 1}
	}
	n := t - d
	rate := g.rate[d] - g.rates[n+1]*g.rate[t+1]
	return gap{shrink: g.shrink[n+1], rate: g.shrink[n] * rate, epsilon: (g.epsilon[d] - g.epsilons[n+1]*g.epsilon[t+1]) / rate,
		first: g.first[n], second: g.second[n]}
}

// madeUp returns the weights and moments of rows, [members, rows, width], after what they have missed.
func (bp *blockProgram) madeUp(s blockState, missed *Node) (weights, first, second *Node) {
	weights, first, second = s.parameters[bp.table], s.first[bp.table], s.second[bp.table]
	dims := missed.Shape().Dimensions
	of := func(k int) *Node { return Reshape(SliceAxis(missed, 0, AxisElem(k)), dims[1], dims[2], 1) }
	step := Div(Mul(first, of(1)), Add(Sqrt(second), of(2)))
	return Sub(Mul(weights, of(0)), step), Mul(first, of(3)), Mul(second, of(4))
}
