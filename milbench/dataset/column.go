package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"synpool/milbench/mil"
)

// Column identifies a stored column of a set: n >= 1 is the n-th.
type Column int

// Special columns.
const (
	NoColumn   Column = 0
	LastColumn Column = -1
)

// ParseColumn parses a column: "last", a number from 1, or "" for none.
func ParseColumn(s string) (Column, error) {
	switch s {
	case "":
		return NoColumn, nil
	case "last":
		return LastColumn, nil
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return NoColumn, fmt.Errorf("column %q: give last or the number of a column, from 1", s)
	}
	return Column(n), nil
}

// String returns text that [ParseColumn] accepts.
func (c Column) String() string {
	switch c {
	case NoColumn:
		return ""
	case LastColumn:
		return "last"
	}
	return strconv.Itoa(int(c))
}

// sequence sums numbers to tell whether they count something.
type sequence struct {
	n            int
	first, last  float64
	least, most  float64 // relative to the first, as are the sums
	sum, squares float64
	falls, rises bool // somewhere, or stay
	fractions    bool
}

func (c *sequence) add(v float64) {
	if c.n++; c.n == 1 {
		c.first = v
	} else {
		c.falls, c.rises = c.falls || v <= c.last, c.rises || v >= c.last
	}
	c.last, c.fractions = v, c.fractions || v != math.Trunc(v)
	v -= c.first
	c.least, c.most, c.sum, c.squares = min(c.least, v), max(c.most, v), c.sum+v, c.squares+v*v
}

// counts reports whether the numbers, in any order, are a sequence of constant step, or else integers that always rise
// or always fall. The mean of n numbers with step s is the middle of their range, and their variance s²(n²-1)/12.
func (c *sequence) counts() bool {
	const fewest = 10 // by chance, so many numbers do not count
	if c.n < fewest || !(c.most > c.least) {
		return false
	}
	n, span := float64(c.n), c.most-c.least
	mean, step := c.sum/n, span/(n-1)
	variance, want := c.squares/n-mean*mean, step*step*(n*n-1)/12
	return math.Abs(mean-(c.least+c.most)/2) <= 1e-7*span && math.Abs(variance-want) <= 1e-6*want || !c.fractions && c.falls != c.rises
}

// findCounts marks the columns that only count the rows or the bags.
func findCounts(list []reads, bags []mil.Bag) error {
	rows, whole := make([]sequence, len(list)), make([]sequence, len(list))
	for _, b := range bags {
		err := mil.EachRow(b.Instances, func(i int, row []float32) {
			for k, v := range row {
				rows[k].add(float64(v))
				if i == 0 {
					whole[k].add(float64(v))
				} else if float64(v) != whole[k].last {
					whole[k].n = math.MinInt // it varies within a bag
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for k := range list {
		list[k].counts = list[k].words == nil && (rows[k].counts() || whole[k].counts())
	}
	return nil
}

// MoveInstanceLabels returns a copy of s with the stored column c in InstanceLabels instead of the features. NoColumn
// moves nothing. The copy shares unchanged instances with s. It returns an error if c is not a column of s or is the
// only one, or if s already has instance labels.
func MoveInstanceLabels(s *mil.Set, c Column) (*mil.Set, error) {
	moved := *s
	moved.Features = slices.Clone(s.Features)
	moved.Bags = slices.Clone(s.Bags)
	moved.InstanceLabels = nil
	if s.InstanceLabels != nil {
		if c != NoColumn {
			return nil, fmt.Errorf("%s: the set has instance labels already; column %v cannot be moved there too", s.Name, c)
		}
		moved.InstanceLabels = make([][]float64, len(s.InstanceLabels))
		for i, labels := range s.InstanceLabels {
			moved.InstanceLabels[i] = slices.Clone(labels)
		}
	}
	if c == NoColumn {
		return &moved, nil
	}

	width := s.NumFeatures()
	j := int(c) - 1
	if c == LastColumn {
		j = width - 1 - len(s.Missing) // the indicators of missing values come after all columns
	}
	if j < 0 || j >= width {
		return nil, fmt.Errorf("%s: no column %v; the set stores columns 1 to %d", s.Name, c, width)
	}
	if width == 1 {
		return nil, fmt.Errorf("%s: column %v is the only one; no feature would be left", s.Name, c)
	}
	moved.Words = nil
	for _, k := range s.Words {
		switch {
		case k == j:
			return nil, fmt.Errorf("%s: column %v, %s, is a word of a categorical column, and cannot be that of instance labels", s.Name, c, s.Features[k])
		case k > j:
			k--
		}
		moved.Words = append(moved.Words, k)
	}
	moved.Missing = slices.Clone(s.Missing)
	for k := range moved.Missing {
		for _, at := range []*int{&moved.Missing[k].Feature, &moved.Missing[k].Indicator} {
			switch {
			case *at == j:
				return nil, fmt.Errorf("%s: column %v, %s, has missing values or says where they are, and cannot be that of instance labels", s.Name, c, s.Features[j])
			case *at > j:
				*at--
			}
		}
	}
	if s.Centre != nil {
		moved.Centre = slices.Delete(slices.Clone(s.Centre), j, j+1)
	}
	if moved.Features != nil {
		moved.Features = slices.Delete(moved.Features, j, j+1)
	}
	moved.InstanceLabels = make([][]float64, len(s.Bags))
	for i := range moved.Bags {
		var err error
		if moved.Bags[i].Instances, moved.InstanceLabels[i], err = takeColumn(s.Bags[i].Instances, j); err != nil {
			return nil, fmt.Errorf("%s: bag %s: %w", s.Name, s.Bags[i].ID, err)
		}
		for k, v := range moved.InstanceLabels[i] {
			moved.InstanceLabels[i][k] = s.Value(j, float32(v))
		}
	}
	mil.Pack(moved.Bags)
	return &moved, moved.Seal()
}

// takeColumn splits instances into all columns except j, and column j.
func takeColumn(x mil.Instances, j int) (rest mil.Instances, column []float64, err error) {
	column = make([]float64, x.Len())
	err = mil.EachValue(x, func(i, k int, v float32) {
		if k == j {
			column[i] = float64(v)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	view := without{x, j}
	switch x := x.(type) {
	case *mil.Dense:
		rest, err = mil.ToDense(view)
	case *mil.Sparse:
		rest = withoutStored(x, j)
	default:
		rest = &view
	}
	return rest, column, err
}

// withoutStored returns sparse rows without column j.
func withoutStored(s *mil.Sparse, j int) *mil.Sparse {
	rest := &mil.Sparse{Cols: s.Cols - 1, RowStart: []int{0}}
	for i := range s.Rows {
		columns, values := s.Row(i)
		for k, c := range columns {
			switch {
			case int(c) == j || values[k] == 0:
				continue
			case int(c) > j:
				c--
			}
			rest.Column, rest.Values = append(rest.Column, c), append(rest.Values, values[k])
		}
		rest.EndRow()
	}
	return rest
}

// without is instances without a column.
type without struct {
	of     mil.Instances
	column int
}

// Len implements [mil.Instances].
func (w without) Len() int { return w.of.Len() }

// Features implements [mil.Instances].
func (w without) Features() int { return w.of.Features() - 1 }

// Read implements [mil.Instances].
func (w without) Read(i, j int, dst []float32) error {
	wide := make([]float32, (j-i)*w.of.Features())
	if err := w.of.Read(i, j, wide); err != nil {
		return err
	}
	for row := range slices.Chunk(wide, w.of.Features()) {
		n := copy(dst, row[:w.column])
		n += copy(dst[n:], row[w.column+1:])
		dst = dst[n:]
	}
	return nil
}
