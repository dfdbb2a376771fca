package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"synpool/milbench"
)

// Column names a stored column of a set: n >= 1 is the n-th.
type Column int

// The columns that are not counted from the front.
const (
	NoColumn   Column = 0
	LastColumn Column = -1
)

// ParseColumn reads "last", a number from 1, or "" for none.
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

// String returns what [ParseColumn] reads.
func (c Column) String() string {
	switch c {
	case NoColumn:
		return ""
	case LastColumn:
		return "last"
	}
	return strconv.Itoa(int(c))
}

// MoveInstanceLabels returns a copy of s in which the stored column c stands in InstanceLabels instead of the
// features; NoColumn moves nothing. The copy shares no memory with s. It errs when c is no column of s, when it is
// the only one, or when s has instance labels already.
func MoveInstanceLabels(s *milbench.Set, c Column) (*milbench.Set, error) {
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
		for i := range moved.Bags {
			m := &moved.Bags[i].Instances
			m.Values, m.RowStart, m.Column = slices.Clone(m.Values), slices.Clone(m.RowStart), slices.Clone(m.Column)
		}
		return &moved, nil
	}

	width := s.NumFeatures()
	j := int(c) - 1
	if c == LastColumn {
		j = width - 1
	}
	if j < 0 || j >= width {
		return nil, fmt.Errorf("%s: no column %v; the set stores columns 1 to %d", s.Name, c, width)
	}
	if width == 1 {
		return nil, fmt.Errorf("%s: column %v is the only one; no feature would be left", s.Name, c)
	}
	if moved.Features != nil {
		moved.Features = slices.Delete(moved.Features, j, j+1)
	}
	moved.InstanceLabels = make([][]float64, len(s.Bags))
	for i := range moved.Bags {
		moved.Bags[i].Instances, moved.InstanceLabels[i] = takeColumn(s.Bags[i].Instances, j)
	}
	pack(moved.Bags)
	moved.Checksum = checksum(moved.Bags)
	return &moved, nil
}

// takeColumn returns m without column j, in compressed sparse rows, and column j.
func takeColumn(m milbench.Matrix, j int) (rest milbench.Matrix, column []float64) {
	rest = milbench.Matrix{Cols: m.Cols - 1, RowStart: []int{0}}
	column = make([]float64, m.Rows)
	for i := range m.Rows {
		m.Each(i, func(k int, v float64) {
			switch {
			case k == j:
				column[i] = v
			case v == 0:
			case k < j:
				rest.Column, rest.Values = append(rest.Column, int32(k)), append(rest.Values, v)
			default:
				rest.Column, rest.Values = append(rest.Column, int32(k-1)), append(rest.Values, v)
			}
		})
		endRow(&rest)
	}
	return rest, column
}
