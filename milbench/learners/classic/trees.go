package classic

import (
	"context"
	"errors"
	"fmt"
	"math"

	"synpool/internal/trees"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// StatisticsTrees is a forest of extremely randomised trees on statistics of each feature over the instances of a bag.
// The score of a bag is the logit of the share of positive training bags in its leaf, averaged over the trees and kept
// 1/(2 Trees) away from 0 and 1.
//
// For classes, the score of each is the logarithm of its mean share, which is at least 1/(2 Trees). For a real target,
// the score is the mean over the trees of the mean target in the leaf; nodes then choose among all statistics, not
// among the square root of their number.
//
// Source: P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006), on the
// embedding of [StatisticsSVM].
type StatisticsTrees struct {
	Statistics Statistics `json:"statistics"`
	Trees      int        `json:"trees"`
	MinLeaf    int        `json:"min_leaf"` // bags per leaf
	Balanced   bool       `json:"balanced"` // give all classes the same total weight, however many bags they have
}

// StatisticsTreesEntry returns the entry of [StatisticsTrees] in the list of learners.
func StatisticsTreesEntry() learner.Entry {
	var grid []learner.Estimator
	for _, statistics := range []Statistics{defaultStatistics, "min max mean sd q25 median q75"} {
		for _, leaf := range []int{1, 3} {
			grid = append(grid, &StatisticsTrees{Statistics: statistics, Trees: 500, MinLeaf: leaf, Balanced: true})
		}
	}
	return learner.Entry{
		Name: "statistics-trees", Summary: "extremely randomised trees on minimum, maximum and mean of each feature",
		Default: func() learner.Estimator {
			return &StatisticsTrees{Statistics: defaultStatistics, Trees: 500, MinLeaf: 1, Balanced: true}
		}, Grid: grid,
		Model: func() learner.Model { return new(statisticsTreesModel) }, Logits: true,
	}
}

// mostTrees is the limit of trees in a forest.
const mostTrees = 100_000

// Validate reports the first invalid hyperparameter.
func (s StatisticsTrees) Validate() error {
	_, err := s.Statistics.names()
	switch {
	case err != nil:
		return err
	case s.Trees < 1 || s.Trees > mostTrees:
		return fmt.Errorf("trees %d: from 1 to %d are needed", s.Trees, mostTrees)
	case s.MinLeaf < 1:
		return fmt.Errorf("min_leaf %d: at least 1 is needed", s.MinLeaf)
	}
	return nil
}

// Shares implements an optional method of [learner.Estimator].
func (s StatisticsTrees) Shares() string { return "statistics " + string(s.Statistics) }

// Takes implements an optional method of [learner.Estimator].
func (s StatisticsTrees) Takes() learner.Takes { return StatisticsSVM{}.Takes() }

// Cost implements an optional method of [learner.Estimator].
func (s StatisticsTrees) Cost(bags []mil.Instances) learner.Cost {
	c, values := s.Statistics.cost(bags)
	n := float64(len(bags))
	c.Memory += c.Memory/2 + uint64(float64(s.Trees)*n*24) // statistics as float32, and at most 2n nodes of a tree
	c.Seconds += float64(s.Trees) * n * math.Log2(n+2) * math.Sqrt(values/max(n, 1)) * 6e-9
	return c
}

// Fit implements [learner.Estimator].
func (s StatisticsTrees) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	v, err := s.Statistics.vectors(ctx, shared)
	if err != nil {
		return nil, err
	}
	x, err := learner.Once(shared, "float32 "+s.Shares(), func() ([]float32, error) {
		x := make([]float32, len(v.values))
		for i, value := range v.values {
			x[i] = float32(value)
		}
		return x, nil
	})
	if err != nil {
		return nil, err
	}
	of, err := targetsOf(t)
	if err != nil {
		return nil, err
	}
	c, data := trees.DefaultConfig(), trees.Data{X: x, Features: v.d, Rows: rows}
	c.Trees, c.MinLeaf = s.Trees, s.MinLeaf
	if of.real() {
		data.Values = make([]float64, v.n)
		for i, value := range of.standardised(t.Targets) {
			data.Values[rows[i]] = value
		}
	} else {
		c.Balanced = s.Balanced
		data.Labels, data.Classes = make([]int, v.n), max(2, of.count())
		for i, row := range rows {
			data.Labels[row] = t.Targets[i].Label
		}
	}
	forest, err := c.Fit(ctx, data, t.Seed, 1)
	if err != nil {
		return nil, err
	}
	return &statisticsTreesModel{
		Statistics: s.Statistics, Features: t.Bags[0].Features(), Shift: v.shift, Factor: v.factor, Forest: forest, Targets: of,
	}, nil
}

// statisticsTreesModel is a fitted [StatisticsTrees].
type statisticsTreesModel struct {
	Statistics Statistics    `json:"statistics"`
	Features   int           `json:"features"`
	Shift      numbers       `json:"shift"` // shifts of the statistics
	Factor     numbers       `json:"factor"`
	Forest     *trees.Forest `json:"forest"`
	Targets    *targets      `json:"targets,omitempty"` // nil for a binary target
}

// classes returns the number of classes of the forest, or 0 for a real target.
func (m *statisticsTreesModel) classes() int {
	if m.Targets.real() {
		return 0
	}
	return max(2, m.Targets.count())
}

// Validate reports parts of a decoded model that do not fit together.
func (m *statisticsTreesModel) Validate() error {
	names, err := m.Statistics.names()
	if err != nil {
		return err
	}
	if m.Forest == nil {
		return errors.New("no forest")
	}
	if m.Features < 1 {
		return fmt.Errorf("a forest of %d features", m.Features)
	}
	if err := m.Targets.validate(); err != nil {
		return err
	}
	d := len(names) * m.Features
	if len(m.Shift) != d || len(m.Factor) != d || m.Forest.Features != d || m.Forest.Classes != m.classes() {
		return fmt.Errorf("a forest that does not fit %d statistics", d)
	}
	return m.Forest.Validate()
}

// Predict implements [learner.Model].
func (m *statisticsTreesModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	if n := bag.Features(); n != m.Features {
		return mil.Prediction{}, fmt.Errorf("a bag of %d features for a model of %d", n, m.Features)
	}
	values, err := m.Statistics.of(bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	x := make([]float32, len(values))
	for j, v := range values {
		x[j] = float32((v - m.Shift[j]) * m.Factor[j])
	}
	p, err := m.Forest.Predict(context.Background(), x, nil, 1)
	if err != nil {
		return mil.Prediction{}, err
	}
	edge := 0.5 / float64(m.Forest.Trees())
	switch {
	case m.Targets == nil:
		positive := min(max(p[1], edge), 1-edge)
		return scored(math.Log(positive / (1 - positive)))
	case !m.Targets.real():
		for k, share := range p {
			p[k] = math.Log(max(share, edge))
		}
	}
	return m.Targets.prediction(p)
}

// InstanceScores implements [learner.InstanceScorer].
func (m *statisticsTreesModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	return leaveOut(m, bag)
}
