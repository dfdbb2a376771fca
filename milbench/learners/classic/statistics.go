package classic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// Statistics names statistics of each feature over the instances of a bag, separated by spaces: min, max, mean, sd (the
// standard deviation, divided by n), and the quantiles q10, q25, median, q75 and q90, as in numpy.quantile.
type Statistics string

// defaultStatistics are minimum, maximum and mean.
const defaultStatistics Statistics = "min max mean"

// quantiles maps names to quantiles.
var quantiles = map[string]float64{"q10": 0.1, "q25": 0.25, "median": 0.5, "q75": 0.75, "q90": 0.9}

// names returns the statistics; a duplicate is an error.
func (s Statistics) names() ([]string, error) {
	all := []string{"min", "max", "mean", "sd"}
	for name := range quantiles {
		all = append(all, name)
	}
	slices.Sort(all[4:])
	names := strings.Fields(string(s))
	for i, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("statistics %q: %q is none of %s", s, name, strings.Join(all, ", "))
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("statistics %q: %q occurs twice", s, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("statistics %q: name some of %s", s, strings.Join(all, ", "))
	}
	return names, nil
}

// of returns the statistics of a bag: the first statistic of all features, then the second, and so on.
func (s Statistics) of(bag mil.Instances) ([]float64, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	n, d := bag.Len(), bag.Features()
	if n == 0 {
		return nil, fmt.Errorf("an empty bag has no statistics")
	}
	lowest, highest := slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	middle, square := make([]float64, d), make([]float64, d)
	var columns [][]float64 // for quantiles
	if slices.ContainsFunc(names, func(name string) bool { return quantiles[name] > 0 }) {
		columns = make([][]float64, d)
		for j := range columns {
			columns[j] = make([]float64, 0, n)
		}
	}
	err = mil.EachRow(bag, func(_ int, row []float32) {
		for j, x := range row {
			v := float64(x)
			lowest[j], highest[j] = min(lowest[j], v), max(highest[j], v)
			middle[j] += v
			if columns != nil {
				columns[j] = append(columns[j], v)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for j := range middle {
		middle[j] /= float64(n)
	}
	if slices.Contains(names, "sd") {
		if err := mil.EachRow(bag, func(_ int, row []float32) {
			for j, x := range row {
				square[j] += (float64(x) - middle[j]) * (float64(x) - middle[j])
			}
		}); err != nil {
			return nil, err
		}
	}
	for _, column := range columns {
		slices.Sort(column)
	}
	var all []float64
	for _, name := range names {
		switch name {
		case "min":
			all = append(all, lowest...)
		case "max":
			all = append(all, highest...)
		case "mean":
			all = append(all, middle...)
		case "sd":
			for _, s := range square {
				all = append(all, math.Sqrt(s/float64(n)))
			}
		default:
			for _, column := range columns {
				all = append(all, stats.Quantile(column, quantiles[name]))
			}
		}
	}
	return all, nil
}

// vectors returns the statistics of the shared bags.
func (s Statistics) vectors(ctx context.Context, shared *learner.Shared) (*vectors, error) {
	return learner.Once(shared, "statistics "+string(s), func() (*vectors, error) {
		values, err := eachBag(ctx, shared.Bags, s.of)
		if err != nil {
			return nil, err
		}
		n := len(shared.Bags)
		return standardiseVectors(values, n, len(values)/n), nil
	})
}

// cost returns the estimated cost of the statistics of bags, and the number of their vectors' values.
func (s Statistics) cost(bags []mil.Instances) (c learner.Cost, values float64) {
	names, _ := s.names()
	rows, n, d := 0.0, float64(len(bags)), 0.0
	for _, b := range bags {
		rows, d = rows+float64(b.Len()), float64(b.Features()*len(names))
	}
	return learner.Cost{Shared: 4 * rows * d / comparedPerSecond, Memory: uint64(8*n*d) + 1<<20}, n * d
}

// StatisticsSVM is a support vector machine with a radial kernel on statistics of each feature over the instances of a
// bag. The statistics are standardised over the training bags; the kernel of vectors of d values is exp(-Gamma / d
// |x-z|^2).
//
// Source: the "simple" embedding of J. Amores, "Multiple instance classification: review, taxonomy and comparative
// study", Artificial Intelligence 201 (2013); for minimum and maximum, T. Gärtner et al., "Multi-instance kernels"
// (2002).
type StatisticsSVM struct {
	Statistics Statistics `json:"statistics"`
	Gamma      float64    `json:"gamma"`
	SVM
}

// StatisticsSVMEntry returns the entry of [StatisticsSVM] in the list of learners.
func StatisticsSVMEntry() learner.Entry {
	var grid []learner.Estimator
	for _, statistics := range []Statistics{defaultStatistics, "min max mean sd q25 median q75"} {
		for _, c := range []float64{1, 10} {
			grid = append(grid, &StatisticsSVM{Statistics: statistics, Gamma: 1, SVM: SVM{C: c, Balanced: true}})
		}
	}
	return learner.Entry{
		Name: "statistics-svm", Summary: "an SVM on minimum, maximum and mean of each feature",
		Default: func() learner.Estimator {
			return &StatisticsSVM{Statistics: defaultStatistics, Gamma: 1, SVM: SVM{C: 3, Balanced: true}}
		}, Grid: grid,
		Model: func() learner.Model { return new(statisticsSVMModel) },
	}
}

// Validate reports the first invalid hyperparameter.
func (s StatisticsSVM) Validate() error {
	_, err := s.Statistics.names()
	return cmp.Or(err, above0("gamma", s.Gamma), s.SVM.validate())
}

// Shares implements an optional method of [learner.Estimator].
func (s StatisticsSVM) Shares() string { return "statistics " + string(s.Statistics) }

// Takes implements an optional method of [learner.Estimator].
func (s StatisticsSVM) Takes() learner.Takes {
	return learner.Takes{Kinds: kinds, Dense: true, Sparse: true}
}

// Cost implements an optional method of [learner.Estimator].
func (s StatisticsSVM) Cost(bags []mil.Instances) learner.Cost {
	c, values := s.Statistics.cost(bags)
	n := float64(len(bags))
	c.Seconds += n * n * 1e-7
	c.Shared += n * values / 2 / comparedPerSecond
	c.Memory += uint64(8 * 3 * min(n, mostGram) * n)
	return c
}

// Fit implements [learner.Estimator].
func (s StatisticsSVM) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	v, err := s.Statistics.vectors(ctx, shared)
	if err != nil {
		return nil, err
	}
	machine, err := v.fitRadial(ctx, t, shared, s.Shares(), rows, s.Gamma, s.SVM)
	if err != nil {
		return nil, err
	}
	return &statisticsSVMModel{Statistics: s.Statistics, Features: t.Bags[0].Features(), Machine: machine}, nil
}

// statisticsSVMModel is a fitted [StatisticsSVM].
type statisticsSVMModel struct {
	Statistics Statistics     `json:"statistics"`
	Features   int            `json:"features"`
	Machine    *radialMachine `json:"machine"`
}

// Validate reports parts of a decoded model that do not fit together.
func (m *statisticsSVMModel) Validate() error {
	names, err := m.Statistics.names()
	if err != nil {
		return err
	}
	if m.Features < 1 {
		return fmt.Errorf("a machine of %d features", m.Features)
	}
	return m.Machine.validate(len(names) * m.Features)
}

// Predict implements [learner.Model].
func (m *statisticsSVMModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	if n := bag.Features(); n != m.Features {
		return mil.Prediction{}, fmt.Errorf("a bag of %d features for a model of %d", n, m.Features)
	}
	x, err := m.Statistics.of(bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	return m.Machine.predict(x)
}

// InstanceScores implements [learner.InstanceScorer].
func (m *statisticsSVMModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	return leaveOut(m, bag)
}
