package classic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// CitationKNN scores a bag X by votes of training bags. Its references vote: the References training bags nearest to X.
// Its citers vote, too: training bags b that have X among the Citers nearest of X and the other training bags. A bag
// that is both votes twice. The score is
//
//	log((p + 1/2) / (n + 1/2))
//
// with p votes of positive and n of negative bags. So its sign is the paper's label, which is positive if p > n. For
// classes, the score of each is log(v + 1/2), where v is the number of votes of its bags. For a real target, the score
// is the mean target of the votes, or that of the training part if no bag votes.
//
// If bags are equally near, the first one in the training part is the nearer reference, and X is nearer to a citer than
// bags at the same distance.
//
// Source: J. Wang and J.-D. Zucker, "Solving the multiple-instance problem: a lazy learning approach", ICML (2000),
// with [MinHausdorff] or [Hausdorff]. The score instead of the label is ours, and so are classes and real targets.
type CitationKNN struct {
	Distance   Distance `json:"distance"`
	References int      `json:"references"`
	Citers     int      `json:"citers"` // rank that X must reach; the number of citers varies
}

// CitationKNNEntry returns the entry of [CitationKNN] in the list of learners. The default has the settings of the paper: the
// minimal Hausdorff distance, 2 references, and citers of rank 4.
func CitationKNNEntry() learner.Entry {
	var grid []learner.Estimator
	for _, d := range []Distance{MinHausdorff, MeanMin} {
		for _, references := range []int{2, 5, 10} {
			grid = append(grid, &CitationKNN{Distance: d, References: references, Citers: 2 * references})
		}
	}
	return learner.Entry{
		Name: "citation-knn", Summary: "votes of the nearest training bags and of those that a bag is near to (citation-kNN)",
		Default: func() learner.Estimator { return &CitationKNN{Distance: MinHausdorff, References: 2, Citers: 4} }, Grid: grid,
		Model: func() learner.Model { return new(citationKNNModel) },
	}
}

var _ learner.Estimator = CitationKNN{}

// Validate reports the first invalid hyperparameter.
func (s CitationKNN) Validate() error {
	switch err := s.Distance.validate(); {
	case err != nil:
		return err
	case s.References < 0 || s.Citers < 0:
		return fmt.Errorf("references %d, citers %d: 0 or more are needed", s.References, s.Citers)
	case s.References == 0 && s.Citers == 0:
		return errors.New("references 0 and citers 0: no bag would vote")
	}
	return nil
}

// Takes implements an optional method of [learner.Estimator].
func (s CitationKNN) Takes() learner.Takes { return pairwise(kinds) }

// Shares implements an optional method of [learner.Estimator].
func (s CitationKNN) Shares() string { return fmt.Sprintf("distances %s %s", s.Distance, Deviation) }

// Cost implements an optional method of [learner.Estimator].
func (s CitationKNN) Cost(bags []mil.Instances) learner.Cost { return s.Distance.cost(bags) }

// Fit implements [learner.Estimator].
func (s CitationKNN) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	d, err := distancesOf(ctx, shared, s.Distance, Deviation)
	if err != nil {
		return nil, err
	}
	m := &citationKNNModel{
		Setting: s, Scale: d.z.scale, Positive: []bool{}, Reach: make(numbers, len(rows)), trainingBags: d.training(rows),
	}
	if m.Targets, err = targetsOf(t); err != nil {
		return nil, err
	}
	switch t.Kind {
	case mil.BinaryTarget:
		m.Positive = labelled(t, 1)
	case mil.RealTarget:
		m.Values = m.Targets.standardised(t.Targets)
	default:
		for _, target := range t.Targets {
			m.Values = append(m.Values, float64(target.Label))
		}
	}
	others := make([]float64, 0, len(rows))
	for i, row := range rows {
		m.Bags = append(m.Bags, keptBag{t.Bags[i]})
		others = others[:0]
		for k, other := range rows {
			if k != i {
				others = append(others, d.values[row*d.n+other])
			}
		}
		slices.Sort(others)
		switch {
		case s.Citers == 0:
			m.Reach[i] = -1
		case s.Citers > len(others):
			m.Reach[i] = math.MaxFloat64
		default: // up to rounding, which differs between the two directions of a distance
			m.Reach[i] = others[s.Citers-1] * (1 + 1e-12)
		}
	}
	return m, nil
}

// citationKNNModel is a fitted [CitationKNN].
type citationKNNModel struct {
	Setting  CitationKNN `json:"setting"`
	Scale    scale       `json:"scale"`
	Bags     []keptBag   `json:"bags"`
	Positive []bool      `json:"positive"`         // for a binary target
	Reach    numbers     `json:"reach"`            // a bag cites others up to this distance
	Values   numbers     `json:"values,omitempty"` // for other targets: standardised values, or classes
	Targets  *targets    `json:"targets,omitempty"`

	trainingBags
}

// Validate reports parts of a decoded model that do not fit together.
func (m *citationKNNModel) Validate() error {
	if err := cmp.Or(m.Setting.Validate(), m.Scale.validate(m.Bags)); err != nil {
		return err
	}
	labels := len(m.Positive)
	if m.Targets != nil {
		labels = len(m.Values)
	}
	if len(m.Bags) == 0 || len(m.Bags) != labels || len(m.Bags) != len(m.Reach) {
		return fmt.Errorf("%d bags, %d labels and %d reaches", len(m.Bags), labels, len(m.Reach))
	}
	err := m.Targets.validate()
	for _, v := range m.Values {
		if err == nil && m.Targets.count() > 1 && !(v >= 0 && v < float64(m.Targets.Classes) && v == math.Trunc(v)) {
			err = fmt.Errorf("label %v of %d classes", v, m.Targets.Classes)
		}
	}
	if err != nil {
		return err
	}
	m.z, m.bags, err = m.Scale.points(m.Bags)
	return err
}

// Predict implements [learner.Model].
func (m *citationKNNModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	if bag.Len() == 0 {
		return mil.Prediction{}, errors.New("an empty bag has no score")
	}
	d, err := m.distances(m.Setting.Distance, bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	return m.score(d)
}

// score returns the score of a bag, given its distances from the training bags.
func (m *citationKNNModel) score(d []float64) (mil.Prediction, error) {
	var voters []int
	for i, v := range d {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return mil.Prediction{}, fmt.Errorf("the distance to training bag %d is %v; values must be finite", i, v)
		}
		if v <= m.Reach[i] {
			voters = append(voters, i)
		}
	}
	order := all(len(d))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
	return m.count(append(voters, order[:min(m.Setting.References, len(order))]...))
}

// count returns the prediction for the given votes of training bags.
func (m *citationKNNModel) count(voters []int) (mil.Prediction, error) {
	switch {
	case m.Targets == nil:
		votes := [2]float64{0.5, 0.5}
		for _, i := range voters {
			if m.Positive[i] {
				votes[1]++
			} else {
				votes[0]++
			}
		}
		return scored(math.Log(votes[1] / votes[0]))
	case m.Targets.real():
		sum := 0.0
		for _, i := range voters {
			sum += m.Values[i]
		}
		return m.Targets.prediction([]float64{sum / float64(max(len(voters), 1))})
	}
	votes := slices.Repeat([]float64{0.5}, m.Targets.Classes)
	for _, i := range voters {
		votes[int(m.Values[i])]++
	}
	for k, v := range votes {
		votes[k] = math.Log(v)
	}
	return m.Targets.prediction(votes)
}

// InstanceScores implements [learner.InstanceScorer].
func (m *citationKNNModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	return m.leaveOut(m.Setting.Distance, bag, m.score)
}
