package classic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"synpool/internal/svm"
	"synpool/internal/transport"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// SetKernelSVM is a support vector machine with the normalised set kernel of two bags,
//
//	K(A, B) / sqrt(K(A, A) K(B, B)),  K(A, B) = sum_ab exp(-Gamma / d |a-b|^2),
//
// over their standardised instances, which have d features.
//
// Source: T. Gärtner, P. A. Flach, A. Kowalczyk and A. J. Smola, "Multi-instance kernels", ICML (2002).
type SetKernelSVM struct {
	Gamma float64 `json:"gamma"`
	SVM
}

// SetKernelSVMEntry returns the entry of [SetKernelSVM] in the list of learners.
func SetKernelSVMEntry() learner.Entry {
	var grid []learner.Estimator
	for _, gamma := range []float64{0.2, 1, 5} {
		for _, c := range []float64{1, 10} {
			grid = append(grid, &SetKernelSVM{Gamma: gamma, SVM: SVM{C: c, Balanced: true}})
		}
	}
	return learner.Entry{
		Name: "set-kernel-svm", Summary: "an SVM on the normalised set kernel (NSK)",
		Default: func() learner.Estimator { return &SetKernelSVM{Gamma: 0.5, SVM: SVM{C: 10, Balanced: true}} }, Grid: grid,
		Model: func() learner.Model { return new(setKernelModel) },
	}
}

// Validate reports the first invalid hyperparameter.
func (s SetKernelSVM) Validate() error {
	return cmp.Or(above0("gamma", s.Gamma), s.SVM.validate())
}

// Takes implements an optional method of [learner.Estimator].
func (s SetKernelSVM) Takes() learner.Takes { return pairwise(kinds) }

// Shares implements an optional method of [learner.Estimator].
func (s SetKernelSVM) Shares() string { return fmt.Sprintf("set kernel %v", s.Gamma) }

// Cost implements an optional method of [learner.Estimator].
func (s SetKernelSVM) Cost(bags []mil.Instances) learner.Cost {
	c := MeanMin.cost(bags)
	rows, _ := instancesAndValues(bags)
	c.Shared += rows * rows / 2 / movedPerSecond
	return c
}

// sum returns K(A, B) of two bags.
func (s SetKernelSVM) sum(z *standardised, a, b *points, costs *[]float64) (float64, error) {
	all, err := z.between(transport.Euclidean, a, b, *costs)
	if err != nil {
		return 0, err
	}
	*costs = all
	gamma, sum := s.Gamma/float64(len(z.Factor)), 0.0
	for _, d := range all {
		sum += math.Exp(-gamma * d * d)
	}
	return sum, nil
}

// setKernels holds the kernels between the shared bags.
type setKernels struct {
	setting SetKernelSVM // for its Gamma
	z       *standardised
	values  []float64 // row-major, normalised
	gram    *svm.Matrix
	roots   []float64 // sqrt(K(A, A))

	other remembered[setKernelRow] // for other bags
}

// setKernelRow holds K(A, B) of a bag B with several bags A, and sqrt(K(B, B)).
type setKernelRow struct {
	sums []float64
	root float64
}

// row returns the kernels between a bag and the shared bags, and remembers those of other bags.
func (k *setKernels) row(bag mil.Instances) (setKernelRow, error) {
	n := len(k.roots)
	if i, found := k.z.shared.Row(bag); found {
		row := setKernelRow{make([]float64, n), k.roots[i]}
		for j, v := range k.values[i*n : (i+1)*n] {
			row.sums[j] = v * k.roots[i] * k.roots[j]
		}
		return row, nil
	}
	return k.other.get(bag, func() (setKernelRow, error) { return k.setting.with(k.z, k.z.bags, bag) })
}

// with returns the kernels between a bag and other bags.
func (s SetKernelSVM) with(z *standardised, bags []*points, bag mil.Instances) (row setKernelRow, err error) {
	p, err := z.of(bag)
	if err != nil {
		return setKernelRow{}, err
	}
	var costs []float64
	own, err := s.sum(z, p, p, &costs)
	if err != nil {
		return setKernelRow{}, err
	}
	row = setKernelRow{make([]float64, len(bags)), math.Sqrt(own)}
	for i, b := range bags {
		if row.sums[i], err = s.sum(z, b, p, &costs); err != nil {
			return setKernelRow{}, err
		}
	}
	return row, nil
}

// Fit implements [learner.Estimator].
func (s SetKernelSVM) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	k, err := learner.Once(shared, s.Shares(), func() (*setKernels, error) {
		z, err := standardisedOf(shared)
		if err != nil {
			return nil, err
		}
		n := len(z.bags)
		values, costs := make([]float64, n*n), []float64(nil)
		k := &setKernels{setting: s, z: z, values: values, roots: make([]float64, n)}
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
		k.gram, err = svm.NewMatrix(values, n)
		return k, err
	})
	if err != nil {
		return nil, err
	}
	fitted, err := s.SVM.fit(ctx, k.gram, rows, t)
	if err != nil {
		return nil, err
	}
	m := &setKernelModel{
		Setting: s, Scale: k.z.scale, Support: []keptBag{}, Coefficients: fitted.coefficients, outputs: fitted.outputs, live: k,
	}
	for _, i := range fitted.support {
		m.Support, m.rows = append(m.Support, keptBag{t.Bags[i]}), append(m.rows, rows[i])
	}
	for i := range m.Coefficients {
		m.Coefficients[i] /= k.roots[m.rows[i%len(m.rows)]]
	}
	m.z, m.support = k.z, k.z.some(m.rows)
	return m, nil
}

// setKernelModel is a fitted [SetKernelSVM].
type setKernelModel struct {
	Setting      SetKernelSVM `json:"setting"`
	Scale        scale        `json:"scale"`
	Support      []keptBag    `json:"support"`
	Coefficients numbers      `json:"coefficients"` // [machines, support], divided by sqrt(K(A, A)) of the support bag A
	outputs

	z       *standardised // nil in a decoded model that was not validated
	support []*points

	live *setKernels // nil in a decoded model
	rows []int       // rows of the support bags in live
}

// Validate reports parts of a decoded model that do not fit together.
func (m *setKernelModel) Validate() error {
	if err := cmp.Or(m.Setting.Validate(), m.Scale.validate(m.Support)); err != nil {
		return err
	}
	if err := m.fits(m.Coefficients, m.Support); err != nil {
		return err
	}
	var err error
	m.z, m.support, err = m.Scale.points(m.Support)
	return err
}

// Predict implements [learner.Model].
func (m *setKernelModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	var row setKernelRow
	var err error
	switch {
	case m.live != nil:
		all, err := m.live.row(bag)
		if err != nil {
			return mil.Prediction{}, err
		}
		row = setKernelRow{make([]float64, len(m.rows)), all.root}
		for i, at := range m.rows {
			row.sums[i] = all.sums[at]
		}
	case m.z == nil:
		return mil.Prediction{}, errNotValidated
	default:
		if row, err = m.Setting.with(m.z, m.support, bag); err != nil {
			return mil.Prediction{}, err
		}
	}
	scores := slices.Clone(m.machines())
	for k := range scores {
		sum := 0.0
		for i, c := range m.of(m.Coefficients, k) {
			sum += c * row.sums[i]
		}
		scores[k] += sum / row.root
	}
	return m.Targets.prediction(scores)
}

// InstanceScores implements [learner.InstanceScorer]. The score is the drop of the bag's score without the instance,
// computed by subtracting its kernels from the sums. A single instance has the bag's score.
func (m *setKernelModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	whole, err := m.Predict(bag)
	if err != nil {
		return nil, err
	}
	if bag.Len() == 1 {
		return falls(whole, 1, nil)
	}
	z := m.z
	p, err := z.of(bag)
	if err != nil {
		return nil, err
	}
	n, gamma := p.rows, m.Setting.Gamma/float64(len(z.Factor))
	costs, err := z.between(transport.Euclidean, p, p, nil)
	if err != nil {
		return nil, err
	}
	own, less := 0.0, make([]float64, n) // K(B, B), and each instance's part of it
	for i := range n {
		for j, d := range costs[i*n : (i+1)*n] {
			v := math.Exp(-gamma * d * d)
			own += v
			less[i] += v
			if j != i {
				less[j] += v
			}
		}
	}
	outputs := len(whole.Scores)
	sum, of := make([]float64, outputs), make([][]float64, outputs) // weighted sums of kernels with the support bags, and each instance's part of them
	for c := range of {
		of[c] = make([]float64, n)
	}
	for k, s := range m.support {
		if costs, err = z.between(transport.Euclidean, s, p, costs); err != nil {
			return nil, err
		}
		for i, d := range costs {
			value := math.Exp(-gamma * d * d)
			for c := range of {
				v := m.of(m.Coefficients, c)[k] * value
				sum[c] += v
				of[c][i%n] += v
			}
		}
	}
	unit := m.Targets.unit()
	for c, part := range of {
		for i, v := range part {
			part[i] = unit * (sum[c]/math.Sqrt(own) - (sum[c]-v)/math.Sqrt(own-less[i]))
		}
	}
	return of, nil
}
