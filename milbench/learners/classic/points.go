package classic

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/transport"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// points are the standardised instances of a bag, as dense or sparse rows.
type points struct {
	rows   int
	values []float64 // row-major; for sparse rows only the stored values

	start, columns []int32   // for sparse rows
	squares        []float64 // |x|^2 of each sparse row
	sums           []float64 // |x|_1 of each sparse row

	coarse [2]coarse // for large dense bags, one per metric
}

// coarse is a bag reduced to its representatives on first use.
type coarse struct {
	once sync.Once
	bag  *transport.Coarse
	err  error
}

// exactInstances is the number of instances up to which the earth mover's distance moves the instances of a dense bag
// one by one. A larger bag is reduced to [transport.Limit] representatives. All published sets stay below: the largest
// bag, in Musk 2, has 1,044 instances.
const exactInstances = 1200

// representatives returns the representatives of a dense bag. If it has few instances, these represent themselves.
func (p *points) representatives(metric transport.Metric, features int) (*transport.Coarse, error) {
	c := &p.coarse[metric]
	c.once.Do(func() {
		limit := transport.Limit
		if p.rows <= exactInstances {
			limit = p.rows
		}
		c.bag, c.err = transport.Coarsen(metric, p.values, features, limit)
	})
	return c.bag, c.err
}

// standardised holds the instances of the shared bags, standardised over all of them.
type standardised struct {
	scale
	shared *learner.Shared
	bags   []*points

	zeros sync.Pool // of *[]float64: a row of zeros each, for sparse bags
}

// standardisedOf returns the standardised instances of the shared bags.
func standardisedOf(s *learner.Shared) (*standardised, error) { return scaledOf(s, Deviation) }

// scaledOf returns the instances of the shared bags with the given scaling.
func scaledOf(s *learner.Shared, scaling Scaling) (*standardised, error) {
	return learner.Once(s, "scaled by "+string(scaling), func() (*standardised, error) {
		scale, err := scaling.of(s.Bags)
		if err != nil {
			return nil, err
		}
		z := &standardised{scale: scale, shared: s}
		z.Sparse = true
		for _, b := range s.Bags {
			z.Sparse = z.Sparse && mil.IsSparse(b)
		}
		for _, b := range s.Bags {
			p, err := z.standardise(b)
			if err != nil {
				return nil, err
			}
			z.bags = append(z.bags, p)
		}
		return z, nil
	})
}

// some returns some of the bags.
func (z *standardised) some(rows []int) []*points {
	some := make([]*points, len(rows))
	for i, row := range rows {
		some[i] = z.bags[row]
	}
	return some
}

// of returns the points of a bag.
func (z *standardised) of(bag mil.Instances) (*points, error) {
	if z.shared != nil {
		if row, found := z.shared.Row(bag); found {
			return z.bags[row], nil
		}
	}
	return z.standardise(bag)
}

// standardise computes the points of a bag.
func (z *standardised) standardise(bag mil.Instances) (*points, error) {
	if n := bag.Features(); n != len(z.Factor) {
		return nil, fmt.Errorf("a bag of %d features for a model of %d", n, len(z.Factor))
	}
	if bag.Len() == 0 {
		return nil, errors.New("an empty bag has no distances to others")
	}
	p := &points{rows: bag.Len()}
	if z.Sparse && p.rows > mostInstances {
		return nil, fmt.Errorf("a sparse bag of %d instances; instances are compared in sparse bags of at most %d", p.rows, mostInstances)
	}
	if !z.Sparse {
		p.values = make([]float64, bag.Len()*bag.Features())
		err := mil.EachRow(bag, func(i int, row []float32) { z.apply(row, p.values[i*len(row):(i+1)*len(row)]) })
		return p, err
	}
	s, err := mil.ToSparse(bag)
	if err != nil {
		return nil, err
	}
	p.start = append(p.start, 0)
	for i := range s.Rows {
		columns, values := s.Row(i)
		square, sum := 0.0, 0.0
		for k, j := range columns {
			v := float64(values[k]) * z.Factor[j]
			p.values, p.columns = append(p.values, v), append(p.columns, j)
			square += v * v
			sum += math.Abs(v)
		}
		p.start, p.squares, p.sums = append(p.start, int32(len(p.values))), append(p.squares, square), append(p.sums, sum)
	}
	return p, nil
}

// row returns the columns and values of sparse row i.
func (p *points) row(i int) ([]int32, []float64) {
	return p.columns[p.start[i]:p.start[i+1]], p.values[p.start[i]:p.start[i+1]]
}

// between writes the distances between the points of two bags into dst, row by row of a. If dst is too short, it grows.
func (z *standardised) between(metric transport.Metric, a, b *points, dst []float64) ([]float64, error) {
	if !z.Sparse {
		return transport.Costs(dst, metric, a.values, b.values, len(z.Factor))
	}
	n := a.rows * b.rows
	dst = slices.Grow(dst[:0], n)[:n]
	z.spread(a, func(i int, dense []float64) {
		for k := range b.rows {
			dst[i*b.rows+k] = sparseDistance(metric, a, i, dense, b, k)
		}
	})
	return dst, nil
}

// spread calls f with each sparse row, spread over all features. The row is valid until f returns.
func (z *standardised) spread(p *points, f func(i int, dense []float64)) {
	row, _ := z.zeros.Get().(*[]float64)
	if row == nil {
		zeros := make([]float64, len(z.Factor))
		row = &zeros
	}
	defer z.zeros.Put(row)
	dense := *row
	for i := range p.rows {
		columns, values := p.row(i)
		for k, j := range columns {
			dense[j] = values[k]
		}
		f(i, dense)
		for _, j := range columns {
			dense[j] = 0
		}
	}
}

// dot returns the product of sparse row i and a row that is spread over all features.
func (p *points) dot(i int, dense []float64) float64 {
	product := 0.0
	columns, values := p.row(i)
	for k, j := range columns {
		product += dense[j] * values[k]
	}
	return product
}

// sparseDistance returns the distance between row i of a, which dense holds, and row k of b.
func sparseDistance(metric transport.Metric, a *points, i int, dense []float64, b *points, k int) float64 {
	if metric == transport.CityBlock {
		columns, values := b.row(k)
		sizes := a.sums[i] + b.sums[k]
		sum := sizes
		for n, j := range columns {
			if v := dense[j]; v != 0 {
				sum += math.Abs(v-values[n]) - math.Abs(v) - math.Abs(values[n])
			}
		}
		if sum < cancels*sizes {
			sum = 0
			eachDifference(a, i, b, k, func(d float64) { sum += math.Abs(d) })
		}
		return sum
	}
	sizes := a.squares[i] + b.squares[k]
	square := sizes - 2*b.dot(k, dense)
	if square < cancels*sizes {
		square = 0
		eachDifference(a, i, b, k, func(d float64) { square += d * d })
	}
	return math.Sqrt(square)
}

// cancels is the distance, relative to the size of two instances, below which it is summed difference by difference.
// The difference of sums would lose too many digits.
const cancels = 1e-5

// eachDifference calls f with the differences of row i of a and row k of b in all columns stored in either.
func eachDifference(a *points, i int, b *points, k int, f func(float64)) {
	ca, va := a.row(i)
	cb, vb := b.row(k)
	for len(ca) > 0 || len(cb) > 0 {
		switch {
		case len(cb) == 0 || len(ca) > 0 && ca[0] < cb[0]:
			f(va[0])
			ca, va = ca[1:], va[1:]
		case len(ca) == 0 || cb[0] < ca[0]:
			f(vb[0])
			cb, vb = cb[1:], vb[1:]
		default:
			f(va[0] - vb[0])
			ca, va, cb, vb = ca[1:], va[1:], cb[1:], vb[1:]
		}
	}
}

// centre returns the mean of the points of a bag.
func (z *standardised) centre(p *points) []float64 {
	mean := make([]float64, len(z.Factor))
	if !z.Sparse {
		for i := range p.rows {
			floats.Add(mean, p.values[i*len(mean):(i+1)*len(mean)])
		}
	}
	for k, j := range p.columns {
		mean[j] += p.values[k]
	}
	floats.Scale(1/float64(max(p.rows, 1)), mean)
	return mean
}
