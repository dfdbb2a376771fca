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

// Gaussian holds the hyperparameters of a mixture of Gaussian densities with diagonal covariance.
type Gaussian struct {
	Components int     // k
	Iterations int     // maximum number of EM iterations
	Tolerance  float64 // EM ends when the mean log-likelihood per row changes by less
	Floor      float64 // added to every variance
}

// DefaultGaussian returns scikit-learn's defaults: at most 100 iterations, tolerance 1e-3, floor 1e-6.
func DefaultGaussian(components int) Gaussian {
	return Gaussian{Components: components, Iterations: 100, Tolerance: 1e-3, Floor: 1e-6}
}

// Mixture is a fitted mixture: p(x) = Σ_k w_k Π_j N(x_j; μ_kj, σ²_kj).
type Mixture struct {
	Features      int       // d
	Weights       []float64 // [k], they sum to 1
	Means         []float64 // [k, d]
	Variances     []float64 // [k, d]
	LogLikelihood float64   // mean of log p over the training rows, in nats
	Iterations    int
	Converged     bool
}

// tiny is added to the sum of responsibilities of each component, as in scikit-learn, so that no weight is 0.
const tiny = 10 * 0x1p-52

// leastVariance keeps (x − μ)²/σ² finite for all float32.
const leastVariance = 1e-200

// Validate returns an error if the fields are not a valid mixture, for example when read from a file.
func (m *Mixture) Validate() error {
	k := len(m.Weights)
	if m.Features < 1 || k == 0 || len(m.Means)/k != m.Features || len(m.Means)%k != 0 || len(m.Variances) != len(m.Means) {
		return fmt.Errorf("mixture: %d weights, %d means and %d variances of %d features", k, len(m.Means), len(m.Variances), m.Features)
	}
	var sum float64
	for i, w := range m.Weights {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("mixture: weight %d is %g", i, w)
		}
		sum += w
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("mixture: the weights sum to %g, want 1", sum)
	}
	for i, v := range m.Variances {
		if !(v >= leastVariance && v <= math.MaxFloat64) {
			return fmt.Errorf("mixture: variance %d is %g", i, v)
		}
	}
	return finite("mean", m.Means)
}

// Fit returns a mixture fitted by EM, initialised with the clusters of one run of k-means. It returns an error if there are
// fewer rows than components or a value is not finite, and the cause of the context when that ends.
func (c Gaussian) Fit(ctx context.Context, rows iter.Seq[[]float32], random *rand.Rand) (*Mixture, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	centres, err := DefaultKMeans(c.Components).Fit(ctx, rows, random)
	if err != nil {
		return nil, err
	}
	d := centres.Features
	// As if each row belonged completely to its nearest centre.
	s := newSums(c.Components, d)
	hard := make([]float64, c.Components)
	if err := pass(ctx, rows, d, func(_ int, row []float64) {
		clear(hard)
		k, _ := nearest(row, centres.Values)
		hard[k] = 1
		s.add(row, hard, centres.Values)
	}); err != nil {
		return nil, err
	}
	start := &Mixture{Features: d, Weights: make([]float64, c.Components), Means: centres.Values, Variances: make([]float64, c.Components*d)}
	s.set(start, c.Floor)
	return c.em(ctx, rows, start)
}

// From returns the mixture that EM finds from the weights, means and variances of start.
func (c Gaussian) From(ctx context.Context, rows iter.Seq[[]float32], start *Mixture) (*Mixture, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := start.Validate(); err != nil {
		return nil, err
	}
	if len(start.Weights) != c.Components {
		return nil, fmt.Errorf("mixture: %d components to begin with, want %d", len(start.Weights), c.Components)
	}
	if _, _, _, err := measure(ctx, rows); err != nil {
		return nil, err
	}
	return c.em(ctx, rows, &Mixture{Features: start.Features, Weights: slices.Clone(start.Weights), Means: slices.Clone(start.Means), Variances: slices.Clone(start.Variances)})
}

func (c Gaussian) check() error {
	if c.Components < 1 || c.Iterations < 0 || !(c.Tolerance >= 0) || !(c.Floor >= 0) {
		return fmt.Errorf("mixture: %d components, %d iterations, tolerance %g and floor %g, want at least 1, 0, 0 and 0", c.Components, c.Iterations, c.Tolerance, c.Floor)
	}
	return nil
}

// em updates a mixture until its likelihood converges.
func (c Gaussian) em(ctx context.Context, rows iter.Seq[[]float32], m *Mixture) (*Mixture, error) {
	s, gamma := newSums(c.Components, m.Features), make([]float64, c.Components)
	before := math.Inf(-1)
	for m.Iterations < c.Iterations && !m.Converged {
		s.clear()
		e := m.density()
		var total float64
		if err := pass(ctx, rows, m.Features, func(_ int, row []float64) {
			total += e.responsibilities(row, gamma)
			s.add(row, gamma, m.Means)
		}); err != nil {
			return nil, err
		}
		mean := total / s.n
		s.set(m, c.Floor)
		m.Iterations++
		m.Converged = math.Abs(mean-before) < c.Tolerance
		before = mean
		if mean-mean != 0 || slices.ContainsFunc(m.Variances, func(v float64) bool { return !(v >= leastVariance) }) {
			return nil, errors.New("mixture: a component has no variance; the floor must be above 0")
		}
	}
	e := m.density()
	var total, n float64
	err := pass(ctx, rows, m.Features, func(_ int, row []float64) { total, n = total+e.responsibilities(row, gamma), n+1 })
	m.LogLikelihood = total / n
	return m, err
}

// sums has the sums for the M step: Σγ, Σγ(x−c) and Σγ(x−c)², about a point c near each mean, so that no digits cancel.
type sums struct {
	n              float64   // rows
	weights        []float64 // [k]
	first, squares []float64 // [k, d]
}

func newSums(k, d int) *sums {
	return &sums{weights: make([]float64, k), first: make([]float64, k*d), squares: make([]float64, k*d)}
}

func (s *sums) clear() {
	s.n = 0
	clear(s.weights)
	clear(s.first)
	clear(s.squares)
}

// add adds a row with its responsibilities, about points [k, d].
func (s *sums) add(row, gamma, points []float64) {
	s.n++
	d := len(row)
	for k, g := range gamma {
		if g == 0 {
			continue
		}
		s.weights[k] += g
		at, first, squares := points[k*d:][:d], s.first[k*d:][:d], s.squares[k*d:][:d]
		for j, v := range row {
			off := v - at[j]
			first[j] += g * off
			squares[j] += g * off * off
		}
	}
}

// set sets weights, means and variances of a mixture whose means are the points.
func (s *sums) set(m *Mixture, floor float64) {
	var total float64
	for k, w := range s.weights {
		w += tiny
		m.Weights[k] = w
		total += w
		for j := k * m.Features; j < (k+1)*m.Features; j++ {
			shift := s.first[j] / w
			m.Means[j] += shift
			m.Variances[j] = max(0, s.squares[j]/w-shift*shift) + floor
		}
	}
	for k := range m.Weights {
		m.Weights[k] /= total
	}
}

// density is a mixture with the terms that are the same for all rows: log w_k − ½ Σ_j log 2πσ²_kj and 1/σ²_kj.
type density struct {
	*Mixture
	constant  []float64 // [k]
	precision []float64 // [k, d]
}

func (m *Mixture) density() *density {
	e := &density{Mixture: m, constant: make([]float64, len(m.Weights)), precision: make([]float64, len(m.Variances))}
	for k, w := range m.Weights {
		e.constant[k] = math.Log(w)
		for j := k * m.Features; j < (k+1)*m.Features; j++ {
			e.constant[k] -= math.Log(2*math.Pi*m.Variances[j]) / 2
			e.precision[j] = 1 / m.Variances[j]
		}
	}
	return e
}

// responsibilities sets γ [k] of a row and returns log p(x).
func (e *density) responsibilities(row, gamma []float64) float64 {
	d, largest := len(row), math.Inf(-1)
	for k := range gamma {
		means, precision := e.Means[k*d:][:d], e.precision[k*d:][:d]
		var sum float64
		for j, v := range row {
			off := v - means[j]
			sum += off * off * precision[j]
		}
		gamma[k] = e.constant[k] - sum/2
		largest = max(largest, gamma[k])
	}
	var total float64
	for k, v := range gamma {
		gamma[k] = math.Exp(v - largest)
		total += gamma[k]
	}
	for k := range gamma {
		gamma[k] /= total
	}
	return largest + math.Log(total)
}

// Responsibilities returns γ [k], the probability of each component given a row, and log p(x).
func (m *Mixture) Responsibilities(row []float32) (gamma []float64, logDensity float64) {
	at := make([]float64, m.Features)
	for j := range at {
		at[j] = float64(row[j])
	}
	gamma = make([]float64, len(m.Weights))
	logDensity = m.density().responsibilities(at, gamma)
	return gamma, logDensity
}

// Fisher returns the improved Fisher vector of n rows, [2, k, d]: first the derivatives by the means, then those by the
// standard deviations,
//
//	1/(n √w_k) Σ γ_k (x_j − μ_kj)/σ_kj
//	1/(n √(2 w_k)) Σ γ_k ((x_j − μ_kj)²/σ²_kj − 1)
//
// Each entry z is then replaced by sign(z)·√|z|, and the vector is scaled to length 1. It is zero if there are no rows. It
// is an error if a row has a different number of features. Source: Perronnin, Sánchez and Mensink, Improving the Fisher
// kernel, ECCV 2010, section 2.1 and 3.
func (m *Mixture) Fisher(rows iter.Seq[[]float32]) ([]float64, error) {
	s, gamma := newSums(len(m.Weights), m.Features), make([]float64, len(m.Weights))
	e := m.density()
	err := pass(context.Background(), rows, m.Features, func(_ int, row []float64) {
		e.responsibilities(row, gamma)
		s.add(row, gamma, m.Means)
	})
	if err != nil {
		return nil, err
	}
	half := len(m.Means)
	vector := make([]float64, 2*half)
	var length float64
	for j := range half {
		k := j / m.Features
		scale := 1 / (max(s.n, 1) * math.Sqrt(m.Weights[k]))
		vector[j] = scale * s.first[j] / math.Sqrt(m.Variances[j])
		vector[half+j] = scale / math.Sqrt2 * (s.squares[j]/m.Variances[j] - s.weights[k])
		length += math.Abs(vector[j]) + math.Abs(vector[half+j])
	}
	if length > 0 {
		for i, v := range vector {
			vector[i] = math.Copysign(math.Sqrt(math.Abs(v)/length), v)
		}
	}
	return vector, nil
}
