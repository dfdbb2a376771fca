package milbench

import (
	"fmt"
	"math"
	"reflect"
)

// Instances are the instances of a bag, each a row of features. They are in memory, dense ([Dense]) or in compressed sparse
// rows ([Sparse]), or in a file that is mapped into memory or read in pieces (package dataset).
//
// Values are float32, what files hold and networks take; sums and statistics over them are made in float64. Instances are
// read-only, may be read by several goroutines at a time, and are the same if they are equal as interface values, so that the type
// behind must be comparable: a pointer, say.
type Instances interface {
	// Len returns the number of instances.
	Len() int
	// Features returns the number of features of an instance.
	Features() int
	// Read writes the instances from i to j-1, one after another and with their zeros, into dst, which has
	// (j-i)·Features() places. Of instances in memory the error is nil; of a file it names the file.
	Read(i, j int, dst []float32) error
}

// Dense is instances in memory: Values is row-major, Rows·Cols long.
type Dense struct {
	Rows, Cols int
	Values     []float32
}

// Len implements [Instances].
func (d *Dense) Len() int { return d.Rows }

// Features implements [Instances].
func (d *Dense) Features() int { return d.Cols }

// Read implements [Instances].
func (d *Dense) Read(i, j int, dst []float32) error {
	copy(dst, d.Values[i*d.Cols:j*d.Cols])
	return nil
}

// Row returns instance i, which is not to be changed.
func (d *Dense) Row(i int) []float32 { return d.Values[i*d.Cols : (i+1)*d.Cols] }

// Sparse is instances in memory in compressed sparse rows: row i holds Values[RowStart[i]:RowStart[i+1]] in the columns
// Column[RowStart[i]:RowStart[i+1]], which ascend within a row; every other entry is zero. RowStart goes from 0 to the
// length of Values and of Column.
type Sparse struct {
	Rows, Cols int
	Values     []float32
	RowStart   []int
	Column     []int32
}

// Len implements [Instances].
func (s *Sparse) Len() int { return s.Rows }

// Features implements [Instances].
func (s *Sparse) Features() int { return s.Cols }

// Read implements [Instances].
func (s *Sparse) Read(i, j int, dst []float32) error {
	clear(dst[:(j-i)*s.Cols])
	for row := i; row < j; row++ {
		columns, values := s.Row(row)
		for k, c := range columns {
			dst[(row-i)*s.Cols+int(c)] = values[k]
		}
	}
	return nil
}

// Row returns the columns and values that are stored of instance i, which are not to be changed.
func (s *Sparse) Row(i int) (columns []int32, values []float32) {
	from, to := s.RowStart[i], s.RowStart[i+1]
	return s.Column[from:to], s.Values[from:to]
}

// Append adds an instance: the values other than 0 of a dense row.
func (s *Sparse) Append(row []float32) {
	for j, v := range row {
		if v != 0 {
			s.Column, s.Values = append(s.Column, int32(j)), append(s.Values, v)
		}
	}
	s.EndRow()
}

// EndRow ends an instance whose columns and values have been appended.
func (s *Sparse) EndRow() {
	if len(s.RowStart) == 0 {
		s.RowStart = append(s.RowStart, 0)
	}
	s.RowStart = append(s.RowStart, len(s.Values))
	s.Rows++
}

var (
	_ Instances = (*Dense)(nil)
	_ Instances = (*Sparse)(nil)
)

// IsSparse reports whether instances are held in compressed sparse rows.
func IsSparse(x Instances) bool {
	_, sparse := x.(*Sparse)
	return sparse
}

// pieceValues is how many values are read at a time, 256 KB.
const pieceValues = 1 << 16

// EachRow calls f with every instance, which is valid during the call only and not to be changed. Instances in a file are
// read in pieces.
func EachRow(x Instances, f func(i int, row []float32)) error {
	n, width := x.Len(), x.Features()
	if d, ok := x.(*Dense); ok {
		for i := range n {
			f(i, d.Row(i))
		}
		return nil
	}
	if n == 0 {
		return nil
	}
	rows := min(n, max(1, pieceValues/max(width, 1)))
	piece := make([]float32, rows*width)
	for from := 0; from < n; from += rows {
		to := min(from+rows, n)
		if err := x.Read(from, to, piece[:(to-from)*width]); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			f(i, piece[(i-from)*width:][:width])
		}
	}
	return nil
}

// EachValue calls f with every value of every instance, of sparse ones those that are stored.
func EachValue(x Instances, f func(i, j int, v float32)) error {
	if s, ok := x.(*Sparse); ok {
		for i := range s.Rows {
			columns, values := s.Row(i)
			for k, j := range columns {
				f(i, int(j), values[k])
			}
		}
		return nil
	}
	return EachRow(x, func(i int, row []float32) {
		for j, v := range row {
			f(i, j, v)
		}
	})
}

// sparseBelow is the density of a set below which it is held sparse. A value costs 4 bytes dense and 8 sparse, so that
// memory alone breaks even at 1/2; a pass over sparse rows pays only where most of a row is skipped.
const sparseBelow = 0.25

// Pack holds all bags sparse where less than a quarter of their values is other than 0, and all dense otherwise. Bags that
// are not in memory stay as they are, and so do all others then.
func Pack(bags []Bag) {
	stored, size := 0, 0
	for _, b := range bags {
		size += b.Instances.Len() * b.Instances.Features()
		var values []float32
		switch x := b.Instances.(type) {
		case *Dense:
			values = x.Values
		case *Sparse:
			values = x.Values
		default:
			return
		}
		for _, v := range values {
			if v != 0 {
				stored++
			}
		}
	}
	sparse := float64(stored) < sparseBelow*float64(size)
	for i := range bags { // there is no error in memory
		if sparse {
			bags[i].Instances, _ = ToSparse(bags[i].Instances)
		} else {
			bags[i].Instances, _ = ToDense(bags[i].Instances)
		}
	}
}

// ToSparse returns instances in compressed sparse rows, in memory: themselves if they are.
func ToSparse(x Instances) (*Sparse, error) {
	if s, ok := x.(*Sparse); ok {
		return s, nil
	}
	s := &Sparse{Cols: x.Features(), RowStart: []int{0}}
	return s, EachRow(x, func(_ int, row []float32) { s.Append(row) })
}

// ToDense returns instances densely, in memory: themselves if they are.
func ToDense(x Instances) (*Dense, error) {
	if d, ok := x.(*Dense); ok {
		return d, nil
	}
	d := &Dense{Rows: x.Len(), Cols: x.Features(), Values: make([]float32, x.Len()*x.Features())}
	return d, x.Read(0, d.Rows, d.Values)
}

// ValidateInstances reports the first reason why instances are malformed: lengths that do not fit their rows and columns,
// columns that do not ascend within a row or lie beyond the last, or a value that is not finite. It looks at everything once.
// Instances in a file are checked as they are read, and here for their numbers alone.
func ValidateInstances(x Instances) error {
	if x == nil {
		return fmt.Errorf("no instances; give a bag a Dense or Sparse")
	}
	if n, width := x.Len(), x.Features(); n < 0 || width < 0 {
		return fmt.Errorf("%d instances of %d features: neither can be negative", n, width)
	}
	switch x := x.(type) {
	case *Dense:
		return x.validate()
	case *Sparse:
		return x.validate()
	}
	if !reflect.TypeOf(x).Comparable() {
		return fmt.Errorf("instances of type %T cannot be compared; use a pointer", x)
	}
	return nil
}

func (d *Dense) validate() error {
	if n := len(d.Values); d.Cols == 0 && n > 0 || d.Cols > 0 && (n/d.Cols != d.Rows || n%d.Cols != 0) {
		return fmt.Errorf("%d values for %d instances of %d features; one for each is needed", n, d.Rows, d.Cols)
	}
	for k, v := range d.Values {
		if !Finite(v) {
			return NotFinite(k/d.Cols, k%d.Cols, v)
		}
	}
	return nil
}

func (s *Sparse) validate() error {
	n := len(s.Values)
	if len(s.Column) != n || len(s.RowStart) != s.Rows+1 || s.RowStart[0] != 0 || s.RowStart[s.Rows] != n {
		return fmt.Errorf("%d values, %d columns and %d starts of rows for %d instances; a column for each value and starts from 0 to %[1]d are needed",
			n, len(s.Column), len(s.RowStart), s.Rows)
	}
	for i := range s.Rows {
		start, end := s.RowStart[i], s.RowStart[i+1]
		if start > end || end > n {
			return fmt.Errorf("instance %d has the values from %d to %d of %d; starts of rows must ascend", i+1, start, end, n)
		}
		before := -1
		for k := start; k < end; k++ {
			j := int(s.Column[k])
			switch {
			case j < 0 || j >= s.Cols:
				return fmt.Errorf("instance %d has column %d of %d; the first is 0", i+1, j, s.Cols)
			case j <= before:
				return fmt.Errorf("instance %d has column %d after column %d; columns must ascend", i+1, j, before)
			case !Finite(s.Values[k]):
				return NotFinite(i, j, s.Values[k])
			}
			before = j
		}
	}
	return nil
}

// Finite reports whether a value is neither NaN nor infinite.
func Finite(v float32) bool { return v-v == 0 }

// NotFinite is the error about a value of an instance, both counted from 0.
func NotFinite(instance, feature int, v float32) error {
	return fmt.Errorf("value %v of feature %d of instance %d; replace it by a finite number", v, feature+1, instance+1)
}

// Float32 returns v rounded to float32, or an error if it is not finite or too large for that.
func Float32(v float64) (float32, error) {
	switch narrow := float32(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("value %v; replace it by a finite number", v)
	case !Finite(narrow):
		return 0, fmt.Errorf("value %v is too large for float32, 3.4e38 at most; give the feature another unit", v)
	default:
		return narrow, nil
	}
}
