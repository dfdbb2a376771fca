package transport

import (
	"errors"
	"fmt"
	"math"
)

// Limit is the usual number of representatives of a large bag. Bags of up to a thousand rows rarely need them: their exact
// distance takes a fraction of a second.
const Limit = 256

// Coarse is a bag of weighted representatives, which are rows of the bag itself.
type Coarse struct {
	Metric   Metric
	Features int
	Rows     []float64 // representatives, row-major
	Weights  []float64 // of the representatives
	To       []int     // the representative of each row
	// Moved is the sum over rows of weight times distance to the representative. It is at least the distance between the
	// bag and its representatives.
	Moved float64
}

// Coarsen reduces a bag to at most limit representatives. A bag of at most limit rows represents itself: Moved is 0, and
// Rows is x itself.
//
// It makes one step of k-medoids, starting from equally spaced rows: each row is assigned to the nearest of them, each group
// is then represented by the row nearest to its mean, and each row is assigned to the nearest of these. Using the means
// would bias the distance: the mean of many rows with many features is nearer to everything than any row. Ties go to the
// first.
func Coarsen(metric Metric, x []float64, features, limit int) (*Coarse, error) {
	n, _, err := shape(metric, x, x, features)
	if err != nil {
		return nil, err
	}
	if limit < 1 {
		return nil, fmt.Errorf("transport: %d rows, at most %d representatives", n, limit)
	}
	c := &Coarse{Metric: metric, Features: features, Rows: x, Weights: make([]float64, n), To: make([]int, n)}
	for i := range c.To {
		c.Weights[i], c.To[i] = 1/float64(n), i
	}
	if n <= limit {
		return c, nil
	}
	c.Rows, c.Weights = make([]float64, limit*features), make([]float64, limit)
	for k := range limit {
		i := k * n / limit
		copy(c.Rows[k*features:], x[i*features:][:features])
	}
	c.assign(x)
	c.centre(x)
	c.assign(x)
	if math.IsNaN(c.Moved) || math.IsInf(c.Moved, 0) {
		return nil, fmt.Errorf("transport: distances within a bag sum to %v", c.Moved)
	}
	return c, nil
}

// assign sets To to the nearest representative of each row, and the weights and Moved accordingly.
func (c *Coarse) assign(x []float64) {
	clear(c.Weights)
	c.Moved = 0
	w := 1 / float64(len(c.To)) // of a row
	distances := make([]float64, len(c.Weights))
	for i := range c.To {
		costs(distances, c.Metric, x[i*c.Features:][:c.Features], c.Rows, c.Features)
		best := 0
		for k, d := range distances {
			if d < distances[best] {
				best = k
			}
		}
		c.To[i] = best
		c.Weights[best] += w
		c.Moved += w * distances[best]
	}
}

// centre makes the row nearest to the mean of a group its representative. A group without rows keeps its representative.
func (c *Coarse) centre(x []float64) {
	f := c.Features
	means, nearest := make([]float64, len(c.Rows)), make([]float64, len(c.Weights))
	for i, k := range c.To {
		part := 1 / float64(len(c.To)) / c.Weights[k]
		for j, v := range x[i*f:][:f] {
			means[k*f+j] += part * v
		}
	}
	for k := range nearest {
		nearest[k] = math.Inf(1)
	}
	for i, k := range c.To {
		if d := squares(x[i*f:][:f], means[k*f:][:f]); d < nearest[k] {
			nearest[k] = d
			copy(c.Rows[k*f:], x[i*f:][:f])
		}
	}
}

// Approximate returns the distance between the representatives of two bags. By the triangle inequality, the distance of the
// bags themselves differs by at most bound, the sum of both Moved; usually by far less: see the README. If both bags
// represent themselves, bound is 0 and the distance is exact.
func (s *Solver) Approximate(x, y *Coarse) (distance, bound float64, err error) {
	if x.Metric != y.Metric || x.Features != y.Features {
		return 0, 0, errors.New("transport: bags of different metrics or features")
	}
	distance, err = s.Between(x.Metric, x.Rows, y.Rows, x.Features, x.Weights, y.Weights)
	return distance, x.Moved + y.Moved, err
}
