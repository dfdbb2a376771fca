package svm

import (
	"fmt"
	"slices"
)

// Kernel provides the values k(x_i, x_j) of n examples, row by row. They must be symmetric: k(x_i, x_j) = k(x_j, x_i). They
// need not be positive semidefinite.
type Kernel interface {
	// Len returns n.
	Len() int
	// Diagonal writes k(x_i, x_i) into dst[n].
	Diagonal(dst []float64)
	// Row writes k(x_i, x_j), j = 0..n-1, into dst[n].
	Row(i int, dst []float64)
}

// viewer is a kernel that has its rows in memory.
type viewer interface {
	Kernel
	// view returns row i, which must not be modified. It is valid until the second call after this one.
	view(i int) []float64
}

var (
	_ viewer = (*Matrix)(nil)
	_ viewer = (*Cache)(nil)
	_ viewer = (*doubled)(nil)
	_ Kernel = (*Single)(nil)
	_ Kernel = (*subset)(nil)
)

// Matrix is the kernel matrix of all examples, in the memory of the caller. It is safe for concurrent use by many fits.
type Matrix struct{ matrix[float64] }

// NewMatrix returns the kernel k(x_i, x_j) = values[i n + j] of n examples. It copies nothing. It is an error if there are
// not n times n values.
func NewMatrix(values []float64, n int) (*Matrix, error) {
	m := &Matrix{matrix[float64]{values, n}}
	return m, m.check()
}

func (m *Matrix) view(i int) []float64 { return m.row(i) }

// Single is a kernel matrix of all examples in float32, with half the memory of a [Matrix], as in LIBSVM's cache. It is safe
// for concurrent use by many fits.
type Single struct{ matrix[float32] }

// NewSingle is [NewMatrix] for a [Single].
func NewSingle(values []float32, n int) (*Single, error) {
	s := &Single{matrix[float32]{values, n}}
	return s, s.check()
}

// matrix implements [Kernel] by n rows of n values.
type matrix[T float32 | float64] struct {
	values []T
	n      int
}

func (m *matrix[T]) check() error {
	if m.n < 1 || len(m.values)%m.n != 0 || len(m.values)/m.n != m.n {
		return fmt.Errorf("svm: %d values are no matrix of %d rows", len(m.values), m.n)
	}
	return nil
}

func (m *matrix[T]) row(i int) []T { return m.values[i*m.n:][:m.n:m.n] }

// Len returns the number of examples.
func (m *matrix[T]) Len() int { return m.n }

// Diagonal writes k(x_i, x_i) into dst[n].
func (m *matrix[T]) Diagonal(dst []float64) {
	for i := range dst[:m.n] {
		dst[i] = float64(m.values[i*m.n+i])
	}
}

// Row writes row i into dst[n].
func (m *matrix[T]) Row(i int, dst []float64) {
	dst = dst[:m.n]
	for j, v := range m.row(i) {
		dst[j] = float64(v)
	}
}

// Subset returns the kernel of the examples index[0], index[1], ... of k. It copies no values: the rows that a fit reads are
// gathered into its cache. An example may occur more than once. It is an error if an index is outside 0..n-1.
func Subset(k Kernel, index []int) (Kernel, error) {
	for _, i := range index {
		if i < 0 || i >= k.Len() {
			return nil, fmt.Errorf("svm: example %d of %d in a subset", i, k.Len())
		}
	}
	s := &subset{base: k, index: slices.Clone(index)}
	if inner, ok := k.(*subset); ok {
		s.base = inner.base
		for at, i := range s.index {
			s.index[at] = inner.index[i]
		}
	}
	return s, nil
}

type subset struct {
	base    Kernel
	index   []int
	scratch []float64 // a row of base, if base has no rows in memory
}

func (s *subset) Len() int { return len(s.index) }

func (s *subset) Diagonal(dst []float64) {
	all := make([]float64, s.base.Len())
	s.base.Diagonal(all)
	for at, i := range s.index {
		dst[at] = all[i]
	}
}

func (s *subset) Row(i int, dst []float64) {
	dst = dst[:len(s.index)]
	var row []float64
	switch base := s.base.(type) {
	case viewer:
		row = base.view(s.index[i])
	case *Single:
		row := base.row(s.index[i])
		for at, i := range s.index {
			dst[at] = float64(row[i])
		}
		return
	default:
		if s.scratch == nil {
			s.scratch = make([]float64, s.base.Len())
		}
		row = s.scratch
		s.base.Row(s.index[i], row)
	}
	for at, i := range s.index {
		dst[at] = row[i]
	}
}

// doubled is the kernel of the examples of base, where each occurs twice: as i and as i+n.
type doubled struct {
	base   viewer
	buffer [2][]float64
	next   int
}

// Len returns twice the number of examples.
func (d *doubled) Len() int { return 2 * d.base.Len() }

// Diagonal writes k(x_i, x_i) into dst[2n].
func (d *doubled) Diagonal(dst []float64) {
	n := d.base.Len()
	d.base.Diagonal(dst[:n])
	copy(dst[n:], dst[:n])
}

// Row writes a row of base twice into dst[2n].
func (d *doubled) Row(i int, dst []float64) {
	n := d.base.Len()
	row := d.base.view(i % n)
	copy(dst, row)
	copy(dst[n:2*n], row)
}

func (d *doubled) view(i int) []float64 {
	d.next = 1 - d.next
	row := &d.buffer[d.next]
	if *row == nil {
		*row = make([]float64, d.Len())
	}
	d.Row(i, *row)
	return *row
}

// Cache keeps the most recently read rows of a kernel. [CSVC] and [SVR] make one for each fit; make your own if several fits
// use the same expensive kernel one after another. It is not safe for concurrent use.
type Cache struct {
	kernel       Kernel
	rows         [][]float64 // nil: not kept
	older, newer []int32     // a ring of the kept rows; entry n is between the newest, older[n], and the oldest, newer[n]
	kept, most   int
}

// NewCache returns a kernel with the values of k that caches at most the given number of bytes, and at least two rows.
func NewCache(k Kernel, bytes int64) *Cache {
	n := k.Len()
	c := &Cache{kernel: k, rows: make([][]float64, n), older: make([]int32, n+1), newer: make([]int32, n+1)}
	c.most = int(min(max(bytes/(8*int64(max(n, 1))), 2), int64(n)))
	c.older[n], c.newer[n] = int32(n), int32(n)
	return c
}

// Len returns the number of examples.
func (c *Cache) Len() int { return c.kernel.Len() }

// Diagonal writes k(x_i, x_i) into dst[n].
func (c *Cache) Diagonal(dst []float64) { c.kernel.Diagonal(dst) }

// Row copies row i into dst[n].
func (c *Cache) Row(i int, dst []float64) { copy(dst[:len(c.rows)], c.view(i)) }

func (c *Cache) view(i int) []float64 {
	end := int32(len(c.rows))
	if c.rows[i] != nil {
		c.unlink(int32(i))
	} else {
		var row []float64
		if c.kept < c.most {
			row = make([]float64, len(c.rows))
			c.kept++
		} else {
			oldest := c.newer[end]
			row, c.rows[oldest] = c.rows[oldest], nil
			c.unlink(oldest)
		}
		c.kernel.Row(i, row)
		c.rows[i] = row
	}
	newest := c.older[end]
	c.older[end], c.newer[newest] = int32(i), int32(i)
	c.older[i], c.newer[i] = newest, end
	return c.rows[i]
}

func (c *Cache) unlink(i int32) {
	c.older[c.newer[i]] = c.older[i]
	c.newer[c.older[i]] = c.newer[i]
}
