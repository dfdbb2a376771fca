package classic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/transport"
	"synpool/milbench"
)

// points are the instances of a bag, standardised: dense rows, or sparse ones.
type points struct {
	rows   int
	values []float64 // row by row, or those that are stored

	start, columns []int32   // of sparse rows
	squares        []float64 // |x|^2 of each sparse row
	sums           []float64 // |x|_1 of each sparse row
}

// standardised are the instances of the bags that fits share, standardised over all of them.
type standardised struct {
	scale
	shared *milbench.Shared
	bags   []*points
	sparse bool
}

// standardisedOf returns those of the bags that fits share.
func standardisedOf(s *milbench.Shared) (*standardised, error) {
	return milbench.Once(s, "standardised", func() (*standardised, error) {
		scale, err := scaleOf(s.Bags)
		if err != nil {
			return nil, err
		}
		z := &standardised{scale: scale, shared: s, sparse: true}
		for _, b := range s.Bags {
			z.sparse = z.sparse && milbench.IsSparse(b)
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

// of returns the points of a bag.
func (z *standardised) of(bag milbench.Instances) (*points, error) {
	if z.shared != nil {
		if row, found := z.shared.Row(bag); found {
			return z.bags[row], nil
		}
	}
	return z.standardise(bag)
}

// standardise makes the points of a bag.
func (z *standardised) standardise(bag milbench.Instances) (*points, error) {
	if n := bag.Features(); n != len(z.factor) {
		return nil, fmt.Errorf("a bag of %d features for a model of %d", n, len(z.factor))
	}
	p := &points{rows: bag.Len()}
	if !z.sparse {
		p.values = make([]float64, bag.Len()*bag.Features())
		err := milbench.EachRow(bag, func(i int, row []float32) { z.apply(row, p.values[i*len(row):(i+1)*len(row)]) })
		return p, err
	}
	s, err := milbench.ToSparse(bag)
	if err != nil {
		return nil, err
	}
	p.start = append(p.start, 0)
	for i := range s.Rows {
		columns, values := s.Row(i)
		square, sum := 0.0, 0.0
		for k, j := range columns {
			v := float64(values[k]) * z.factor[j]
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

// between writes the distances between the points of two bags, row by row of a, into dst, which grows if it is too short.
func (z *standardised) between(metric transport.Metric, a, b *points, dst []float64) ([]float64, error) {
	if !z.sparse {
		return transport.Costs(dst, metric, a.values, b.values, len(z.factor))
	}
	if n := a.rows * b.rows; cap(dst) < n {
		dst = make([]float64, n)
	} else {
		dst = dst[:n]
	}
	dense := make([]float64, len(z.factor))
	for i := range a.rows {
		columns, values := a.row(i)
		for k, j := range columns {
			dense[j] = values[k]
		}
		for k := range b.rows {
			dst[i*b.rows+k] = sparseDistance(metric, a, i, dense, b, k)
		}
		for _, j := range columns {
			dense[j] = 0
		}
	}
	return dst, nil
}

// sparseDistance returns the distance of row i of a, which dense holds, and row k of b.
func sparseDistance(metric transport.Metric, a *points, i int, dense []float64, b *points, k int) float64 {
	columns, values := b.row(k)
	if metric == transport.CityBlock {
		sum := a.sums[i] + b.sums[k]
		for n, j := range columns {
			if v := dense[j]; v != 0 {
				sum += math.Abs(v-values[n]) - math.Abs(v) - math.Abs(values[n])
			}
		}
		return max(sum, 0)
	}
	product := 0.0
	for n, j := range columns {
		product += dense[j] * values[n]
	}
	square := a.squares[i] + b.squares[k] - 2*product
	if square < 1e-9*(a.squares[i]+b.squares[k]) { // what cancels: one instance, up to rounding
		return 0
	}
	return math.Sqrt(square)
}

// centre returns the mean of the points of a bag.
func (z *standardised) centre(p *points) []float64 {
	mean := make([]float64, len(z.factor))
	if !z.sparse {
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
