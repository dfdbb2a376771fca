package dataset

import (
	"fmt"
	"math"
	"slices"

	"synpool/milbench"
)

// sparseBelow is the density of a set below which it is held sparse. A value costs 8 bytes dense and 12 sparse, so
// that memory alone breaks even at 2/3; a pass over sparse rows pays only where most of a row is skipped.
const sparseBelow = 0.25

// assemble makes a set of bags, dense or in compressed sparse rows, whose labels are given as stored; without labels all are 0.
// instanceLabels may be nil.
func assemble(name string, bags []milbench.Bag, labels []float64, instanceLabels [][]float64, features []string) (*milbench.Set, error) {
	s := &milbench.Set{Name: name, Features: features, Bags: bags, InstanceLabels: instanceLabels}
	validate := s.ValidateBags
	if labels != nil {
		if err := setLabels(bags, labels); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		validate = s.Validate
	}
	if err := validate(); err != nil {
		return nil, err
	}
	pack(s.Bags)
	s.Checksum = checksum(s.Bags)
	return s, nil
}

// setLabels sets the labels of bags, stored as 0 and 1 or as -1 and 1.
func setLabels(bags []milbench.Bag, stored []float64) error {
	zero, minus := slices.Index(stored, 0), slices.Index(stored, -1)
	if zero >= 0 && minus >= 0 {
		return fmt.Errorf("bag %s has label 0 and bag %s label -1; write labels as 0 and 1, or as -1 and 1", bags[zero].ID, bags[minus].ID)
	}
	for i, v := range stored {
		switch v {
		case 1:
			bags[i].Label = 1
		case 0, -1:
			bags[i].Label = 0
		default:
			return fmt.Errorf("bag %s has label %v; write labels as 0 and 1, or as -1 and 1", bags[i].ID, v)
		}
	}
	return nil
}

// pack holds all bags sparse where their density is below sparseBelow, all dense otherwise.
func pack(bags []milbench.Bag) {
	stored, size := 0, 0
	for _, b := range bags {
		m := b.Instances
		size += m.Rows * m.Cols
		for _, v := range m.Values {
			if v != 0 {
				stored++
			}
		}
	}
	sparse := float64(stored) < sparseBelow*float64(size)
	for i := range bags {
		if m := &bags[i].Instances; sparse {
			*m = compress(*m)
		} else {
			*m = expand(*m)
		}
	}
}

// compress returns m in compressed sparse rows.
func compress(m milbench.Matrix) milbench.Matrix {
	if m.Sparse() {
		return m
	}
	rows := milbench.Matrix{Cols: m.Cols, RowStart: []int{0}}
	for i := range m.Rows {
		appendRow(&rows, m.Values[i*m.Cols:(i+1)*m.Cols])
	}
	return rows
}

// expand returns m dense.
func expand(m milbench.Matrix) milbench.Matrix {
	if !m.Sparse() {
		return m
	}
	dense := milbench.Matrix{Rows: m.Rows, Cols: m.Cols, Values: make([]float64, m.Rows*m.Cols)}
	for i := range m.Rows {
		m.Row(i, dense.Values[i*m.Cols:(i+1)*m.Cols])
	}
	return dense
}

// appendRow appends the values that are not zero to m, in compressed sparse rows.
func appendRow(m *milbench.Matrix, values []float64) {
	for j, v := range values {
		if v != 0 {
			m.Column, m.Values = append(m.Column, int32(j)), append(m.Values, v)
		}
	}
	endRow(m)
}

// endRow closes the row that is being appended to m.
func endRow(m *milbench.Matrix) {
	m.RowStart = append(m.RowStart, len(m.Values))
	m.Rows++
}

// finite errs for NaN and the infinities.
func finite(v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("value %v; replace it by a finite number", v)
	}
	return nil
}
