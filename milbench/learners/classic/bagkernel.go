package classic

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"synpool/internal/svm"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// DistanceSVM is a support vector machine with a kernel on distances between bags. The kernel of bags A and B is
//
//	exp(-Sharpness (D(A, B) / m)^Power),
//
// where D is the distance and m its mean over all pairs of bags of the training part. The kernel need not be positive
// semidefinite; the machine still finds a stationary point.
//
// Source for earth mover's distances in such a kernel: J. Zhang, M. Marszalek, S. Lazebnik and C. Schmid, "Local
// features and kernels for classification of texture and object categories", IJCV 73 (2007).
type DistanceSVM struct {
	Distance  Distance `json:"distance"`
	Scaling   Scaling  `json:"scaling"`
	Power     float64  `json:"power"`
	Sharpness float64  `json:"sharpness"`
	SVM
}

// DefaultDistanceSVM returns the default machine for a distance, with C = 10. Earth mover's distances have Power 1 and
// Sharpness 0.5; the others have a Gaussian kernel.
func DefaultDistanceSVM(d Distance) DistanceSVM {
	if d.moves() {
		return DistanceSVM{Distance: d, Scaling: Deviation, Power: 1, Sharpness: 0.5, SVM: SVM{C: 10, Balanced: true}}
	}
	return DistanceSVM{Distance: d, Scaling: Deviation, Power: 2, Sharpness: 0.5, SVM: SVM{C: 10, Balanced: true}}
}

// DistanceSVMEntry returns the entry of [DistanceSVM] in the list of learners.
func DistanceSVMEntry() learner.Entry {
	var grid []learner.Estimator
	for _, d := range []Distance{EMDCityBlock, MeanMin} {
		for _, scaling := range Scalings {
			for _, c := range []float64{10, 100} {
				s := DefaultDistanceSVM(d)
				s.Scaling, s.C = scaling, c
				grid = append(grid, &s)
			}
		}
	}
	return learner.Entry{
		Name: "distance-svm", Summary: "an SVM on a kernel of distances between bags (earth mover's, mean-min, Hausdorff)",
		Default: func() learner.Estimator { s := DefaultDistanceSVM(EMDCityBlock); return &s },
		Grid:    grid,
		Model:   func() learner.Model { return new(distanceSVMModel) },
	}
}

// Validate reports the first invalid hyperparameter.
func (s DistanceSVM) Validate() error {
	return cmp.Or(s.Distance.validate(), s.Scaling.validate(), above0("power", s.Power), above0("sharpness", s.Sharpness), s.SVM.validate())
}

// Takes implements an optional method of [learner.Estimator].
func (s DistanceSVM) Takes() learner.Takes { return s.Distance.takes() }

// Shares implements an optional method of [learner.Estimator].
func (s DistanceSVM) Shares() string { return fmt.Sprintf("distances %s %s", s.Distance, s.Scaling) }

// Cost implements an optional method of [learner.Estimator].
func (s DistanceSVM) Cost(bags []mil.Instances) learner.Cost { return s.Distance.cost(bags) }

// kernel returns the value of the kernel at a distance.
func (s DistanceSVM) kernel(distance, mean float64) float64 {
	if mean > 0 {
		distance /= mean
	}
	return math.Exp(-s.Sharpness * math.Pow(distance, s.Power))
}

// Fit implements [learner.Estimator].
func (s DistanceSVM) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	d, err := distancesOf(ctx, shared, s.Distance, s.Scaling)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("kernel %s %s %v %v", s.Distance, s.Scaling, s.Power, s.Sharpness)
	gram, err := learner.Once(shared, key, func() (*svm.Matrix, error) {
		values := make([]float64, len(d.values))
		for i, v := range d.values {
			values[i] = s.kernel(v, d.mean)
		}
		return svm.NewMatrix(values, d.n)
	})
	if err != nil {
		return nil, err
	}
	fitted, err := s.SVM.fit(ctx, gram, rows, t)
	if err != nil {
		return nil, err
	}
	m := &distanceSVMModel{
		Setting: s, Mean: d.mean, Scale: d.z.scale, Support: []keptBag{}, Coefficients: fitted.coefficients, outputs: fitted.outputs,
	}
	var support []int
	for _, i := range fitted.support {
		support, m.Support = append(support, rows[i]), append(m.Support, keptBag{t.Bags[i]})
	}
	m.trainingBags = d.training(support)
	return m, nil
}

// distanceSVMModel is a fitted [DistanceSVM]. The score of a bag is the sum of its kernels with the support bags, times
// their coefficients, plus the bias.
type distanceSVMModel struct {
	Setting      DistanceSVM `json:"setting"`
	Mean         float64     `json:"mean"` // mean distance, see [DistanceSVM]
	Scale        scale       `json:"scale"`
	Support      []keptBag   `json:"support"`
	Coefficients numbers     `json:"coefficients"` // [machines, support]
	outputs

	trainingBags
}

// Validate reports parts of a decoded model that do not fit together.
func (m *distanceSVMModel) Validate() error {
	if err := m.Setting.Validate(); err != nil {
		return err
	}
	if err := m.fits(m.Coefficients, m.Support); err != nil {
		return err
	}
	if !(m.Mean >= 0) {
		return fmt.Errorf("a mean distance of %v; distances are not below 0", m.Mean)
	}
	if err := m.Scale.validate(m.Support); err != nil {
		return err
	}
	var err error
	m.z, m.bags, err = m.Scale.points(m.Support)
	return err
}

// Predict implements [learner.Model].
func (m *distanceSVMModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	row, err := m.distances(m.Setting.Distance, bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	return m.score(row)
}

// score returns the score of a bag, given its distances from the training bags.
func (m *distanceSVMModel) score(row []float64) (mil.Prediction, error) {
	values := make([]float64, len(row))
	for i, distance := range row {
		values[i] = m.Setting.kernel(distance, m.Mean)
	}
	return m.prediction(m.Coefficients, values)
}

// InstanceScores implements [learner.InstanceScorer].
func (m *distanceSVMModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	return m.leaveOut(m.Setting.Distance, bag, m.score)
}
