package milbench

import (
	"cmp"
	"fmt"
	"math"
)

// Validate reports the first reason why m is malformed: lengths that do not fit its rows and columns, columns that do
// not ascend within a row or lie beyond the last, or a value that is not finite. It looks at everything once.
func (m Matrix) Validate() error {
	if m.Rows < 0 || m.Cols < 0 {
		return fmt.Errorf("%d instances of %d features: neither can be negative", m.Rows, m.Cols)
	}
	if m.Sparse() {
		return m.validateSparse()
	}
	if n := len(m.Values); m.Cols == 0 && n > 0 || m.Cols > 0 && (n/m.Cols != m.Rows || n%m.Cols != 0) {
		return fmt.Errorf("%d values for %d instances of %d features; one for each is needed", n, m.Rows, m.Cols)
	}
	for k, v := range m.Values {
		if !finite(v) {
			return notFinite(k/m.Cols, k%m.Cols, v)
		}
	}
	return nil
}

// validateSparse is [Matrix.Validate] of a sparse matrix.
func (m Matrix) validateSparse() error {
	n := len(m.Values)
	if len(m.Column) != n || len(m.RowStart) != m.Rows+1 || m.RowStart[0] != 0 || m.RowStart[m.Rows] != n {
		return fmt.Errorf("%d values, %d columns and %d starts of rows for %d instances; a column for each value and starts from 0 to %[1]d are needed",
			n, len(m.Column), len(m.RowStart), m.Rows)
	}
	for i := range m.Rows {
		start, end := m.RowStart[i], m.RowStart[i+1]
		if start > end || end > n {
			return fmt.Errorf("instance %d has the values from %d to %d of %d; starts of rows must ascend", i+1, start, end, n)
		}
		before := -1
		for k := start; k < end; k++ {
			j := int(m.Column[k])
			switch {
			case j < 0 || j >= m.Cols:
				return fmt.Errorf("instance %d has column %d of %d; the first is 0", i+1, j, m.Cols)
			case j <= before:
				return fmt.Errorf("instance %d has column %d after column %d; columns must ascend", i+1, j, before)
			case !finite(m.Values[k]):
				return notFinite(i, j, m.Values[k])
			}
			before = j
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// notFinite is the error about a value of an instance, both counted from 0.
func notFinite(instance, column int, v float64) error {
	return fmt.Errorf("value %v of feature %d of instance %d; replace it by a finite number", v, column+1, instance+1)
}

// Validate reports the first reason why t cannot be learnt: malformed bags or bags of unequal width, or a fit with a bag that
// is not there or a label other than 0 and 1. It counts bags and fits from 0, as t does, instances and features from 1.
func (t Task) Validate() error {
	name := cmp.Or(t.Name, "task")
	if err := validateBags(t.Bags); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, f := range t.Fits {
		if err := f.validate(len(t.Bags)); err != nil {
			return fmt.Errorf("%s: fit %d: %w", name, i, err)
		}
	}
	return nil
}

// validateBags reports a malformed bag, and bags of unequal width.
func validateBags(bags []Matrix) error {
	for i, m := range bags {
		if m.Cols < 1 || m.Cols != bags[0].Cols {
			return fmt.Errorf("bag %d has %d features, bag 0 has %d; all have the same, at least 1", i, m.Cols, bags[0].Cols)
		}
		if err := m.Validate(); err != nil {
			return fmt.Errorf("bag %d: %w", i, err)
		}
	}
	return nil
}

// validate reports a bag that is none of so many, and a label other than 0 and 1.
func (f Fit) validate(bags int) error {
	for _, e := range f.Train {
		if e.Bag < 0 || e.Bag >= bags || e.Label != 0 && e.Label != 1 {
			return fmt.Errorf("training bag %d of %d with label %d; bags count from 0, labels are 0 or 1", e.Bag, bags, e.Label)
		}
	}
	for _, part := range [][]int{f.Validation, f.Test} {
		for _, i := range part {
			if i < 0 || i >= bags {
				return fmt.Errorf("bag %d of %d is to be scored", i, bags)
			}
		}
	}
	return nil
}
