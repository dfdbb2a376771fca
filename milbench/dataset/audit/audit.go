package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"synpool/milbench/mil"
)

// Function reduces a column to one number per bag.
type Function string

// The functions that [Inspect] applies.
const (
	Value   Function = "value" // for a column that is constant within every bag; any mapping from its values to labels
	Max     Function = "max"
	Min     Function = "min"
	Mean    Function = "mean"
	NonZero Function = "nonzero" // whether any instance has a non-zero value
)

const functions = 5

// Leak is a column that reveals the bag label. In [Report.Strong] it is a column that separates the bags equally
// well.
type Leak struct {
	Column   int      `json:"column"`         // index as stored, from 1
	Name     string   `json:"name,omitempty"` // if the file names its columns
	Function Function `json:"function"`       // the function that agrees best
	Agree    int      `json:"agree"`          // number of bags whose label the function predicts
	Of       int      `json:"of"`             // number of all bags
}

// String describes the leak, for example "column 231: its max over the bag tells the label of 199 of 200 bags".
func (l Leak) String() string {
	return fmt.Sprintf("%s tells the label of %d of %d bags", l.what(), l.Agree, l.Of)
}

// Strength describes a strong column: "column 5: its mean over the bag agrees with the label of 39 of 40 bags".
func (l Leak) Strength() string {
	return fmt.Sprintf("%s agrees with the label of %d of %d bags", l.what(), l.Agree, l.Of)
}

// what describes the column and the function.
func (l Leak) what() string {
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
	return column + ": " + what
}

// BagSizes summarises the number of instances per bag.
type BagSizes struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Max    int     `json:"max"`
}

// Report is the result of [Inspect].
type Report struct {
	Name      string            `json:"name"`
	Bags      int               `json:"bags"`
	Kind      mil.TargetKind    `json:"target"`
	Positive  int               `json:"positive"`          // for a binary target
	Classes   []mil.ClassNumber `json:"classes,omitempty"` // for a target with named classes
	Instances int               `json:"instances"`
	Features  int               `json:"features"`          // columns as stored
	Columns   []string          `json:"columns,omitempty"` // their names, if the file has some
	Constant  int               `json:"constant"`          // columns with one value throughout
	Density   float64           `json:"density"`           // share of non-zero values
	BagSize   BagSizes          `json:"bag_size"`
	Known     int               `json:"instance_label_column,omitempty"` // of a named set: the column with the instance labels, which is never a feature

	Leaks      []Leak      `json:"leaks"`
	Strong     []Leak      `json:"strong,omitempty"` // columns that separate the bags as well as a leak, but may be measured quantities
	Duplicates []Duplicate `json:"duplicates"`       // compared without leaking columns
	Shared     int         `json:"shared"`           // distinct instances in several bags, compared without leaking columns; an estimate if there are very many

	// Blind is true if leaks cannot be told from chance because there are too few bags or too few of one class. It is
	// also true for targets without classes: Inspect does not look for leaks there.
	Blind bool `json:"blind"`

	compared comparison // without the columns that leak
}

// OK reports whether no column leaks the label.
func (r Report) OK() bool { return len(r.Leaks) == 0 }

const (
	// leakTolerance is the share of the smaller class, rounded down, that may disagree with a leak. In the cell-array
	// files of Andrews et al. and of the Web index pages, the label column misses at most 1 % of the smaller class
	// and the best true feature misses 40 %.
	leakTolerance = 0.05
	// leakChance limits the probability that a set without leaks is reported as leaking.
	leakChance = 0.05
	// answerGap is how far apart two clusters of values must be, relative to their widths. A label times a constant
	// with 1 % noise reaches 10 or more. The mean of a feature that shifts by 8 standard deviations of the bags
	// reaches less than 1.
	answerGap = 3
)

// Inspect describes a set and searches for columns that leak the bag label. Pass the set as stored: before a column
// was moved and before standardising, which hides part of a leak.
//
// Each [Function] reduces each column to one number per bag, which is split at the best threshold in either
// direction. A column that is constant within every bag is also tried with the best label for each of its values. A
// column is a leak if all of these hold:
//
//   - It looks like an answer. Either it is constant within every bag, as an id, a count or a label is; or the
//     function has two values, as the maximum of instance labels has; or its values form two narrow clusters, with a
//     gap of at least 3 times their widths. A measured quantity that separates the bags without looking like an
//     answer is only strong ([Report.Strong]): a feature from a network trained on many images may do so.
//   - At most d bags disagree. Here d is 5 % of the smaller class, rounded down. It is at least 1 for a function with
//     two values, because a label column may have exceptions.
//   - It is no coincidence. There are C(B,P) ways to choose the P positive bags among B. The splits allow T
//     labellings: 2(v-1) for thresholds on v distinct numbers, 2^v for values. At most T * sum_{i<=d'} C(B,i) of the
//     choices come within the d' observed disagreements of one of these labellings. That share, times columns and
//     functions (Bonferroni), must be below 0.05.
//
// If one class is rare, a rare term of a sparse set agrees on most bags, but not on the rare class, so it is no leak.
// With three or more classes, each is tested against the rest, which adds tests. Targets without classes are only
// described.
//
// Inspect reads the values twice on all cores, or more often if bags times columns exceed two million, and sorts the bags
// for each column that may leak. It never holds more than a piece of a set in files.
func Inspect(stored *mil.Set) (Report, error) {
	r := Report{
		Name: stored.Name, Bags: len(stored.Bags), Kind: stored.Kind, Instances: stored.NumInstances(),
		Features: stored.NumFeatures(), Columns: stored.Features, Leaks: []Leak{},
	}
	if stored.Kind == mil.BinaryTarget {
		r.Positive = stored.NumPositive()
	}
	for class, name := range stored.Classes {
		r.Classes = append(r.Classes, mil.ClassNumber{Name: name, Bags: stored.NumLabelled(class)})
	}
	var sizes []int
	for _, b := range stored.Bags {
		if n := b.Instances.Features(); n != r.Features {
			return Report{}, fmt.Errorf("%s: bag %s has %d features, bag %s has %d", stored.Name, b.ID, n, stored.Bags[0].ID, r.Features)
		}
		sizes = append(sizes, b.Instances.Len())
	}
	if n := len(sizes); n > 0 {
		slices.Sort(sizes)
		r.BagSize = BagSizes{sizes[0], float64(sizes[(n-1)/2]+sizes[n/2]) / 2, sizes[n-1]}
	}
	auditors := newAuditors(stored)
	r.Blind = !slices.ContainsFunc(auditors, func(a *auditor) bool { return a.significant(0, math.Log(2)) })
	nonzero := 0
	err := eachColumn(stored, func(c column) {
		nonzero += c.nonzero
		if slices.Max(c.max) == slices.Min(c.min) {
			r.Constant++
		}
		best, answer := Leak{Agree: -1}, false
		for _, a := range auditors {
			if l, is := a.leak(c); l.Agree >= 0 && (is && !answer || is == answer && l.Agree > best.Agree) {
				best, answer = l, is
			}
		}
		if best.Agree < 0 {
			return
		}
		if c.index < len(stored.Features) {
			best.Name = stored.Features[c.index]
		}
		if answer {
			r.Leaks = append(r.Leaks, best)
		} else {
			r.Strong = append(r.Strong, best)
		}
	})
	if err != nil {
		return Report{}, fmt.Errorf("%s: %w", stored.Name, err)
	}
	if cells := float64(r.Instances) * float64(r.Features); cells > 0 {
		r.Density = float64(nonzero) / cells
	}
	aside := make(map[int]bool, len(r.Leaks))
	for _, l := range r.Leaks {
		aside[l.Column-1] = true
	}
	c, err := compare(stored, aside)
	if err != nil {
		return Report{}, fmt.Errorf("%s: %w", stored.Name, err)
	}
	r.Duplicates, r.Shared, r.compared = c.duplicates(stored), c.shared, c
	return r, nil
}

// column is one column for all bags.
type column struct {
	index               int // from 0
	max, min, mean, any []float64
	nonzero             int
}

// mostCells limits the numbers held at once (columns times bags): 64 MB.
const mostCells = 1 << 21

// eachColumn calls f with every column. The column is valid only during the call. Wide sets with many bags are read
// several times.
func eachColumn(s *mil.Set, f func(column)) error {
	bags, features := len(s.Bags), s.NumFeatures()
	if bags == 0 || features == 0 {
		return nil
	}
	width := max(1, min(features, mostCells/bags))
	block := make([]column, width)
	for j := range block {
		v := make([]float64, 4*bags)
		block[j] = column{max: v[:bags:bags], min: v[bags : 2*bags : 2*bags], mean: v[2*bags : 3*bags : 3*bags], any: v[3*bags:]}
	}
	for first := 0; first < features; first += width {
		block := block[:min(width, features-first)]
		for j := range block {
			block[j].index, block[j].nonzero = first+j, 0
		}
		err := eachBag(s.Bags, func(x mil.Instances) (sums, error) {
			sums := newSums(len(block))
			return sums, sums.of(x, first)
		}, func(i int, sums sums) {
			for j := range block {
				c := &block[j]
				c.max[i], c.min[i], c.mean[i], c.any[i] = float64(sums.max[j]), float64(sums.min[j]), sums.sum[j]/float64(max(1, s.Bags[i].Instances.Len())), 0
				if sums.nonzero[j] > 0 {
					c.any[i] = 1
				}
				c.nonzero += sums.nonzero[j]
			}
		})
		if err != nil {
			return err
		}
		for _, c := range block {
			f(c)
		}
	}
	return nil
}

// sums reduces several columns of one bag.
type sums struct {
	max, min []float32
	sum      []float64
	nonzero  []int
}

func newSums(width int) sums {
	return sums{make([]float32, width), make([]float32, width), make([]float64, width), make([]int, width)}
}

// of reduces the columns from first on.
func (s sums) of(x mil.Instances, first int) error {
	high, low, sum, nonzero, n := s.max, s.min, s.sum, s.nonzero, len(s.max)
	for j := range n {
		high[j], low[j], sum[j], nonzero[j] = float32(math.Inf(-1)), float32(math.Inf(1)), 0, 0
	}
	if sparse, ok := x.(*mil.Sparse); ok {
		stored := make([]int, n)
		for i := range sparse.Rows {
			columns, values := sparse.Row(i)
			at, _ := slices.BinarySearch(columns, int32(first))
			for ; at < len(columns) && int(columns[at]) < first+n; at++ {
				j, v := int(columns[at])-first, values[at]
				stored[j]++
				high[j], low[j] = max(high[j], v), min(low[j], v)
				sum[j] += float64(v)
				if v != 0 {
					nonzero[j]++
				}
			}
		}
		for j := range n {
			if stored[j] < sparse.Rows {
				high[j], low[j] = max(high[j], 0), min(low[j], 0)
			}
		}
	} else if err := mil.EachRow(x, func(_ int, row []float32) {
		for j, v := range row[first : first+n] {
			if v > high[j] {
				high[j] = v
			}
			if v < low[j] {
				low[j] = v
			}
			sum[j] += float64(v)
			if v != 0 {
				nonzero[j]++
			}
		}
	}); err != nil {
		return err
	}
	if x.Len() == 0 {
		clear(high)
		clear(low)
	}
	return nil
}

// auditor tests the columns of a set against one class of its bags.
type auditor struct {
	labels     []int // one per bag, 1 for the class
	positive   int
	tolerance  int
	logTests   float64 // log of columns times functions times classes
	logChoices float64
	several    bool // most bags have several instances, so being constant within each bag means something
	pairs      []pair
}

type pair struct {
	value float64
	label int
}

// newAuditors returns an auditor for the positive class, or one per class if there are several. For targets without
// classes it returns none.
func newAuditors(s *mil.Set) (all []*auditor) {
	classes := s.NumClasses()
	first := 0
	if s.Kind == mil.BinaryTarget {
		classes, first = 1, 1
	}
	bags, several := len(s.Bags), 0
	for _, b := range s.Bags {
		if b.Instances.Len() > 1 {
			several++
		}
	}
	for class := range classes {
		positive := s.NumLabelled(first + class)
		a := &auditor{labels: make([]int, bags), positive: positive, pairs: make([]pair, bags)}
		for i, b := range s.Bags {
			if b.Label == first+class {
				a.labels[i] = 1
			}
		}
		a.tolerance = int(leakTolerance * float64(min(positive, bags-positive)))
		a.logTests = math.Log(float64(max(1, s.NumFeatures()) * functions * classes))
		a.logChoices = logChoose(bags, positive)
		a.several = 2*several >= bags
		all = append(all, a)
	}
	return all
}

// leak returns the function of c that disagrees with the fewest bags, if that cannot be chance, and whether it looks
// like an answer. It prefers functions that do. Agree is -1 if there is none.
func (a *auditor) leak(c column) (best Leak, answer bool) {
	best = Leak{Column: c.index + 1, Agree: -1, Of: len(a.labels)}
	try := func(f Function, values []float64) {
		if a.hopeless(values) {
			return
		}
		d := a.disagreements(values)
		tolerance := a.tolerance
		if d.distinct == 2 {
			tolerance = max(tolerance, 1)
		}
		accept := func(wrong int, logLabellings float64, is bool) {
			if wrong <= tolerance && (is && !answer || is == answer && best.Of-wrong > best.Agree) && a.significant(wrong, logLabellings) {
				best.Function, best.Agree, answer = f, best.Of-wrong, is
			}
		}
		constant := f == Value && (a.several || 4*d.distinct <= len(a.labels))
		thresholds := math.Log(2 * float64(max(1, d.distinct-1)))
		accept(d.threshold, thresholds, constant || d.distinct == 2)
		if d.apart {
			accept(d.between, thresholds, true)
		}
		if f == Value {
			accept(d.value, float64(d.distinct)*math.Ln2, constant)
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
	return best, answer
}

// hopeless reports whether too many bags of both classes share the value 0 for a leak. This saves sorting sparse
// columns.
func (a *auditor) hopeless(values []float64) bool {
	var zeros [2]int
	for i, v := range values {
		if v == 0 {
			zeros[a.labels[i]]++
		}
	}
	return min(zeros[0], zeros[1]) > max(a.tolerance, 1)
}

// disagreement counts the bags that a function gets wrong.
type disagreement struct {
	threshold int  // with the best threshold
	value     int  // with the best label for each value
	distinct  int  // number of distinct values
	apart     bool // the values form two narrow clusters
	between   int  // with a threshold between the clusters
}

func (a *auditor) disagreements(values []float64) (d disagreement) {
	for i, v := range values {
		a.pairs[i] = pair{v, a.labels[i]}
	}
	slices.SortFunc(a.pairs, func(p, q pair) int { return cmp.Compare(p.value, q.value) })
	n := len(a.pairs)
	d.threshold = min(a.positive, n-a.positive)
	below := 0 // positive bags so far
	for i := 0; i < n; {
		from, before := i, below
		for ; i < n && cmp.Compare(a.pairs[i].value, a.pairs[from].value) == 0; i++ {
			below += a.pairs[i].label
		}
		d.distinct++
		d.value += min(below-before, i-from-(below-before))
		wrong := below + (n - i) - (a.positive - below) // if the bags above are predicted positive
		wrong = min(wrong, n-wrong)
		d.threshold = min(d.threshold, wrong)
		if i < n {
			widths := max(a.pairs[i-1].value-a.pairs[0].value, a.pairs[n-1].value-a.pairs[i].value)
			if gap := a.pairs[i].value - a.pairs[i-1].value; gap >= answerGap*widths {
				d.apart, d.between = true, wrong
			}
		}
	}
	return d
}

// significant reports whether so few disagreements with the best of so many labellings are more than chance, given
// the number of columns.
func (a *auditor) significant(wrong int, logLabellings float64) bool {
	bags := len(a.labels)
	within := math.Inf(-1) // log of sum_{i<=wrong} C(bags,i)
	for i := range wrong + 1 {
		within = logAdd(within, logChoose(bags, i))
	}
	return logLabellings+within+a.logTests-a.logChoices < math.Log(leakChance)
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
