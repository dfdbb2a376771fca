package dataset

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"synpool/milbench/mil"
)

// Array classes (MAT-File Format, table 1-3, and later additions).
const (
	mxCELL     = 1
	mxSPARSE   = 5
	mxDOUBLE   = 6
	mxUINT64   = 15
	mxFUNCTION = 16
	mxOPAQUE   = 17
)

var classNames = map[byte]string{
	mxCELL: "cell array", 2: "struct", 3: "object", 4: "char array", mxSPARSE: "sparse matrix", mxDOUBLE: "double",
	7: "single", 8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64",
	mxUINT64: "uint64", mxFUNCTION: "function handle", mxOPAQUE: "object",
}

// maxDimensions limits the dimensions of an array, and maxName the length of its name (63 in MATLAB).
const (
	maxDimensions = 32
	maxName       = 1024
)

// array is the head of an array, before its values.
type array struct {
	class      byte
	complex    bool
	name       string
	dimensions []int
}

// String describes a, for example "double 3x4".
func (a array) String() string {
	name, ok := classNames[a.class]
	if !ok {
		name = fmt.Sprintf("array of unknown class %d", a.class)
	}
	if a.complex {
		name = "complex " + name
	}
	for i, n := range a.dimensions {
		separator := "x"
		if i == 0 {
			separator = " "
		}
		name += fmt.Sprintf("%s%d", separator, n)
	}
	return name
}

// numeric reports whether a contains numbers or logicals.
func (a array) numeric() bool { return a.class >= mxSPARSE && a.class <= mxUINT64 }

// shape returns the rows and columns of a matrix.
func (a array) shape() (rows, cols int, err error) {
	if len(a.dimensions) != 2 {
		return 0, 0, fmt.Errorf("%v has %d dimensions; save a matrix", a, len(a.dimensions))
	}
	return a.dimensions[0], a.dimensions[1], nil
}

// readHead reads the head of an array from the bytes of a miMATRIX element. An opaque array has no dimensions.
func (s matStream) readHead() (array, error) {
	var a array
	flags, err := s.want("array flags")
	if err != nil {
		return a, err
	}
	if flags.kind != miUINT32 || flags.size != 8 {
		return a, damagedf("no array flags")
	}
	var word [8]byte
	if _, err := io.ReadFull(flags, word[:]); err != nil {
		return a, readError(err)
	}
	bits := s.order.Uint32(word[:4])
	a.class, a.complex = byte(bits), bits&0x0800 != 0
	if a.class != mxOPAQUE {
		if a.dimensions, err = s.readDimensions(); err != nil {
			return a, err
		}
	}
	name, err := s.want("array name")
	if err != nil {
		return a, err
	}
	if name.kind != miINT8 && name.kind != miUTF8 || name.size > maxName {
		return a, damagedf("no array name")
	}
	text, err := io.ReadAll(name)
	if err != nil {
		return a, readError(err)
	}
	a.name = string(text)
	if strings.ContainsFunc(a.name, unicode.IsControl) {
		return a, damagedf("array name %q", a.name)
	}
	return a, name.close(s)
}

// readDimensions reads the dimensions of an array.
func (s matStream) readDimensions() ([]int, error) {
	e, err := s.want("dimensions")
	if err != nil {
		return nil, err
	}
	if e.kind != miINT32 || e.size < 8 || e.size > 4*maxDimensions || e.size%4 != 0 {
		return nil, damagedf("no dimensions")
	}
	sizes, err := e.all()
	if err != nil {
		return nil, err
	}
	dimensions := make([]int, len(sizes))
	for i, n := range sizes {
		if n < 0 {
			return nil, damagedf("a dimension of %v", n)
		}
		dimensions[i] = int(n)
	}
	return dimensions, e.close(s)
}

// triplets is a matrix stored as its non-zero values, column by column.
type triplets struct {
	rows, cols  int
	row, column []int32
	values      []float64
	sparse      bool // as stored
}

// readMatrix reads the values after the head a. They must be from a real numeric matrix.
func (s matStream) readMatrix(a array) (triplets, error) {
	if !a.numeric() {
		return triplets{}, fmt.Errorf("%v where numbers are expected; save a numeric matrix", a)
	}
	if a.complex {
		return triplets{}, fmt.Errorf("%v where real numbers are expected; save its real part", a)
	}
	rows, cols, err := a.shape()
	if err != nil {
		return triplets{}, err
	}
	if a.class == mxSPARSE {
		return s.readSparse(rows, cols)
	}

	t := triplets{rows: rows, cols: cols}
	e, err := s.want("values")
	if err != nil {
		return t, err
	}
	n, err := e.nonZeros(func(k int, v float64) error {
		if k >= rows*cols {
			return damagedf("more values than %dx%d", rows, cols)
		}
		return t.add(k%rows, k/rows, v)
	})
	if err != nil {
		return t, err
	}
	if n != rows*cols {
		return t, damagedf("%d values, not %dx%d", n, rows, cols)
	}
	return t, e.close(s)
}

// add appends a value and returns an error if it is not finite.
func (t *triplets) add(row, column int, v float64) error {
	if _, err := mil.Float32(v); err != nil {
		return fmt.Errorf("row %d, column %d: %w", row+1, column+1, err)
	}
	t.row, t.column, t.values = append(t.row, int32(row)), append(t.column, int32(column)), append(t.values, v)
	return nil
}

// readSparse reads the row indices, the column starts and the values of a sparse matrix.
func (s matStream) readSparse(rows, cols int) (triplets, error) {
	t := triplets{rows: rows, cols: cols, sparse: true}
	index := func(what string) ([]float64, error) {
		e, err := s.want(what)
		if err != nil {
			return nil, err
		}
		values, err := e.all()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		return values, e.close(s)
	}
	row, err := index("row indices")
	if err != nil {
		return t, err
	}
	start, err := index("column starts")
	if err != nil {
		return t, err
	}
	if len(start) != cols+1 || start[0] != 0 || start[cols] > float64(len(row)) {
		return t, damagedf("column starts that do not fit %d columns of %d values", cols, len(row))
	}
	for j := range cols {
		if start[j] > start[j+1] || start[j] != math.Trunc(start[j]) {
			return t, damagedf("column starts that do not ascend")
		}
	}
	stored := int(start[cols])
	last := make([]int32, 0, stored) // column of every value
	for j := range cols {
		for k := int(start[j]); k < int(start[j+1]); k++ {
			if row[k] < 0 || row[k] >= float64(rows) || row[k] != math.Trunc(row[k]) {
				return t, damagedf("row index %v of %d rows", row[k], rows)
			}
			last = append(last, int32(j))
		}
	}

	e, err := s.want("values")
	if err != nil {
		return t, err
	}
	n, err := e.nonZeros(func(k int, v float64) error {
		if k >= stored { // spare room allocated by MATLAB
			return nil
		}
		return t.add(int(row[k]), int(last[k]), v)
	})
	if err != nil {
		return t, err
	}
	if n < stored {
		return t, damagedf("%d values, not %d", n, stored)
	}
	return t, e.close(s)
}

// byRow returns t in compressed sparse rows. The caller has checked that the file is large enough for that many rows.
func (t triplets) byRow(r *rounding) (*mil.Sparse, error) {
	if r.centred() {
		t = t.filled(r.centre)
	}
	m := &mil.Sparse{
		Rows: t.rows, Cols: t.cols,
		RowStart: make([]int, t.rows+1),
		Column:   make([]int32, len(t.values)),
		Values:   make([]float32, len(t.values)),
	}
	for _, i := range t.row {
		m.RowStart[i+1]++
	}
	for i := range t.rows {
		m.RowStart[i+1] += m.RowStart[i]
	}
	free := append([]int(nil), m.RowStart[:t.rows]...)
	for k, i := range t.row { // column by column, so columns ascend within each row
		at := free[i]
		if at > m.RowStart[i] && m.Column[at-1] == t.column[k] {
			return m, damagedf("row %d, column %d occurs twice", i+1, t.column[k]+1)
		}
		v, err := r.of(int(t.column[k]), t.values[k])
		if err != nil {
			return m, fmt.Errorf("row %d, column %d: %w", i+1, t.column[k]+1, err)
		}
		m.Column[at], m.Values[at] = t.column[k], v
		free[i]++
	}
	if r != nil && r.measures {
		zeros := map[int32]int{} // of the columns that have values
		for _, j := range t.column {
			if _, known := zeros[j]; !known {
				zeros[j] = t.rows
			}
			zeros[j]--
		}
		for j, n := range zeros {
			if n > 0 {
				r.measure(int(j), 0, n)
			}
		}
	}
	return m, nil
}

// filled returns t with the zeros of every column that has a centre, as values.
func (t triplets) filled(centre []float64) triplets {
	all := triplets{rows: t.rows, cols: t.cols, sparse: t.sparse}
	for k, j := 0, 0; k < len(t.column) || j < len(centre); j++ {
		there := make(map[int32]bool)
		for ; k < len(t.column) && int(t.column[k]) == j; k++ {
			there[t.row[k]] = true
			all.row, all.column, all.values = append(all.row, t.row[k]), append(all.column, t.column[k]), append(all.values, t.values[k])
		}
		for i := range int32(t.rows) {
			if j < min(t.cols, len(centre)) && centre[j] != 0 && !there[i] {
				all.row, all.column, all.values = append(all.row, i), append(all.column, int32(j)), append(all.values, 0)
			}
		}
	}
	return all
}

// vector returns the numbers of a row or column. It needs exactly want numbers; the caller has checked that the file
// can hold them. With want < 0 it takes as many as there are; a sparse vector must then store them all.
func (t triplets) vector(want int) ([]float64, error) {
	if t.rows != 1 && t.cols != 1 {
		return nil, fmt.Errorf("a matrix of %dx%d where a row or a column is expected", t.rows, t.cols)
	}
	n := t.rows * t.cols
	if want >= 0 && n != want {
		return nil, fmt.Errorf("%d values where the file has %d instances", n, want)
	}
	if want < 0 && t.sparse && n != len(t.values) {
		return nil, fmt.Errorf("a sparse vector of %d with %d values that are not 0", n, len(t.values))
	}
	values := make([]float64, n)
	for k, v := range t.values {
		values[int(t.row[k])+int(t.column[k])] = v
	}
	return values, nil
}
