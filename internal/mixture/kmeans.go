package mixture

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// KMeans holds the hyperparameters of k-means.
type KMeans struct {
	Clusters   int     // k
	Iterations int     // maximum number of iterations
	Tolerance  float64 // ends when Σ ‖move of a centre‖² is at most this times the mean variance of the features
}

// DefaultKMeans returns at most 300 iterations with tolerance 1e-4.
func DefaultKMeans(clusters int) KMeans {
	return KMeans{Clusters: clusters, Iterations: 300, Tolerance: 1e-4}
}

// Centres are k fitted centres.
type Centres struct {
	Features   int       // d
	Values     []float64 // [k, d]
	Inertia    float64   // sum of squared distances of the rows to their nearest centre
	Iterations int
}

// Clusters returns k.
func (c *Centres) Clusters() int { return len(c.Values) / c.Features }

// Validate returns an error if the fields are not valid centres, for example when read from a file.
func (c *Centres) Validate() error {
	if c.Features < 1 || len(c.Values) == 0 || len(c.Values)%c.Features != 0 {
		return fmt.Errorf("mixture: %d values of centres, want rows of %d features", len(c.Values), c.Features)
	}
	return finite("value", c.Values)
}

// Fit returns the centres that Lloyd's algorithm finds from centres drawn by k-means++ (Arthur and Vassilvitskii 2007): each
// is a row, drawn in proportion to its squared distance from the nearest centre so far. It returns an error if there are
// fewer rows than clusters or a value is not finite, and the cause of the context when that ends.
func (c KMeans) Fit(ctx context.Context, rows iter.Seq[[]float32], random *rand.Rand) (*Centres, error) {
	n, d, variance, err := c.check(ctx, rows)
	if err != nil {
		return nil, err
	}
	start, err := c.seed(ctx, rows, n, d, random)
	if err != nil {
		return nil, err
	}
	return c.lloyd(ctx, rows, n, d, variance, start)
}

// From returns the centres that Lloyd's algorithm finds from the given ones [k, d]. Each iteration assigns rows to the
// nearest centre, the first of equals, and moves centres to the means of their rows. A centre without rows moves to the row
// farthest from its centre, as in scikit-learn.
func (c KMeans) From(ctx context.Context, rows iter.Seq[[]float32], centres []float64) (*Centres, error) {
	n, d, variance, err := c.check(ctx, rows)
	if err != nil {
		return nil, err
	}
	if len(centres) != c.Clusters*d {
		return nil, fmt.Errorf("mixture: %d values of centres, want %d × %d", len(centres), c.Clusters, d)
	}
	if err := finite("value", centres); err != nil {
		return nil, err
	}
	return c.lloyd(ctx, rows, n, d, variance, slices.Clone(centres))
}

// check returns the number of rows and of features, and the mean variance of a feature.
func (c KMeans) check(ctx context.Context, rows iter.Seq[[]float32]) (n, d int, variance float64, err error) {
	if c.Clusters < 1 || c.Iterations < 1 || !(c.Tolerance >= 0) {
		return 0, 0, 0, fmt.Errorf("mixture: %d clusters, %d iterations and tolerance %g, want at least 1, 1 and 0", c.Clusters, c.Iterations, c.Tolerance)
	}
	n, d, variance, err = measure(ctx, rows)
	if err == nil && n < c.Clusters {
		err = fmt.Errorf("mixture: %d rows for %d clusters", n, c.Clusters)
	}
	return n, d, variance, err
}

// seed draws centres by k-means++.
func (c KMeans) seed(ctx context.Context, rows iter.Seq[[]float32], n, d int, random *rand.Rand) ([]float64, error) {
	centres := make([]float64, 0, c.Clusters*d)
	distances := slices.Repeat([]float64{math.Inf(1)}, n)
	chosen := random.IntN(n)
	for {
		var centre []float64
		if err := pass(ctx, rows, d, func(i int, row []float64) {
			if i == chosen {
				centre = slices.Clone(row)
			}
		}); err != nil {
			return nil, err
		}
		if centre == nil {
			return nil, errMoved
		}
		centres = append(centres, centre...)
		if len(centres) == c.Clusters*d {
			return centres, nil
		}
		var total float64
		if err := pass(ctx, rows, d, func(i int, row []float64) {
			if i < n {
				distances[i] = min(distances[i], squared(row, centre))
				total += distances[i]
			}
		}); err != nil {
			return nil, err
		}
		if total == 0 { // every row is a centre already
			chosen = random.IntN(n)
			continue
		}
		left := random.Float64() * total
		for i, distance := range distances {
			if distance == 0 {
				continue
			}
			chosen = i // the last row with a distance, in case of rounding errors
			if left -= distance; left < 0 {
				break
			}
		}
	}
}

// errMoved says that an iterator does not yield the same rows each time.
var errMoved = errors.New("mixture: the iterator yields different numbers of rows")

// lloyd moves the centres until they converge.
func (c KMeans) lloyd(ctx context.Context, rows iter.Seq[[]float32], n, d int, variance float64, centres []float64) (*Centres, error) {
	found := &Centres{Features: d, Values: centres}
	labels, distances := slices.Repeat([]int{-1}, n), make([]float64, n)
	sums, counts := make([]float64, len(centres)), make([]int, c.Clusters)
	assign := func() (changed bool, err error) {
		clear(sums)
		clear(counts)
		found.Inertia = 0
		seen := 0
		err = pass(ctx, rows, d, func(i int, row []float64) {
			if seen++; i >= n {
				return
			}
			label, distance := nearest(row, found.Values)
			changed = changed || label != labels[i]
			labels[i], distances[i] = label, distance
			found.Inertia += distance
			counts[label]++
			to := sums[label*d : (label+1)*d]
			for j, v := range row {
				to[j] += v
			}
		})
		if err == nil && seen != n {
			err = errMoved
		}
		return changed, err
	}
	for range c.Iterations {
		found.Iterations++
		changed, err := assign()
		if err != nil {
			return nil, err
		}
		if slices.Contains(counts, 0) {
			if err := relocate(ctx, rows, d, labels, distances, sums, counts); err != nil {
				return nil, err
			}
		}
		var moved float64
		for k, count := range counts {
			for j := range d {
				if count > 0 { // otherwise every row is at its centre: the centre stays
					to := sums[k*d+j] / float64(count)
					off := to - found.Values[k*d+j]
					moved += off * off
					found.Values[k*d+j] = to
				}
			}
		}
		if !changed {
			return found, nil
		}
		if moved <= c.Tolerance*variance {
			break
		}
	}
	_, err := assign() // inertia of the last centres
	return found, err
}

// relocate gives each empty cluster the row farthest from its centre among the rows not yet given.
func relocate(ctx context.Context, rows iter.Seq[[]float32], d int, labels []int, distances, sums []float64, counts []int) error {
	takes := map[int]int{} // row to cluster
	for k, count := range counts {
		if count > 0 {
			continue
		}
		far := -1
		for i, distance := range distances {
			if _, taken := takes[i]; !taken && distance > 0 && counts[labels[i]] > 1 && (far < 0 || distance > distances[far]) {
				far = i
			}
		}
		if far < 0 {
			break
		}
		takes[far] = k
		counts[labels[far]]--
	}
	return pass(ctx, rows, d, func(i int, row []float64) {
		k, ok := takes[i]
		if !ok {
			return
		}
		counts[k] = 1
		for j, v := range row {
			sums[labels[i]*d+j] -= v
			sums[k*d+j] = v
		}
	})
}

// nearest returns the first nearest of centres [k, d] to a row, and its squared distance.
func nearest(row, centres []float64) (int, float64) {
	best, least := 0, math.Inf(1)
	d := len(row)
	for k := 0; (k+1)*d <= len(centres); k++ {
		if distance := squared(row, centres[k*d:(k+1)*d]); distance < least {
			best, least = k, distance
		}
	}
	return best, least
}

// squared returns ‖a − b‖².
func squared(a, b []float64) float64 {
	b = b[:len(a)]
	var sum float64
	for i, v := range a {
		off := v - b[i]
		sum += off * off
	}
	return sum
}

// Nearest returns the cluster whose centre is nearest to a row, the first of equals, and the squared distance.
func (c *Centres) Nearest(row []float32) (cluster int, distance float64) {
	at := make([]float64, c.Features)
	for j := range at {
		at[j] = float64(row[j])
	}
	return nearest(at, c.Values)
}
