package transport

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/gonum"
)

// Metric is the distance between two instances.
type Metric int

const (
	// Euclidean is sqrt(sum over k of (x_k - y_k)^2).
	Euclidean Metric = iota
	// CityBlock is the sum over k of |x_k - y_k|.
	CityBlock
)

// String returns the name of the metric.
func (m Metric) String() string {
	switch m {
	case Euclidean:
		return "Euclidean"
	case CityBlock:
		return "city-block"
	}
	return fmt.Sprintf("Metric(%d)", int(m))
}

// Costs returns the distances between the rows of x and of y in dst: dst[i*m+j] is between row i of x and row j of y, where
// y has m rows. Both are row-major with the given number of features. If dst is too small, a new slice is allocated. Equal
// rows have distance exactly 0.
func Costs(dst []float64, metric Metric, x, y []float64, features int) ([]float64, error) {
	n, m, err := shape(metric, x, y, features)
	if err != nil {
		return nil, err
	}
	dst = grown(dst, n*m)
	costs(dst, metric, x, y, features)
	return dst, nil
}

// shape returns the numbers of rows of x and y, or an error.
func shape(metric Metric, x, y []float64, features int) (int, int, error) {
	if metric != Euclidean && metric != CityBlock {
		return 0, 0, fmt.Errorf("transport: unknown metric %d", int(metric))
	}
	if features < 1 || len(x) == 0 || len(y) == 0 || len(x)%features != 0 || len(y)%features != 0 {
		return 0, 0, fmt.Errorf("transport: %d and %d values are not rows of %d features", len(x), len(y), features)
	}
	return len(x) / features, len(y) / features, nil
}

const (
	// block is the number of values of y that stay in the first-level cache while x passes.
	block = 2048
	// up to few features, distances are computed without products.
	few = 12
	// near is the share of |x|^2 + |y|^2 below which a squared distance computed from products loses digits.
	near = 1e-2
)

// costs is Costs after the checks. Euclidean distances of more than a few features are computed from products, which is
// faster:
//
//	|x - y|^2 = |x|^2 + |y|^2 - 2 x.y
//
// Rows that are close relative to their norms are compared value by value, so that no digits are lost.
func costs(dst []float64, metric Metric, x, y []float64, features int) {
	n, m, f := len(x)/features, len(y)/features, features
	width := max(block/f, 4)
	for first := 0; first < m; first += width {
		end := min(first+width, m)
		switch {
		case metric == CityBlock:
			for i := range n {
				a, row := x[i*f:][:f], dst[i*m:][:m]
				for j := first; j < end; j++ {
					row[j] = absolutes(a, y[j*f:][:f])
				}
			}
		case f <= few:
			for i := range n {
				a, row := x[i*f:][:f], dst[i*m:][:m]
				for j := first; j < end; j++ {
					row[j] = math.Sqrt(squares(a, y[j*f:][:f]))
				}
			}
		default:
			products(dst, x, y, first, end, f)
		}
	}
}

// products sets columns first to end of dst to Euclidean distances.
func products(dst, x, y []float64, first, end, f int) {
	var blas gonum.Implementation
	n, m := len(x)/f, len(y)/f
	norms := dst[(n-1)*m:][:m] // The last row keeps |y|^2 until its own turn.
	for j := first; j < end; j++ {
		b := y[j*f:][:f]
		norms[j] = blas.Ddot(f, b, 1, b, 1)
	}
	for i := range n {
		a, row := x[i*f:][:f], dst[i*m:][:m]
		norm := blas.Ddot(f, a, 1, a, 1)
		for j := first; j < end; j++ {
			b := y[j*f:][:f]
			both := norm + norms[j]
			d := both - 2*blas.Ddot(f, a, 1, b, 1)
			if !(d > near*both) { // or NaN
				d = squares(a, b)
			}
			row[j] = math.Sqrt(d)
		}
	}
}

// squares returns the squared distance of two rows of the same length.
func squares(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k <= len(a)-4; k += 4 {
		p, q := (*[4]float64)(a[k:]), (*[4]float64)(b[k:])
		d0, d1, d2, d3 := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; k < len(a); k++ {
		d := a[k] - b[k]
		s0 += d * d
	}
	return s0 + s1 + (s2 + s3)
}

// absolutes returns the city-block distance of two rows of the same length.
func absolutes(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k <= len(a)-4; k += 4 {
		p, q := (*[4]float64)(a[k:]), (*[4]float64)(b[k:])
		s0 += math.Abs(p[0] - q[0])
		s1 += math.Abs(p[1] - q[1])
		s2 += math.Abs(p[2] - q[2])
		s3 += math.Abs(p[3] - q[3])
	}
	for ; k < len(a); k++ {
		s0 += math.Abs(a[k] - b[k])
	}
	return s0 + s1 + (s2 + s3)
}
