package classic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/svm"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Penalty is the name of the machine that MILES fits to its embedding.
type Penalty string

// Machines of MILES.
const (
	L1     Penalty = "l1"     // linear with the penalty |w|_1, which selects concepts
	L2     Penalty = "l2"     // linear with the penalty |w|_2^2 / 2
	Radial Penalty = "radial" // with a radial kernel on the embedding, standardised over the training bags
)

// allPenalties lists the machines of MILES.
var allPenalties = []Penalty{L1, L2, Radial}

// MILES is multiple-instance learning via embedded instance selection. Every training instance z is a concept. A bag is
// represented by its similarities to all concepts,
//
//	s(X, z) = max_x exp(-Gamma / d |x-z|^2),
//
// over the standardised instances x of the bag, which have d features. A support vector machine separates these
// vectors.
//
// The paper fits a 1-norm machine with the hinge loss, a linear programme. Here, L1 has the squared hinge loss and a
// weak penalty of the bias; similarities are centred. L2 and Radial change the penalty and the kernel. The paper tunes
// sigma^2, which is d / Gamma.
//
// If the shared bags have more than Concepts instances, only Concepts evenly spaced ones can be concepts. A fit uses
// those in its own training bags.
//
// Source: Y. Chen, J. Bi and J. Z. Wang, "MILES: multiple-instance learning via embedded instance selection", IEEE
// TPAMI 28 (2006), equations 7, 14 and 20.
type MILES struct {
	Penalty  Penalty `json:"penalty"`
	Gamma    float64 `json:"gamma"`
	C        float64 `json:"c"`
	Concepts int     `json:"concepts"` // maximum number
	Balanced bool    `json:"balanced"` // give both classes the same total weight, however many bags they have

	tolerance float64 // of a linear machine; 0 for the default
}

// defaultMILES returns a radial machine with Gamma = 1, C = 3 and at most 5000 concepts.
func defaultMILES() MILES {
	return MILES{Penalty: Radial, Gamma: 1, C: 3, Concepts: 5000, Balanced: true}
}

// MILESEntry returns the entry of [MILES] in the list of learners.
func MILESEntry() learner.Entry {
	var grid []learner.Estimator
	for _, gamma := range []float64{1, 4} {
		for _, machine := range []struct {
			penalty Penalty
			c       float64
		}{{Radial, 3}, {Radial, 10}, {L1, 0.3}, {L1, 1}} {
			s := defaultMILES()
			s.Penalty, s.Gamma, s.C = machine.penalty, gamma, machine.c
			grid = append(grid, &s)
		}
	}
	return learner.Entry{
		Name: "miles", Summary: "an SVM on the similarities to all training instances (MILES)",
		Default: func() learner.Estimator { s := defaultMILES(); return &s }, Grid: grid,
		Model: func() learner.Model { return new(milesModel) },
	}
}

var _ learner.Estimator = MILES{}

// validate reports an unknown machine.
func (p Penalty) validate() error { return oneOf("penalty", p, allPenalties) }

// Validate reports the first invalid hyperparameter.
func (s MILES) Validate() error {
	if err := cmp.Or(s.Penalty.validate(), above0("gamma", s.Gamma), above0("c", s.C)); err != nil {
		return err
	}
	if s.Concepts < 1 {
		return fmt.Errorf("concepts %d: at least 1 is needed", s.Concepts)
	}
	return nil
}

// Takes implements an optional method of [learner.Estimator].
func (s MILES) Takes() learner.Takes { return pairwise(twoClasses) }

// Shares implements an optional method of [learner.Estimator].
func (s MILES) Shares() string { return fmt.Sprintf("nearest %d", s.Concepts) }

// Cost implements an optional method of [learner.Estimator].
func (s MILES) Cost(bags []mil.Instances) learner.Cost {
	rows, values := instancesAndValues(bags)
	n, concepts := float64(len(bags)), min(rows, float64(s.Concepts))
	fit := n * n * concepts * 3 / 2
	if s.Penalty != Radial {
		fit = 60 * n * concepts // number of passes
	}
	return learner.Cost{
		Seconds: fit/comparedPerSecond + n*concepts*2e-8,
		Shared:  concepts * values / comparedPerSecond,
		Memory:  uint64(8*(values*(1+concepts/max(rows, 1))+4*n*concepts+3*n*n)) + 1<<20,
	}
}

// similar replaces distances by similarities, in place.
func similar(gamma float64, distances []float64) {
	for k, d := range distances {
		distances[k] = math.Exp(-gamma * d * d)
	}
}

// Fit implements [learner.Estimator].
func (s MILES) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, twoClasses)
	if err != nil {
		return nil, err
	}
	near, err := nearestOf(ctx, shared, s.Concepts)
	if err != nil {
		return nil, err
	}
	ours := make([]bool, len(shared.Bags))
	for _, row := range rows {
		ours[row] = true
	}
	var columns []int // concepts in the training bags
	for k, of := range near.from {
		if ours[of.index] {
			columns = append(columns, k)
		}
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("concepts %d: none of them is an instance of a training bag; raise it", s.Concepts)
	}
	n, d := len(rows), len(columns)
	gamma := s.Gamma / float64(len(near.z.Factor))
	values := make([]float64, 0, n*d)
	for _, i := range rows {
		for _, k := range columns {
			values = append(values, near.values[i*len(near.from)+k])
		}
	}
	similar(gamma, values)
	m := &milesModel{Setting: s, Scale: near.z.scale, z: near.z, live: near}
	if s.Penalty == Radial {
		own := learner.NewShared(nil) // the columns are concepts of these training bags only, so nothing is shared
		setting := SVM{C: s.C, Balanced: s.Balanced}
		if m.Machine, err = standardiseVectors(values, n, d).fitRadial(ctx, t, own, "similarities", all(n), 1, setting); err != nil {
			return nil, err
		}
		m.columns = columns
	} else {
		plane, err := s.fitLinear(ctx, values, d, labelled(t, 1))
		if err != nil {
			return nil, err
		}
		m.Bias = plane.Bias
		for j, w := range plane.Weights {
			if w != 0 {
				m.Weights, m.columns = append(m.Weights, w), append(m.columns, columns[j])
			}
		}
	}
	var kept []instanceOf
	m.concepts = &points{}
	for _, k := range m.columns {
		kept = append(kept, near.from[k])
		m.concepts.add(near.concepts, k, len(near.z.Factor))
	}
	if len(kept) > 0 {
		bag, err := keepInstances(kept, near.z.Sparse)
		if err != nil {
			return nil, err
		}
		m.Concepts = &bag
	}
	return m, nil
}

// fitLinear fits a hyperplane to rows of d similarities. It centres them, and the bias contains their means. The
// solvers, which move one coefficient at a time, then converge several times as fast.
func (s MILES) fitLinear(ctx context.Context, values []float64, d int, positive []bool) (*svm.Hyperplane, error) {
	means := make([]float64, d)
	for i := range positive {
		floats.Add(means, values[i*d:(i+1)*d])
	}
	floats.Scale(1/float64(len(positive)), means)
	for i := range positive {
		floats.Sub(values[i*d:(i+1)*d], means)
	}
	l := svm.DefaultLinear()
	l.C, l.InterceptScaling, l.Tolerance = s.C, milesIntercept, milesL2Tolerance
	if s.Penalty == L1 {
		l.Penalty, l.Tolerance = svm.L1, milesL1Tolerance
	}
	if s.tolerance > 0 {
		l.Tolerance = s.tolerance
	}
	plane, err := fitLinear(ctx, l, values, d, positive, s.Balanced)
	if err != nil {
		return nil, err
	}
	plane.Bias -= floats.Dot(plane.Weights, means)
	return plane, nil
}

// milesIntercept is how much weaker the penalty of the bias is than that of a weight. The paper does not penalise the
// bias.
const milesIntercept = 10

// Stopping tolerances of linear machines. At 1e-3 the objective of L1 is less than 1 % above its minimum on the Fox set
// at C = 3; at 1e-4 a fit takes ten times as long.
const (
	milesL1Tolerance = 1e-3
	milesL2Tolerance = 1e-2 // LIBLINEAR uses 0.1
)

// milesModel is a fitted [MILES]. It keeps the concepts that the score depends on. If a linear machine selected none,
// every bag has the score Bias.
type milesModel struct {
	Setting  MILES          `json:"setting"`
	Scale    scale          `json:"scale"`
	Concepts *keptBag       `json:"concepts,omitempty"` // one instance per concept
	Weights  numbers        `json:"weights,omitempty"`  // one per concept, for a linear machine
	Bias     float64        `json:"bias"`
	Machine  *radialMachine `json:"machine,omitempty"` // for a radial kernel

	z        *standardised
	concepts *points
	live     *nearest
	columns  []int // columns of the concepts in live
}

// Validate reports parts of a decoded model that do not fit together.
func (m *milesModel) Validate() error {
	if err := m.Setting.Validate(); err != nil {
		return err
	}
	count, kept := 0, []keptBag(nil)
	if m.Concepts != nil {
		kept = append(kept, *m.Concepts)
	}
	if err := m.Scale.validate(kept); err != nil {
		return err
	}
	z, concepts := &standardised{scale: m.Scale}, &points{}
	if m.Concepts != nil {
		var err error
		if concepts, err = z.standardise(m.Concepts.Instances); err != nil {
			return err
		}
		count = concepts.rows
	}
	if m.Setting.Penalty == Radial {
		if err := m.Machine.validate(count); err != nil {
			return err
		}
		if m.Machine.Targets != nil {
			return fmt.Errorf("a machine of %v targets; binary ones are needed", m.Machine.Targets.Kind)
		}
	} else if len(m.Weights) != count {
		return fmt.Errorf("%d concepts and %d weights", count, len(m.Weights))
	}
	m.z, m.concepts = z, concepts
	return nil
}

// gamma returns the factor of the squared distances.
func (m *milesModel) gamma() float64 { return m.Setting.Gamma / float64(len(m.z.Factor)) }

// check reports a decoded model that was not validated, or a bag that the model cannot score.
func (m *milesModel) check(bag mil.Instances) error {
	switch {
	case m.z == nil:
		return errNotValidated
	case bag.Features() != len(m.z.Factor):
		return fmt.Errorf("a bag of %d features for a model of %d", bag.Features(), len(m.z.Factor))
	case bag.Len() == 0:
		return errors.New("an empty bag has no score")
	}
	return nil
}

// Predict implements [learner.Model].
func (m *milesModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	if err := m.check(bag); err != nil {
		return mil.Prediction{}, err
	}
	x := make([]float64, m.concepts.rows)
	if m.live != nil {
		all, err := m.live.row(bag)
		if err != nil {
			return mil.Prediction{}, err
		}
		for j, k := range m.columns {
			x[j] = all[k]
		}
	} else {
		p, err := m.z.standardise(bag)
		if err != nil {
			return mil.Prediction{}, err
		}
		if x, _, err = m.z.nearest(m.concepts, p); err != nil {
			return mil.Prediction{}, err
		}
	}
	similar(m.gamma(), x)
	if m.Setting.Penalty == Radial {
		return m.Machine.predict(x)
	}
	score := m.Bias
	for j, w := range m.Weights {
		score += w * x[j]
	}
	return scored(score)
}

// InstanceScores implements [learner.InstanceScorer]. In a linear machine, the score of an instance is the sum of w_z
// s(X, z) over the concepts z for which it is the nearest in its bag; equally near instances share the term (equation
// 20 of the paper). These scores and the bias sum to the score of the bag. In a radial machine, it is the drop of the
// bag's score without the instance.
func (m *milesModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	if err := m.check(bag); err != nil {
		return nil, err
	}
	if m.Setting.Penalty == Radial {
		return leaveOut(m, bag)
	}
	p, err := m.z.of(bag)
	if err != nil {
		return nil, err
	}
	least, who, err := m.z.nearest(m.concepts, p)
	if err != nil {
		return nil, err
	}
	similar(m.gamma(), least)
	scores := make([]float64, p.rows)
	for j, w := range m.Weights {
		for _, i := range who[j] {
			scores[i] += w * least[j] / float64(len(who[j]))
		}
	}
	return [][]float64{scores}, nil
}
