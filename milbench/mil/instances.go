package mil

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Instances are the instances of a bag, one row of features per instance. They are in memory, either dense ([Dense])
// or in compressed sparse rows ([Sparse]), or in a file that is read in pieces (package dataset).
//
// Values are float32, as in files and networks; sums and statistics use float64. Instances are read-only, and several
// goroutines may read them at once. Two Instances are the same if they are equal as interface values, so the dynamic
// type must be comparable, for example a pointer.
type Instances interface {
	// Len returns the number of instances.
	Len() int
	// Features returns the number of features per instance.
	Features() int
	// Read writes instances i to j-1 into dst, one after another and including zeros. The length of dst must be
	// (j-i)·Features(). The error is nil for instances in memory; for a file it names the file.
	Read(i, j int, dst []float32) error
}

// Dense holds instances in memory. Values is row-major and has Rows·Cols entries.
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

// Row returns instance i. Do not change it.
func (d *Dense) Row(i int) []float32 { return d.Values[i*d.Cols : (i+1)*d.Cols] }

// Sparse holds instances in memory in compressed sparse rows. Row i has Values[RowStart[i]:RowStart[i+1]] in the
// columns Column[RowStart[i]:RowStart[i+1]], which ascend within a row; every other entry is zero. RowStart starts at
// 0 and ends at the length of Values and Column.
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

// Row returns the stored columns and values of instance i. Do not change them.
func (s *Sparse) Row(i int) (columns []int32, values []float32) {
	from, to := s.RowStart[i], s.RowStart[i+1]
	return s.Column[from:to], s.Values[from:to]
}

// Append adds a dense row as an instance and stores its non-zero values.
func (s *Sparse) Append(row []float32) {
	for j, v := range row {
		if v != 0 {
			s.Column, s.Values = append(s.Column, int32(j)), append(s.Values, v)
		}
	}
	s.EndRow()
}

// EndRow completes an instance after its columns and values have been appended.
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

// IsSparse reports whether instances are stored in compressed sparse rows.
func IsSparse(x Instances) bool {
	_, sparse := x.(*Sparse)
	return sparse
}

// pieceValues is the number of values to read at a time: 256 KB.
const pieceValues = 1 << 16

// EachRow calls f with every instance. The row is valid only during the call; do not change it. Instances in a file
// are read in pieces.
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

// Rows returns some instances, given by index in ascending order, in memory.
func Rows(x Instances, rows []int) (Instances, error) {
	if IsSparse(x) {
		all, some := x.(*Sparse), &Sparse{Cols: x.Features(), RowStart: []int{0}}
		for _, i := range rows {
			columns, values := all.Row(i)
			some.Column, some.Values = append(some.Column, columns...), append(some.Values, values...)
			some.EndRow()
		}
		return some, nil
	}
	some := &Dense{Cols: x.Features(), Values: make([]float32, 0, len(rows)*x.Features())}
	err := EachRow(x, func(i int, row []float32) {
		if some.Rows < len(rows) && rows[some.Rows] == i {
			some.Values = append(some.Values, row...)
			some.Rows++
		}
	})
	return some, err
}

// EachValue calls f with every value of every instance. For sparse instances these are the stored values.
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

// SparseBelow is the density below which a set is stored as sparse rows. A value costs 4 bytes dense and 8 sparse, so
// for memory alone the limit would be 1/2; but a pass over sparse rows is faster only if it skips most of each row.
const SparseBelow = 0.25

// Pack stores all bags sparse if less than a quarter of their values are non-zero, and all bags dense otherwise. If
// any bag is not in memory, Pack changes nothing.
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
	if float64(stored) < SparseBelow*float64(size) {
		for i := range bags { // in memory there is no error
			bags[i].Instances, _ = ToSparse(bags[i].Instances)
		}
		return
	}
	for i := range bags {
		d, _ := ToDense(bags[i].Instances)
		if n := len(d.Values); cap(d.Values) > n+n/8 { // a reader has grown it
			d.Values = append(make([]float32, 0, n), d.Values...)
		}
		bags[i].Instances = d
	}
}

// ToSparse returns instances as compressed sparse rows in memory. It returns its argument if that is already sparse.
func ToSparse(x Instances) (*Sparse, error) {
	if s, ok := x.(*Sparse); ok {
		return s, nil
	}
	s := &Sparse{Cols: x.Features(), RowStart: []int{0}}
	return s, EachRow(x, func(_ int, row []float32) { s.Append(row) })
}

// ToDense returns instances as dense rows in memory. It returns its argument if that is already dense.
func ToDense(x Instances) (*Dense, error) {
	if d, ok := x.(*Dense); ok {
		return d, nil
	}
	d := &Dense{Rows: x.Len(), Cols: x.Features(), Values: make([]float32, x.Len()*x.Features())}
	return d, x.Read(0, d.Rows, d.Values)
}

// ValidateInstances returns the first reason why instances are malformed: lengths that do not match the rows and
// columns, columns that do not ascend within a row or are out of range, or a value that is not finite. It looks at
// every value once. For instances in a file it checks only their number and width; values are checked while reading.
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
			return notFinite(k/d.Cols, k%d.Cols, v)
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
				return notFinite(i, j, s.Values[k])
			}
			before = j
		}
	}
	return nil
}

// Finite reports whether a value is neither NaN nor infinite.
func Finite(v float32) bool { return v-v == 0 }

// notFinite returns the error for a value that is not finite. Instance and feature count from 0.
func notFinite(instance, feature int, v float32) error {
	return fmt.Errorf("value %v of feature %d of instance %d; replace it by a finite number", v, feature+1, instance+1)
}

// ParseNumber parses a finite decimal number, the only kind that text files may hold: 1_000, 0x1p-2 and inf are words.
func ParseNumber(text string) (float64, error) {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, &strconv.NumError{Func: "ParseNumber", Num: text, Err: strconv.ErrSyntax}
		}
	}
	return strconv.ParseFloat(text, 64)
}

// SameWord reports whether two labels are equal, as words or as numbers.
func SameWord(a, b string) bool {
	if a == b {
		return true
	}
	x, err := ParseNumber(a)
	y, other := ParseNumber(b)
	return err == nil && other == nil && x == y
}

// Float32 returns v rounded to float32. It returns an error if v is not finite or too large.
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

// ValidateAll returns an error for a malformed bag or bags of unequal width.
func ValidateAll(bags []Instances) error {
	for i, x := range bags {
		if x == nil {
			return fmt.Errorf("bag %d has no instances", i)
		}
		if n := x.Features(); n < 1 || n != bags[0].Features() {
			return fmt.Errorf("bag %d has %d features, bag 0 has %d; all have the same, at least 1", i, n, bags[0].Features())
		}
		if err := ValidateInstances(x); err != nil {
			return fmt.Errorf("bag %d: %w", i, err)
		}
	}
	return nil
}
