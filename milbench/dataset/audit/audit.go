package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"synpool/milbench"
)

// Function is what a column is reduced to over a bag.
type Function string

// The functions that [Inspect] looks at.
const (
	Value   Function = "value" // of a column that never varies within a bag; any pairing of its values with labels
	Max     Function = "max"
	Min     Function = "min"
	Mean    Function = "mean"
	NonZero Function = "nonzero" // whether any instance has a value other than 0
)

const functions = 5

// Leak is a column that tells the bag label. In [Report.Strong] it is one that separates bags as well as that.
type Leak struct {
	Column   int      `json:"column"`         // as stored, from 1
	Name     string   `json:"name,omitempty"` // where the file names its columns
	Function Function `json:"function"`       // the one that agrees best
	Agree    int      `json:"agree"`          // bags whose label the function names
	Of       int      `json:"of"`             // all bags
}

// String returns, say, "column 231: its max over the bag tells the label of 199 of 200 bags".
func (l Leak) String() string {
	return fmt.Sprintf("%s tells the label of %d of %d bags", l.what(), l.Agree, l.Of)
}

// Strength says the same of a column that is strong: "column 5: its mean over the bag agrees with the label of 39 of 40 bags".
func (l Leak) Strength() string {
	return fmt.Sprintf("%s agrees with the label of %d of %d bags", l.what(), l.Agree, l.Of)
}

// what names the column and the function.
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

// BagSizes describes the number of instances of a bag.
type BagSizes struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Max    int     `json:"max"`
}

// Report is what [Inspect] finds.
type Report struct {
	Name      string              `json:"name"`
	Bags      int                 `json:"bags"`
	Kind      milbench.TargetKind `json:"target"`
	Positive  int                 `json:"positive"`          // of a binary target
	Classes   []Class             `json:"classes,omitempty"` // of a target with named classes
	Instances int                 `json:"instances"`
	Features  int                 `json:"features"` // columns as stored
	Constant  int                 `json:"constant"` // columns that hold one value throughout
	Density   float64             `json:"density"`  // share of values other than 0
	BagSize   BagSizes            `json:"bag_size"`

	Leaks      []Leak      `json:"leaks"`
	Strong     []Leak      `json:"strong,omitempty"` // columns that separate bags as well as a leak, in a way that a measured quantity may
	Duplicates []Duplicate `json:"duplicates"`       // columns that leak left aside
	Shared     int         `json:"shared"`           // distinct instances that stand in several bags, columns that leak left aside; of very many about

	// Blind is set when the bags are too few, or too few of one class, to tell a leak from chance, and for targets that are
	// no classes, of which leaks are not looked for.
	Blind bool `json:"blind"`
}

// Class is a class and its bags.
type Class struct {
	Name string `json:"name"` // as the file writes it
	Bags int    `json:"bags"`
}

// OK reports whether no column tells the label.
func (r Report) OK() bool { return len(r.Leaks) == 0 }

const (
	// leakTolerance is the share of the smaller class that may disagree with a leak, rounded down. In the cell-array
	// files of Andrews et al. and of the Web index pages the label column misses at most 1 % and the best true
	// feature 40 % of the smaller class.
	leakTolerance = 0.05
	// leakChance bounds the probability that a set without any leak is said to have one by chance.
	leakChance = 0.05
	// answerGap is how many times the values of a function that stand close to each other on either side of the best threshold are
	// apart. A label times a constant with noise a hundredth of it has 10 and more; the mean of a feature that moves by 8 standard
	// deviations of bags less than 1.
	answerGap = 3
)

// Inspect describes a set and looks for columns that tell the bag label. The set should be as stored, before a column was moved
// and before standardising, which hides part of a leak.
//
// Every column is reduced to one number a bag by each [Function] and split by the best threshold, in either
// direction; a column that is constant within every bag also by the best label for each of its values. A column
// leaks if
//
//   - it has the form of an answer. It is constant within every bag, as an id, a count or a label is; or the function has two values, as the
//     maximum of instance labels; or its values are two narrow groups, whose distance is at least 3 times their widths. A measured quantity
//     that separates bags as well without that is a strong one ([Report.Strong]): features of a network trained on many
//     images may do so; and
//   - at most d bags disagree, d = 5 % of the smaller class, rounded down, but 1 at least for a function with two
//     values, which is how labels are written: a label column may have exceptions, but a measured quantity is not that
//     good; and
//   - it is no coincidence: of the C(B,P) ways to choose the P positive bags of B, at most T * sum_{i<=d'} C(B,i) come
//     within the d' disagreements seen of one of the T labellings that the splits allow (2(v-1) for thresholds on v
//     distinct numbers, 2^v for values). That share, times columns and functions (Bonferroni), must be under 0.05.
//
// A rare term of a sparse set agrees on most bags when one class is rare, yet not on the rare class.
// Of three classes and more each is told from the others, with as many tests more. Other targets are described alone.
// The cost is that of two passes over the values, more where bags times columns are beyond two million, plus a sort of the bags
// for each column with a chance; of a set in files there is never more than a piece in memory.
func Inspect(stored *milbench.Set) (Report, error) {
	r := Report{
		Name: stored.Name, Bags: len(stored.Bags), Kind: stored.Kind, Instances: stored.NumInstances(),
		Features: stored.NumFeatures(), Leaks: []Leak{},
	}
	if stored.Kind == milbench.BinaryTarget {
		r.Positive = stored.NumPositive()
	}
	for class, name := range stored.Classes {
		r.Classes = append(r.Classes, Class{name, stored.NumLabelled(class)})
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
	r.Duplicates, r.Shared = c.duplicates(stored), c.shared
	return r, nil
}

// column is one column over all bags.
type column struct {
	index               int // from 0
	max, min, mean, any []float64
	nonzero             int
}

// mostCells bounds the numbers of columns and bags that are held at a time, 64 MB.
const mostCells = 1 << 21

// eachColumn calls f with every column, which is valid during the call only. Wide sets of many bags are read several times.
func eachColumn(s *milbench.Set, f func(column)) error {
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
	sums := newSums(width)
	for first := 0; first < features; first += width {
		block := block[:min(width, features-first)]
		for j := range block {
			block[j].index, block[j].nonzero = first+j, 0
		}
		for i, b := range s.Bags {
			if err := sums.of(b.Instances, first, len(block)); err != nil {
				return err
			}
			for j := range block {
				c := &block[j]
				c.max[i], c.min[i], c.mean[i], c.any[i] = float64(sums.max[j]), float64(sums.min[j]), sums.sum[j]/float64(max(1, b.Instances.Len())), 0
				if sums.nonzero[j] > 0 {
					c.any[i] = 1
				}
				c.nonzero += sums.nonzero[j]
			}
		}
		for _, c := range block {
			f(c)
		}
	}
	return nil
}

// sums reduces some columns of one bag.
type sums struct {
	max, min []float32
	sum      []float64
	nonzero  []int
}

func newSums(width int) sums {
	return sums{make([]float32, width), make([]float32, width), make([]float64, width), make([]int, width)}
}

// of reduces n columns from first on.
func (s sums) of(x milbench.Instances, first, n int) error {
	high, low, sum, nonzero := s.max[:n], s.min[:n], s.sum[:n], s.nonzero[:n]
	for j := range n {
		high[j], low[j], sum[j], nonzero[j] = float32(math.Inf(-1)), float32(math.Inf(1)), 0, 0
	}
	if sparse, ok := x.(*milbench.Sparse); ok {
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
	} else if err := milbench.EachRow(x, func(_ int, row []float32) {
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

// auditor weighs the columns of one set by one class of its bags.
type auditor struct {
	labels     []int // of the bags, 1 for those of the class
	positive   int
	tolerance  int
	logTests   float64 // of columns, functions and classes
	logChoices float64
	several    bool // most bags have several instances, so that it says something if a column is constant within each
	pairs      []pair
}

type pair struct {
	value float64
	label int
}

// newAuditors returns an auditor of the positive class, or of each of several; none for targets that are no classes.
func newAuditors(s *milbench.Set) (all []*auditor) {
	classes := s.NumClasses()
	first := 0
	if s.Kind == milbench.BinaryTarget {
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

// leak returns the function of c that disagrees with the fewest bags, if that is too good to be true, and whether it has the form of an
// answer; of functions with and without it one with. Agree is -1 where there is none.
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

// hopeless reports whether more bags of either class than may disagree share the value 0, which spares sparse columns
// the sort.
func (a *auditor) hopeless(values []float64) bool {
	var zeros [2]int
	for i, v := range values {
		if v == 0 {
			zeros[a.labels[i]]++
		}
	}
	return min(zeros[0], zeros[1]) > max(a.tolerance, 1)
}

// disagreement is how well the values of a function tell the labels.
type disagreement struct {
	threshold int  // bags that the best threshold gets wrong
	value     int  // bags that the best label for each value gets wrong
	distinct  int  // values
	apart     bool // the values are two narrow groups
	between   int  // bags that a threshold between these gets wrong
}

func (a *auditor) disagreements(values []float64) (d disagreement) {
	for i, v := range values {
		a.pairs[i] = pair{v, a.labels[i]}
	}
	slices.SortFunc(a.pairs, func(p, q pair) int { return cmp.Compare(p.value, q.value) })
	n := len(a.pairs)
	d.threshold = min(a.positive, n-a.positive)
	below := 0 // positive bags up to here
	for i := 0; i < n; {
		from, before := i, below
		for ; i < n && cmp.Compare(a.pairs[i].value, a.pairs[from].value) == 0; i++ {
			below += a.pairs[i].label
		}
		d.distinct++
		d.value += min(below-before, i-from-(below-before))
		wrong := below + (n - i) - (a.positive - below) // if the bags above are called positive
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

// significant reports whether so few disagreements with one of so many labellings are more than chance in a set of
// these columns.
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
