package classic

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/mixture"
	"synpool/internal/svm"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// FisherVectors is a linear support vector machine on the improved Fisher vectors of bags. A mixture of Components
// Gaussian densities is fitted to the standardised instances. Its covariances are diagonal; the weights are w_k, the
// means μ_k and the deviations σ_k. Let γ_k be the probability of component k given instance x. The vector of a bag of
// n instances has, for each component k and feature j,
//
//	1/(n sqrt(w_k))   Σ_x γ_k (x_j - μ_kj) / σ_kj
//	1/(n sqrt(2 w_k)) Σ_x γ_k ((x_j - μ_kj)² / σ_kj² - 1)
//
// Each value z is replaced by sign(z) sqrt(|z|), and the vector is scaled to length 1. The machine has the squared
// hinge loss and penalises its bias, like scikit-learn's LinearSVC. For a real target, it has the loss of [svm.SVR] and
// does not penalise the bias.
//
// The mixture is fitted to the instances of all bags of the training part, including those that an inner fold holds
// out, and never to targets. EM starts from clusters of k-means. All fits on a training part share the mixture: the
// seed of k-means depends only on the number of components, not on the seed of the fit. The mixture is fitted to an
// evenly spaced sample if there are more than 20,000 instances, or 40 million values. There are at most as many
// components as instances. EM adds 0.01 to every variance (features have variance 1), so that no component shrinks to a
// point.
//
// Source: F. Perronnin, J. Sánchez and T. Mensink, "Improving the Fisher kernel for large-scale image classification",
// ECCV (2010), sections 2.1 and 3; for bags, miFV of X.-S. Wei, J. Wu and Z.-H. Zhou, "Scalable algorithms for
// multi-instance learning", IEEE TNNLS 28 (2017). miFV first projects the instances onto principal components; we do
// not.
type FisherVectors struct {
	Components int `json:"components"`
	SVM

	start *mixture.Mixture // initial mixture of EM; nil to use clusters of k-means
}

// FisherVectorsEntry returns the entry of [FisherVectors] in the list of learners.
func FisherVectorsEntry() learner.Entry {
	var grid []learner.Estimator
	for _, components := range []int{4, 16} {
		for _, c := range []float64{1, 10} {
			grid = append(grid, &FisherVectors{Components: components, SVM: SVM{C: c, Balanced: true}})
		}
	}
	return learner.Entry{
		Name: "fisher-vectors", Summary: "a linear SVM on Fisher vectors of a Gaussian mixture (miFV without PCA)",
		Default: func() learner.Estimator { return &FisherVectors{Components: 4, SVM: SVM{C: 3, Balanced: true}} }, Grid: grid,
		Model: func() learner.Model { return new(fisherVectorsModel) },
	}
}

const (
	mostComponents     = 1000
	mostFisherFeatures = 2000 // limit for instances; a vector has 2 values per component and feature
	varianceFloor      = 0.01
)

// Validate reports the first invalid hyperparameter.
func (s FisherVectors) Validate() error {
	if s.Components < 1 || s.Components > mostComponents {
		return fmt.Errorf("components %d: from 1 to %d are needed", s.Components, mostComponents)
	}
	return s.SVM.validate()
}

// Takes implements an optional method of [learner.Estimator].
func (s FisherVectors) Takes() learner.Takes {
	return learner.Takes{Kinds: kinds, Dense: true, Sparse: true, MaxFeatures: mostFisherFeatures}
}

// Shares implements an optional method of [learner.Estimator].
func (s FisherVectors) Shares() string { return fmt.Sprintf("components %d", s.Components) }

// Assumptions of time estimates: passes of k-means and EM over the sample, where a pass of EM counts as three, and
// passes of the machine over the vectors.
const (
	fisherPasses  = 80
	machinePasses = 50
)

// Cost implements an optional method of [learner.Estimator].
func (s FisherVectors) Cost(bags []mil.Instances) learner.Cost {
	rows, n, d := 0, float64(len(bags)), 0
	for _, b := range bags {
		rows, d = rows+b.Len(), b.Features()
	}
	some, values := float64(sampled(rows, d)), float64(min(s.Components, max(rows, 1)))*float64(d)
	return learner.Cost{
		Seconds: (machinePasses + n/2) * n * 2 * values / comparedPerSecond,
		Shared:  (some*fisherPasses + 3*float64(rows)) * values / comparedPerSecond,
		Memory:  uint64(some*float64(4*d+24)+8*(8*values+4*n*values+n*n)) + mil.MomentsBytes(bags) + 1<<20,
	}
}

// fisher is shared by fits with the same number of components.
type fisher struct {
	scale   scale
	mixture *mixture.Mixture
	values  []float64 // vectors of the bags, row-major
}

// fisherOf returns the mixture and the vectors of the shared bags.
func (s FisherVectors) fisherOf(ctx context.Context, shared *learner.Shared) (*fisher, error) {
	return learner.Once(shared, s.Shares(), func() (*fisher, error) {
		scale, x, err := sharedSample(shared)
		if err != nil {
			return nil, err
		}
		f, g := &fisher{scale: scale}, mixture.DefaultGaussian(min(s.Components, x.n))
		g.Floor = varianceFloor
		if s.start != nil {
			f.mixture, err = g.From(ctx, x.rows(), s.start)
		} else {
			f.mixture, err = g.Fit(ctx, x.rows(), rand.New(rand.NewPCG(uint64(s.Components), 2)))
		}
		if err != nil {
			return nil, err
		}
		f.values, err = eachBag(ctx, shared.Bags, func(b mil.Instances) ([]float64, error) { return fisherVector(b, scale, f.mixture) })
		return f, err
	})
}

// fisherVector returns the Fisher vector of a bag.
func fisherVector(bag mil.Instances, s scale, m *mixture.Mixture) ([]float64, error) {
	var failed error
	vector, err := m.Fisher(s.rows(bag, &failed))
	return vector, cmp.Or(failed, err)
}

// Fit implements [learner.Estimator].
func (s FisherVectors) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	f, err := s.fisherOf(ctx, shared)
	if err != nil {
		return nil, err
	}
	d := 2 * len(f.mixture.Means)
	var x []float64
	for _, i := range rows {
		x = append(x, f.values[i*d:(i+1)*d]...)
	}
	planes, o, err := fitOutputs(t, d, func(positive []bool) ([]float64, float64, error) {
		linear := svm.DefaultLinear()
		linear.C, linear.Tolerance = s.C, 1e-6
		plane, err := fitLinear(ctx, linear, x, d, positive, s.Balanced)
		if err != nil {
			return nil, 0, err
		}
		return plane.Weights, plane.Bias, nil
	}, func(values []float64) ([]float64, float64, error) { return s.regress(ctx, x, d, values) })
	if err != nil {
		return nil, err
	}
	return &fisherVectorsModel{
		Scale: f.scale, Shares: f.mixture.Weights, Means: f.mixture.Means,
		Variances: f.mixture.Variances, Weights: slices.Concat(planes...), outputs: o,
	}, nil
}

// regress returns weights and bias of a regression on rows of d values, with their products as the kernel.
func (s FisherVectors) regress(ctx context.Context, x []float64, d int, values []float64) (weights []float64, bias float64, err error) {
	row := func(i int) []float64 { return x[i*d : (i+1)*d] }
	n := len(values)
	products := make([]float64, n*n)
	for i := range n {
		for k := range i + 1 {
			products[i*n+k] = floats.Dot(row(i), row(k))
			products[k*n+i] = products[i*n+k]
		}
	}
	gram, err := svm.NewMatrix(products, n)
	if err != nil {
		return nil, 0, err
	}
	coefficients, bias, err := s.SVM.regress(ctx, gram, values)
	if err != nil {
		return nil, 0, err
	}
	weights = make([]float64, d)
	for i, beta := range coefficients {
		floats.AddScaled(weights, beta, row(i))
	}
	return weights, bias, nil
}

// fisherVectorsModel is a fitted [FisherVectors]. The score of a bag is the product of Weights with its Fisher vector,
// plus a bias. Each class has its own weights and bias.
type fisherVectorsModel struct {
	Scale     scale   `json:"scale"`
	Shares    numbers `json:"shares"` // weights of the components, [components]
	Means     numbers `json:"means"`  // [components, features], in units of standardised instances
	Variances numbers `json:"variances"`
	Weights   numbers `json:"weights"` // [machines, 2, components, features]
	outputs
}

func (m *fisherVectorsModel) mixture() *mixture.Mixture {
	return &mixture.Mixture{Features: len(m.Scale.Factor), Weights: m.Shares, Means: m.Means, Variances: m.Variances}
}

// Validate reports parts of a decoded model that do not fit together.
func (m *fisherVectorsModel) Validate() error {
	if err := cmp.Or(m.Scale.validate(nil), m.mixture().Validate()); err != nil {
		return err
	}
	each, err := m.outputs.validate(len(m.Weights))
	if err != nil {
		return err
	}
	if each != 2*len(m.Means) {
		return fmt.Errorf("%d weights for Fisher vectors of %d values", len(m.Weights), 2*len(m.Means))
	}
	return nil
}

// Predict implements [learner.Model].
func (m *fisherVectorsModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	vector, err := fisherVector(bag, m.Scale, m.mixture())
	if err != nil {
		return mil.Prediction{}, err
	}
	return m.prediction(m.Weights, vector)
}

// InstanceScores implements [learner.InstanceScorer].
func (m *fisherVectorsModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	return leaveOut(m, bag)
}
