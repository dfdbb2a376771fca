package classic

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"synpool/internal/svm"
	"synpool/internal/transport"
	"synpool/milbench"
	"synpool/milbench/learner/onebyone"
)

// SetKernelSVM is a support vector machine with the normalised set kernel
//
//	K(A, B) / sqrt(K(A, A) K(B, B)),  K(A, B) = sum_ab exp(-Gamma / d |a-b|^2),
//
// over the standardised instances, of d features, of two bags.
//
// Source: T. Gärtner, P. A. Flach, A. Kowalczyk and A. J. Smola, "Multi-instance kernels", ICML (2002).
type SetKernelSVM struct {
	Gamma    float64 `json:"gamma"`
	C        float64 `json:"c"`
	Balanced bool    `json:"balanced"` // both classes weigh the same, however many bags they have
}

// DefaultSetKernelSVM returns Gamma = 0.5 and C = 10.
func DefaultSetKernelSVM() SetKernelSVM { return SetKernelSVM{Gamma: 0.5, C: 10, Balanced: true} }

// SetKernelSVMEntry returns the machine on the set kernel for the list of learners.
func SetKernelSVMEntry() onebyone.Entry {
	var grid []milbench.Estimator
	for _, gamma := range []float64{0.2, 1, 5} {
		for _, c := range []float64{1, 10} {
			grid = append(grid, &SetKernelSVM{Gamma: gamma, C: c, Balanced: true})
		}
	}
	return onebyone.Entry{
		Name: "set-kernel-svm", Summary: "an SVM on the normalised set kernel (NSK)",
		Default: func() milbench.Estimator { s := DefaultSetKernelSVM(); return &s }, Grid: grid,
		Model: func() milbench.Model { return new(SetKernelModel) },
	}
}

// Validate reports the first hyperparameter that makes no sense.
func (s SetKernelSVM) Validate() error { return cmp.Or(above0("gamma", s.Gamma), above0("c", s.C)) }

// Takes implements what [milbench.Estimator] may have.
func (s SetKernelSVM) Takes() milbench.Takes { return pairwise() }

// Shares implements what [milbench.Estimator] may have.
func (s SetKernelSVM) Shares() string { return fmt.Sprintf("set kernel %v", s.Gamma) }

// Cost implements what [milbench.Estimator] may have.
func (s SetKernelSVM) Cost(bags []milbench.Instances) milbench.Cost {
	c := MeanMin.cost(bags)
	rows, _ := instancesAndValues(bags)
	c.Shared += rows * rows / 2 / movedPerSecond
	return c
}

// sum returns K of two bags.
func (s SetKernelSVM) sum(z *standardised, a, b *points, costs *[]float64) (float64, error) {
	all, err := z.between(transport.Euclidean, a, b, *costs)
	if err != nil {
		return 0, err
	}
	*costs = all
	gamma, sum := s.Gamma/float64(len(z.factor)), 0.0
	for _, d := range all {
		sum += math.Exp(-gamma * d * d)
	}
	return sum, nil
}

// setKernels are the kernels of the bags that fits share.
type setKernels struct {
	z     *standardised
	gram  *svm.Matrix
	roots []float64 // sqrt(K(A, A))
}

// Fit implements [milbench.Estimator].
func (s SetKernelSVM) Fit(ctx context.Context, t milbench.Training) (milbench.Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	shared, rows, err := share(t)
	if err != nil {
		return nil, err
	}
	k, err := milbench.Once(shared, s.Shares(), func() (*setKernels, error) {
		z, err := standardisedOf(shared)
		if err != nil {
			return nil, err
		}
		n := len(z.bags)
		values, k, costs := make([]float64, n*n), &setKernels{z: z, roots: make([]float64, n)}, []float64(nil)
		for i := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			own, err := s.sum(z, z.bags[i], z.bags[i], &costs)
			if err != nil {
				return nil, err
			}
			k.roots[i], values[i*n+i] = math.Sqrt(own), 1
			for j := range i {
				v, err := s.sum(z, z.bags[i], z.bags[j], &costs)
				if err != nil {
					return nil, err
				}
				v /= k.roots[i] * k.roots[j]
				values[i*n+j], values[j*n+i] = v, v
			}
		}
		k.gram, err = svm.NewMatrix(values, n, n)
		return k, err
	})
	if err != nil {
		return nil, err
	}
	machine, err := fitMachine(ctx, k.gram, rows, t, s.C, s.Balanced)
	if err != nil {
		return nil, err
	}
	m := &SetKernelModel{Setting: s, Scale: keepScale(k.z), Bias: machine.Bias, z: k.z}
	for i, c := range machine.Coefficients {
		if c != 0 {
			m.Coefficients = append(m.Coefficients, c/k.roots[rows[i]])
			m.Support, m.support = append(m.Support, keptBag{t.Bags[i]}), append(m.support, k.z.bags[rows[i]])
		}
	}
	return m, nil
}

// SetKernelModel is a fitted [SetKernelSVM].
type SetKernelModel struct {
	Setting      SetKernelSVM `json:"setting"`
	Scale        keptScale    `json:"scale"`
	Support      []keptBag    `json:"support"`
	Coefficients numbers      `json:"coefficients"` // divided by sqrt(K(A, A)) of the support bag A
	Bias         float64      `json:"bias"`

	z       *standardised
	support []*points
}

// Validate reports what of a model that was read does not fit together.
func (m *SetKernelModel) Validate() error {
	if err := cmp.Or(m.Setting.Validate(), m.Scale.validate(m.Support)); err != nil {
		return err
	}
	if len(m.Support) == 0 || len(m.Support) != len(m.Coefficients) {
		return fmt.Errorf("%d support bags and %d coefficients", len(m.Support), len(m.Coefficients))
	}
	var err error
	m.z, m.support, err = m.Scale.points(m.Support)
	return err
}

// Predict implements [milbench.Model].
func (m *SetKernelModel) Predict(bag milbench.Instances) (milbench.Prediction, error) {
	if m.z == nil {
		return milbench.Prediction{}, errNotValidated
	}
	p, err := m.z.of(bag)
	if err != nil {
		return milbench.Prediction{}, err
	}
	var costs []float64
	own, err := m.Setting.sum(m.z, p, p, &costs)
	if err != nil {
		return milbench.Prediction{}, err
	}
	score := 0.0
	for i, s := range m.support {
		v, err := m.Setting.sum(m.z, s, p, &costs)
		if err != nil {
			return milbench.Prediction{}, err
		}
		score += m.Coefficients[i] * v
	}
	return scored(score/math.Sqrt(own) + m.Bias)
}

// InstanceScores implements [milbench.InstanceScorer].
func (m *SetKernelModel) InstanceScores(bag milbench.Instances) ([]float64, error) {
	return leaveOut(m, bag)
}
