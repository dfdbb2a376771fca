package transport

import (
	"fmt"
	"math"
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

// Costs sets dst to the distances between the rows of x and of y, and returns it: dst[i*m+j] between row i of x and row j
// of y, where y has m rows. Both are row-major with the given number of features. Dst is made larger where it is too
// small. Equal rows have distance 0 exactly.
func Costs(dst []float64, metric Metric, x, y []float64, features int) ([]float64, error) {
	n, m, err := shape(metric, x, y, features)
	if err != nil {
		return nil, err
	}
	dst = grown(dst, n*m)
	costs(dst, metric, x, y, features)
	return dst, nil
}

// shape returns the rows of x and y, or what is wrong with them.
func shape(metric Metric, x, y []float64, features int) (int, int, error) {
	if metric != Euclidean && metric != CityBlock {
		return 0, 0, fmt.Errorf("transport: unknown metric %d", int(metric))
	}
	if features < 1 || len(x) == 0 || len(y) == 0 || len(x)%features != 0 || len(y)%features != 0 {
		return 0, 0, fmt.Errorf("transport: %d and %d values are not rows of %d features", len(x), len(y), features)
	}
	return len(x) / features, len(y) / features, nil
}

// block is the number of values of y, and so of x, that stay in the first-level cache.
const block = 2048

// costs is Costs where all fits.
func costs(dst []float64, metric Metric, x, y []float64, features int) {
	n, m, f := len(x)/features, len(y)/features, features
	four, one := squares4, squares
	if metric == CityBlock {
		four, one = absolutes4, absolutes
	}
	width := max(block/f&^3, 4)
	for first := 0; first < m&^3; first += width {
		end := min(first+width, m&^3)
		for i := range n {
			a, row := x[i*f:][:f], dst[i*m:][:m]
			for j := first; j < end; j += 4 {
				row[j], row[j+1], row[j+2], row[j+3] = four(a, y[j*f:][:f], y[(j+1)*f:][:f], y[(j+2)*f:][:f], y[(j+3)*f:][:f])
			}
		}
	}
	// The last columns, up to three: four rows at a time, which is faster than one by one.
	for j := m &^ 3; j < m; j++ {
		b := y[j*f:][:f]
		i := 0
		for ; i+4 <= n; i += 4 {
			dst[i*m+j], dst[(i+1)*m+j], dst[(i+2)*m+j], dst[(i+3)*m+j] = four(b, x[i*f:][:f], x[(i+1)*f:][:f], x[(i+2)*f:][:f], x[(i+3)*f:][:f])
		}
		for ; i < n; i++ {
			dst[i*m+j] = one(b, x[i*f:][:f])
		}
	}
	if metric == Euclidean {
		for i, d := range dst[:n*m] {
			dst[i] = math.Sqrt(d)
		}
	}
}

// squares4 returns the squared distances of a from four rows of its length.
func squares4(a, b0, b1, b2, b3 []float64) (s0, s1, s2, s3 float64) {
	b0, b1, b2, b3 = b0[:len(a)], b1[:len(a)], b2[:len(a)], b3[:len(a)]
	for k, p := range a {
		d := p - b0[k]
		s0 += d * d
		d = p - b1[k]
		s1 += d * d
		d = p - b2[k]
		s2 += d * d
		d = p - b3[k]
		s3 += d * d
	}
	return
}

// squares returns the squared distance of two rows of one length. It sums in the order of squares4, so that a distance
// does not depend on which of the two computed it.
func squares(a, b []float64) (s float64) {
	b = b[:len(a)]
	for k, p := range a {
		d := p - b[k]
		s += d * d
	}
	return
}

// absolutes4 returns the city-block distances of a from four rows of its length.
func absolutes4(a, b0, b1, b2, b3 []float64) (s0, s1, s2, s3 float64) {
	b0, b1, b2, b3 = b0[:len(a)], b1[:len(a)], b2[:len(a)], b3[:len(a)]
	for k, p := range a {
		s0 += math.Abs(p - b0[k])
		s1 += math.Abs(p - b1[k])
		s2 += math.Abs(p - b2[k])
		s3 += math.Abs(p - b3[k])
	}
	return
}

// absolutes returns the city-block distance of two rows of one length, summed in the order of absolutes4.
func absolutes(a, b []float64) (s float64) {
	b = b[:len(a)]
	for k, p := range a {
		s += math.Abs(p - b[k])
	}
	return
}
