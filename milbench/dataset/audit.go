package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"synpool/milbench"
)

// Function is what a column is reduced to over a bag.
type Function string

// The functions that [Audit] looks at.
const (
	Value   Function = "value" // of a column that never varies within a bag; any pairing of its values with labels
	Max     Function = "max"
	Min     Function = "min"
	Mean    Function = "mean"
	NonZero Function = "nonzero" // whether any instance has a value other than 0
)

const functions = 5

// Leak is a column that gives the bag label away.
type Leak struct {
	Column   int      `json:"column"`         // as stored, from 1
	Name     string   `json:"name,omitempty"` // where the file names its columns
	Function Function `json:"function"`       // the one that agrees best
	Agree    int      `json:"agree"`          // bags whose label the function names
	Of       int      `json:"of"`             // all bags
}

// String returns, say, "column 231: its max over the bag gives the label of 199 of 200 bags away".
func (l Leak) String() string {
	column := fmt.Sprintf("column %d", l.Column)
	if l.Name != "" {
		column += fmt.Sprintf(" (%s)", l.Name)
	}
	what := fmt.Sprintf("its %s over the bag", l.Function)
	switch l.Function {
	case Value:
		what = "its value, the same within every bag,"
	case NonZero:
		what = "whether it is other than 0 in the bag"
	}
	return fmt.Sprintf("%s: %s gives the label of %d of %d bags away", column, what, l.Agree, l.Of)
}

// BagSizes describes the number of instances of a bag.
type BagSizes struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Max    int     `json:"max"`
}

// Report is what [Audit] finds.
type Report struct {
	Name      string   `json:"name"`
	Bags      int      `json:"bags"`
	Positive  int      `json:"positive"`
	Instances int      `json:"instances"`
	Features  int      `json:"features"` // columns as stored
	Constant  int      `json:"constant"` // columns that hold one value throughout
	Density   float64  `json:"density"`  // share of values other than 0
	BagSize   BagSizes `json:"bag_size"`

	Leaks      []Leak      `json:"leaks"`
	Duplicates []Duplicate `json:"duplicates"` // columns that leak left aside
	Shared     int         `json:"shared"`     // distinct instances that stand in several bags, columns that leak left aside

	// Blind is set when the bags are too few, or too few of one class, to tell a leak from chance.
	Blind bool `json:"blind"`
}

// OK reports whether no column gives the label away.
func (r Report) OK() bool { return len(r.Leaks) == 0 }

const (
	// leakTolerance is the share of the smaller class that may disagree with a leak, rounded down. In the cell-array
	// files of Andrews et al. and of the Web index pages the label column misses at most 1 % and the best true
	// feature 40 % of the smaller class.
	leakTolerance = 0.05
	// leakChance bounds the probability that a set without any leak is said to have one by chance.
	leakChance = 0.05
)

// Audit looks for columns that give the bag label away. The set should be as stored, before a column was moved
// and before standardising, which hides part of a leak.
//
// Every column is reduced to one number a bag by each [Function] and split by the best threshold, in either
// direction; a column that is constant within every bag also by the best label for each of its values. A column
// leaks if
//
//   - at most d bags disagree, d = 5 % of the smaller class, rounded down, but 1 at least for a function with two
//     values, which is how labels are written: a label column may have exceptions, but a measured quantity is not that
//     good; and
//   - it is no coincidence: of the C(B,P) ways to choose the P positive bags of B, at most T * sum_{i<=d'} C(B,i) come
//     within the d' disagreements seen of one of the T labellings that the splits allow (2(v-1) for thresholds on v
//     distinct numbers, 2^v for values). That share, times columns and functions (Bonferroni), must be under 0.05.
//
// A rare term of a sparse set agrees on most bags when one class is rare, yet not on the rare class.
// The cost is that of one pass over the values plus a sort of the bags for each column with a chance.
func Audit(stored *milbench.Set) Report {
	r := Report{
		Name: stored.Name, Bags: len(stored.Bags), Positive: stored.NumPositive(), Instances: stored.NumInstances(),
		Leaks: []Leak{},
	}
	var sizes []int
	for _, b := range stored.Bags {
		r.Features = max(r.Features, b.Instances.Cols)
		sizes = append(sizes, b.Instances.Rows)
	}
	if n := len(sizes); n > 0 {
		slices.Sort(sizes)
		r.BagSize = BagSizes{sizes[0], float64(sizes[(n-1)/2]+sizes[n/2]) / 2, sizes[n-1]}
	}

	a := newAuditor(stored, r.Features)
	r.Blind = !a.significant(0, math.Log(2))
	nonzero := 0
	for first := 0; first < r.Features; first += a.width {
		for _, c := range a.columns(first, min(a.width, r.Features-first)) {
			nonzero += c.nonzero
			if slices.Max(c.max) == slices.Min(c.min) {
				r.Constant++
			}
			if l, ok := a.leak(c); ok {
				if c.index < len(stored.Features) {
					l.Name = stored.Features[c.index]
				}
				r.Leaks = append(r.Leaks, l)
			}
		}
	}
	if cells := float64(r.Instances) * float64(r.Features); cells > 0 {
		r.Density = float64(nonzero) / cells
	}
	aside := make(map[int]bool, len(r.Leaks))
	for _, l := range r.Leaks {
		aside[l.Column-1] = true
	}
	c := compare(stored, aside)
	r.Duplicates, r.Shared = c.duplicates(stored), c.shared
	return r
}

// auditor weighs the columns of one set.
type auditor struct {
	set        *milbench.Set
	features   int
	positive   int
	tolerance  int
	width      int // columns looked at together
	logChoices float64
	block      []column
	pairs      []pair
}

// column is one column over all bags.
type column struct {
	index               int // from 0
	max, min, mean, any []float64
	nonzero             int
}

type pair struct {
	value float64
	label int
}

func newAuditor(s *milbench.Set, features int) *auditor {
	bags, positive := len(s.Bags), s.NumPositive()
	a := &auditor{set: s, features: features, positive: positive, pairs: make([]pair, bags)}
	a.tolerance = int(leakTolerance * float64(min(positive, bags-positive)))
	a.logChoices = logChoose(bags, positive)
	a.width = max(1, min(features, 512, 1<<20/max(1, bags)))
	a.block = make([]column, a.width)
	for j := range a.block {
		v := make([]float64, 4*bags)
		a.block[j] = column{max: v[:bags:bags], min: v[bags : 2*bags : 2*bags], mean: v[2*bags : 3*bags : 3*bags], any: v[3*bags:]}
	}
	return a
}

// columns reduces n columns from first on. The result is overwritten by the next call.
func (a *auditor) columns(first, n int) []column {
	block := a.block[:n]
	for j := range block {
		block[j].index, block[j].nonzero = first+j, 0
	}
	stored := make([]int, n) // entries of the bag in the column; the rest are zeros
	for i, b := range a.set.Bags {
		clear(stored)
		for j := range block {
			c := &block[j]
			c.max[i], c.min[i], c.mean[i], c.any[i] = math.Inf(-1), math.Inf(1), 0, 0
		}
		add := func(j int, v float64) {
			c := &block[j]
			stored[j]++
			c.max[i], c.min[i] = max(c.max[i], v), min(c.min[i], v)
			c.mean[i] += v
			if v != 0 {
				c.any[i] = 1
				c.nonzero++
			}
		}
		m := b.Instances
		for row := range m.Rows {
			if !m.Sparse() {
				for j, v := range m.Values[row*m.Cols+min(first, m.Cols) : row*m.Cols+min(first+n, m.Cols)] {
					add(j, v)
				}
				continue
			}
			at, end := m.RowStart[row], m.RowStart[row+1]
			skip, _ := slices.BinarySearch(m.Column[at:end], int32(first))
			for k := at + skip; k < end && int(m.Column[k]) < first+n; k++ {
				add(int(m.Column[k])-first, m.Values[k])
			}
		}
		for j := range block {
			c := &block[j]
			if stored[j] < m.Rows || m.Rows == 0 {
				c.max[i], c.min[i] = max(c.max[i], 0), min(c.min[i], 0)
			}
			c.mean[i] /= float64(max(1, m.Rows))
		}
	}
	return block
}

// leak returns the function of c that disagrees with the fewest bags, if that is too good to be true.
func (a *auditor) leak(c column) (Leak, bool) {
	best := Leak{Column: c.index + 1, Agree: -1, Of: len(a.set.Bags)}
	try := func(f Function, values []float64) {
		if a.hopeless(values) {
			return
		}
		threshold, value, distinct := a.disagreements(values)
		tolerance := a.tolerance
		if distinct == 2 {
			tolerance = max(tolerance, 1)
		}
		accept := func(wrong int, logLabellings float64) {
			if wrong <= tolerance && best.Of-wrong > best.Agree && a.significant(wrong, logLabellings) {
				best.Function, best.Agree = f, best.Of-wrong
			}
		}
		accept(threshold, math.Log(2*float64(max(1, distinct-1))))
		if f == Value {
			accept(value, float64(distinct)*math.Ln2)
		}
	}
	if slices.Equal(c.max, c.min) {
		try(Value, c.max)
	} else {
		try(Max, c.max)
		try(Min, c.min)
		try(Mean, c.mean)
		try(NonZero, c.any)
	}
	return best, best.Agree >= 0
}

// hopeless reports whether more bags of either class than may disagree share the value 0, which spares sparse columns
// the sort.
func (a *auditor) hopeless(values []float64) bool {
	var zeros [2]int
	for i, v := range values {
		if v == 0 {
			zeros[a.set.Bags[i].Label&1]++
		}
	}
	return min(zeros[0], zeros[1]) > max(a.tolerance, 1)
}

// disagreements returns the number of bags that the best threshold gets wrong and the number that the best label for
// each value does, and how many distinct values there are.
func (a *auditor) disagreements(values []float64) (threshold, value, distinct int) {
	for i, v := range values {
		a.pairs[i] = pair{v, a.set.Bags[i].Label}
	}
	slices.SortFunc(a.pairs, func(p, q pair) int { return cmp.Compare(p.value, q.value) })
	n := len(a.pairs)
	threshold = min(a.positive, n-a.positive)
	below := 0 // positive bags up to here
	for i := 0; i < n; {
		from, before := i, below
		for ; i < n && cmp.Compare(a.pairs[i].value, a.pairs[from].value) == 0; i++ {
			below += a.pairs[i].label
		}
		distinct++
		value += min(below-before, i-from-(below-before))
		wrong := below + (n - i) - (a.positive - below) // if the bags above are called positive
		threshold = min(threshold, wrong, n-wrong)
	}
	return threshold, value, distinct
}

// significant reports whether so few disagreements with one of so many labellings are more than chance in a set of
// these columns.
func (a *auditor) significant(wrong int, logLabellings float64) bool {
	bags := len(a.set.Bags)
	within := math.Inf(-1) // log of sum_{i<=wrong} C(bags,i)
	for i := range wrong + 1 {
		within = logAdd(within, logChoose(bags, i))
	}
	tests := math.Log(float64(max(1, a.features) * functions))
	return logLabellings+within+tests-a.logChoices < math.Log(leakChance)
}

// logChoose returns log C(n,k).
func logChoose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// logAdd returns log(exp a + exp b).
func logAdd(a, b float64) float64 {
	a, b = max(a, b), min(a, b)
	return a + math.Log1p(math.Exp(b-a))
}
