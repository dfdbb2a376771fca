package classic

import (
	"cmp"
	"context"
	"fmt"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// MInD is a support vector machine with a radial kernel on dissimilarities. A bag is represented by its distances to
// the training bags, standardised over them.
//
// Source: V. Cheplygina, D. M. J. Tax and M. Loog, "Multiple instance learning with bag dissimilarities", Pattern
// Recognition 48 (2015).
type MInD struct {
	Distance Distance `json:"distance"`
	Scaling  Scaling  `json:"scaling"`
	Gamma    float64  `json:"gamma"` // in exp(-Gamma / n |x-z|^2), with n training bags
	SVM
}

// MInDEntry returns the entry of [MInD] in the list of learners.
func MInDEntry() learner.Entry {
	var grid []learner.Estimator
	for _, d := range []Distance{MeanMin, EMDCityBlock} {
		for _, c := range []float64{1, 10} {
			grid = append(grid, &MInD{Distance: d, Scaling: Deviation, Gamma: 1, SVM: SVM{C: c, Balanced: true}})
		}
	}
	return learner.Entry{
		Name: "mind", Summary: "an SVM on the distances to all training bags (MInD)",
		Default: func() learner.Estimator {
			return &MInD{Distance: MeanMin, Scaling: Deviation, Gamma: 1, SVM: SVM{C: 3, Balanced: true}}
		}, Grid: grid,
		Model: func() learner.Model { return new(mindModel) },
	}
}

// Validate reports the first invalid hyperparameter.
func (s MInD) Validate() error {
	return cmp.Or(s.Distance.validate(), s.Scaling.validate(), above0("gamma", s.Gamma), s.SVM.validate())
}

// Takes implements an optional method of [learner.Estimator].
func (s MInD) Takes() learner.Takes { return s.Distance.takes() }

// Shares implements an optional method of [learner.Estimator].
func (s MInD) Shares() string { return fmt.Sprintf("distances %s %s", s.Distance, s.Scaling) }

// Cost implements an optional method of [learner.Estimator].
func (s MInD) Cost(bags []mil.Instances) learner.Cost {
	c, n := s.Distance.cost(bags), float64(len(bags))
	c.Seconds += n * n * n / 2 / comparedPerSecond
	return c
}

// Fit implements [learner.Estimator].
func (s MInD) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	d, err := distancesOf(ctx, shared, s.Distance, s.Scaling)
	if err != nil {
		return nil, err
	}
	n := len(rows)
	values := make([]float64, 0, n*n)
	for _, i := range rows {
		for _, k := range rows {
			values = append(values, d.values[i*d.n+k])
		}
	}
	own := learner.NewShared(nil) // the columns belong to these training bags only, so nothing is shared
	machine, err := standardiseVectors(values, n, n).fitRadial(ctx, t, own, "dissimilarities", all(n), s.Gamma, s.SVM)
	if err != nil {
		return nil, err
	}
	m := &mindModel{Distance: s.Distance, Scale: d.z.scale, Machine: machine, trainingBags: d.training(rows)}
	for _, b := range t.Bags {
		m.Bags = append(m.Bags, keptBag{b})
	}
	return m, nil
}

// all returns the integers from 0 to n-1.
func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// mindModel is a fitted [MInD].
type mindModel struct {
	Distance Distance       `json:"distance"`
	Scale    scale          `json:"scale"`
	Bags     []keptBag      `json:"bags"`
	Machine  *radialMachine `json:"machine"`

	trainingBags
}

// Validate reports parts of a decoded model that do not fit together.
func (m *mindModel) Validate() error {
	if err := cmp.Or(m.Distance.validate(), m.Scale.validate(m.Bags), m.Machine.validate(len(m.Bags))); err != nil {
		return err
	}
	var err error
	m.z, m.bags, err = m.Scale.points(m.Bags)
	return err
}

// Predict implements [learner.Model].
func (m *mindModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	x, err := m.distances(m.Distance, bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	return m.score(x)
}

// score returns the score of a bag, given its distances from the training bags.
func (m *mindModel) score(x []float64) (mil.Prediction, error) {
	return m.Machine.predict(x)
}

// InstanceScores implements [learner.InstanceScorer].
func (m *mindModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	return m.leaveOut(m.Distance, bag, m.score)
}
