package classic

import (
	"fmt"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// meanOnly is the statistic that linear models of bags take.
const meanOnly Statistics = "mean"

// linearModel is a linear function of the mean of a bag's instances: one score for a binary target, one per class for classes. The
// score of the bag is the mean of those of its instances.
type linearModel struct {
	Features     int     `json:"features"`
	Coefficients numbers `json:"coefficients"` // [scores, features], in the features' own units
	outputs
}

// newLinearModel returns the model with the given weights of the standardised means, [scores, features], and biases.
func newLinearModel(v *vectors, t learner.Training, weights, biases []float64) (*linearModel, error) {
	m := &linearModel{Features: v.d, Coefficients: weights}
	var err error
	if m.Targets, err = targetsOf(t); err != nil {
		return nil, err
	}
	for k := range biases {
		w := weights[k*v.d : (k+1)*v.d]
		for j := range w { // w (x - shift) factor + b, as a function of x
			w[j] *= v.factor[j]
			biases[k] -= w[j] * v.shift[j]
		}
	}
	if m.Bias = biases[0]; m.Targets != nil {
		m.Bias, m.Biases = 0, biases
	}
	return m, nil
}

// Validate reports parts of a decoded model that do not fit together.
func (m *linearModel) Validate() error {
	each, err := m.outputs.validate(len(m.Coefficients))
	switch {
	case err != nil:
		return err
	case m.Targets.real():
		return fmt.Errorf("targets of kind %v; a linear model of means has classes", m.Targets.Kind)
	case m.Features < 1 || each != m.Features:
		return fmt.Errorf("%d coefficients of %d features", each, m.Features)
	}
	return nil
}

// Predict implements [learner.Model].
func (m *linearModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	if n := bag.Features(); n != m.Features {
		return mil.Prediction{}, fmt.Errorf("a bag of %d features for a model of %d", n, m.Features)
	}
	x, err := meanOnly.of(bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	return m.prediction(m.Coefficients, x)
}

// InstanceScores implements [learner.InstanceScorer]. The scores of an instance are those of a bag that holds it alone.
func (m *linearModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	if n := bag.Features(); n != m.Features {
		return nil, fmt.Errorf("a bag of %d features for a model of %d", n, m.Features)
	}
	biases := m.machines()
	all := make([][]float64, len(biases))
	for k, bias := range biases {
		all[k] = make([]float64, bag.Len())
		for i := range all[k] {
			all[k][i] = bias
		}
	}
	err := mil.EachValue(bag, func(i, j int, v float32) {
		for k := range all {
			all[k][i] += m.Coefficients[k*m.Features+j] * float64(v)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, scores := range all {
		if _, err := finite(scores); err != nil {
			return nil, err
		}
	}
	return all, nil
}
