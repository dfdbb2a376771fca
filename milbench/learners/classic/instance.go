package classic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/lbfgs"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Loss is the name of a loss, a function of the margin m of an instance.
type Loss string

// Losses of the instance classifier.
const (
	Logistic Loss = "logistic" // log(1 + exp(-m))
	Hinge    Loss = "hinge"    // max(0, 1-m)^2, the squared hinge of a support vector machine
)

// allLosses lists the losses.
var allLosses = []Loss{Logistic, Hinge}

// Instance is a classifier of instances. In training it sees no bags, only instances with the labels of their bags;
// Carbonneau et al. (2018) call this baseline SI-SVM. The score of a bag is the maximum over its instances, and the
// instance that has it is the winner. Training minimises over weights w and bias b
//
//	|w|^2 / 2  +  C sum_i s_i loss(y_i (w x_i + b))
//
// where x_i are the standardised instances of the training bags. s_i is 1, or, if Weighted, N / (2 N_y) with N
// instances, N_y of them in bags of label y. The bias is not penalised. The model equals scikit-learn's
// LogisticRegression, and LinearSVC except for its penalty of the bias.
//
// If Gamma is above 0, x_i are features whose products are the radial kernel exp(-Gamma |x-z|^2) of standardised
// instances. They come from Nyström's method (Williams and Seeger 2001) with up to 500 evenly spaced training instances
// as landmarks. With no more than 500 training instances, the kernel is exact.
type Instance struct {
	Loss     Loss    `json:"loss"`
	C        float64 `json:"c"`               // larger values weaken the penalty
	Weighted bool    `json:"weighted"`        // give both classes the same total weight, however many instances they have
	Gamma    float64 `json:"gamma,omitempty"` // of a radial kernel; 0 for a linear classifier
}

// defaultInstance returns a linear, weighted classifier with the logistic loss and C = 1.
func defaultInstance() Instance { return Instance{Loss: Logistic, C: 1, Weighted: true} }

// InstanceName is the name of the instance classifier in settings.
const InstanceName = "instance"

// InstanceEntry returns the entry of [Instance] in the list of learners.
func InstanceEntry() learner.Entry {
	return learner.Entry{
		Name: InstanceName, Key: "pooling", Summary: "a classifier of instances, its maximum over the bag (SI-SVM)",
		Default: func() learner.Estimator { c := defaultInstance(); return &c },
		Grid: []learner.Estimator{
			&Instance{Loss: Hinge, C: 0.1, Weighted: true}, &Instance{Loss: Hinge, C: 0.01, Weighted: true},
			&Instance{Loss: Hinge, C: 1, Weighted: true, Gamma: 0.01}, &Instance{Loss: Hinge, C: 1, Weighted: true, Gamma: 0.03},
		},
		Model: func() learner.Model { return new(instanceModel) }, Logits: true,
	}
}

var _ learner.Estimator = Instance{}

// Validate reports the first invalid hyperparameter.
func (c Instance) Validate() error {
	return cmp.Or(oneOf("loss", c.Loss, allLosses), above0("c", c.C), atLeast0("gamma", c.Gamma))
}

// Assumptions of time estimates: passes over the training instances until a fit converges, and floating point
// operations per second of one core.
const (
	passes    = 160
	coreFlops = 4e9
)

// Cost estimates the cost of a fit on bags.
func (c Instance) Cost(bags []mil.Instances) learner.Cost {
	rows, values := instancesAndValues(bags)
	const number = 8 // bytes
	moments := mil.MomentsBytes(bags)
	if c.Gamma == 0 {
		return learner.Cost{Seconds: 4 * passes * values / coreFlops, Memory: moments + uint64(number*rows)}
	}
	landmarks := min(rows, mostLandmarks)
	return learner.Cost{
		Seconds: (2*landmarks*values + rows*landmarks*landmarks + landmarks*landmarks*landmarks/3 + 4*passes*rows*landmarks) / coreFlops,
		Memory:  moments + uint64(number*(rows*(landmarks+1)+3*landmarks*landmarks)),
	}
}

// instanceModel is a fitted instance classifier. The logit of an instance x is Weights x + Bias or, with a kernel k of
// landmarks z_j, sum_j Weights_j k(x, z_j) + Bias.
type instanceModel struct {
	Features int             `json:"features"`
	Weights  numbers         `json:"weights"` // one per feature, in the feature's own unit; with a kernel, one per landmark
	Bias     float64         `json:"bias"`
	Loss     float64         `json:"loss"` // mean over the training instances, weighted by the setting, without the penalty
	Kernel   *landmarkKernel `json:"kernel,omitempty"`

	kernel *kernel // that of Kernel
}

// landmarkKernel is what a model keeps of a [kernel].
type landmarkKernel struct {
	Gamma     float64 `json:"gamma"`
	Scale     scale   `json:"scale"`
	Landmarks numbers `json:"landmarks"` // standardised, row-major
}

// Validate reports parts of a decoded model that do not fit together.
func (m *instanceModel) Validate() error {
	n, d := len(m.Weights), m.Features
	if n == 0 {
		return errors.New("no weights")
	}
	k := m.Kernel
	if k == nil {
		if d != n {
			return fmt.Errorf("%d weights of %d features", n, d)
		}
		return nil
	}
	if d < 1 || len(k.Landmarks)%d != 0 || len(k.Landmarks)/d != n || len(k.Scale.Shift) != d || len(k.Scale.Factor) != d {
		return fmt.Errorf("a kernel that does not fit %d landmarks of %d features", n, d)
	}
	m.kernel = &kernel{gamma: k.Gamma}
	for i := range n {
		m.kernel.add(k.Landmarks[i*d : (i+1)*d])
	}
	m.kernel.index()
	return above0("gamma", k.Gamma)
}

// TrainingLoss returns Loss.
func (m *instanceModel) TrainingLoss() float64 { return m.Loss }

// A fit has converged if no derivative of the objective, divided by C times the sum of the s_i, is larger than this.
const (
	tolerance  = 1e-6
	iterations = 10_000
)

// Fit finds the weights for the training bags by L-BFGS, starting from zero, and returns an [*instanceModel]. It is
// deterministic: the same bags in the same order give bit-identical weights on the same machine. Fit returns an error
// for a malformed bag, bags of different widths, a training part without instances of both classes, or a fit that does
// not converge ([lbfgs.ErrNotConverged]).
func (c Instance) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("instance classifier: %w", err)
	}
	if err := ofKinds(t, twoClasses); err != nil {
		return nil, err
	}
	var signs []float64
	var count [2]int // instances of each class
	for i, x := range t.Bags {
		label := t.Targets[i].Label
		for range x.Len() {
			signs = append(signs, float64(2*label-1))
		}
		count[label] += x.Len()
	}
	if count[0] == 0 || count[1] == 0 {
		return nil, fmt.Errorf("%d instances of negative and %d of positive training bags; both are needed", count[0], count[1])
	}
	bags, err := newScaledBags(t.Bags)
	if err != nil {
		return nil, err
	}
	var k *kernel
	var fitted inputs = bags
	if c.Gamma > 0 {
		if k, err = newKernel(t.Bags, bags.scale, c.Gamma, mostLandmarks); err != nil {
			return nil, err
		}
		if fitted, err = k.features(t.Bags, bags.scale); err != nil {
			return nil, err
		}
	}
	all := float64(len(signs))
	f := &objective{inputs: fitted, signs: signs, share: [2]float64{1, 1}, penalty: 1 / (c.C * all), loss: c.Loss}
	for label, n := range count {
		if c.Weighted {
			f.share[label] = all / float64(2*n)
		}
		f.share[label] /= all
	}
	n := fitted.features()
	found, err := lbfgs.Minimise(ctx, n+1, f.compute, tolerance, iterations)
	if f.err != nil {
		return nil, f.err
	}
	if errors.Is(err, lbfgs.ErrNotConverged) {
		err = fmt.Errorf("%w; lower c", err)
	}
	if err != nil {
		return nil, fmt.Errorf("instance classifier, %s loss, c %v: %w", c.Loss, c.C, err)
	}

	m := &instanceModel{Features: bags.features(), Weights: found[:n], Bias: found[n], Loss: f.meanLoss, kernel: k}
	if k != nil {
		k.coefficients(m.Weights)
		m.Kernel = &landmarkKernel{k.gamma, bags.scale, slices.Concat(k.landmarks...)}
		return m, nil
	}
	for j := range m.Weights { // w (x - shift) factor + b, as a function of x
		m.Weights[j] *= bags.Factor[j]
		m.Bias -= m.Weights[j] * bags.Shift[j]
	}
	return m, nil
}

// Scores returns the logit of each instance in a bag.
func (m *instanceModel) Scores(bag mil.Instances) ([]float64, error) {
	if n := bag.Features(); n != m.Features {
		return nil, fmt.Errorf("a bag of %d features for a model of %d", n, m.Features)
	}
	if m.Kernel != nil && m.kernel == nil {
		return nil, errNotValidated
	}
	scores := make([]float64, bag.Len())
	for i := range scores {
		scores[i] = m.Bias
	}
	var err error
	if m.kernel == nil {
		err = mil.EachValue(bag, func(i, j int, v float32) { scores[i] += m.Weights[j] * float64(v) })
	} else {
		z, values := make([]float64, m.Features), make([]float64, len(m.Weights))
		err = mil.EachRow(bag, func(i int, row []float32) {
			m.Kernel.Scale.apply(row, z)
			m.kernel.to(z, values)
			scores[i] += floats.Dot(values, m.Weights)
		})
	}
	if err != nil {
		return nil, err
	}
	return finite(scores)
}

// Predict returns the maximum of the instances' logits, the first instance that has it, and the logits.
func (m *instanceModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	return maximum(m.Scores(bag))
}

// InstanceScores implements [learner.InstanceScorer]. It returns the Scores.
func (m *instanceModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	scores, err := m.Scores(bag)
	return [][]float64{scores}, err
}
