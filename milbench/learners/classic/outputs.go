package classic

import (
	"fmt"
	"slices"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// outputs describes the scores that machines give: one machine for a binary or a real target, one per class for
// classes.
type outputs struct {
	Bias    float64  `json:"bias"`              // of a single machine
	Biases  numbers  `json:"biases,omitempty"`  // one per class
	Targets *targets `json:"targets,omitempty"` // nil for a binary target
}

// machines returns the biases of all machines.
func (o *outputs) machines() []float64 {
	if len(o.Biases) > 0 {
		return o.Biases
	}
	return []float64{o.Bias}
}

// validate reports outputs that are inconsistent or do not match the total number of coefficients. It returns the
// number per machine, which is 0 if all real targets lie in one tube.
func (o *outputs) validate(coefficients int) (each int, err error) {
	if err := o.Targets.validate(); err != nil {
		return 0, err
	}
	n, want := len(o.Biases), 0
	if o.Targets.count() > 1 {
		want = o.Targets.Classes
	}
	if n != want {
		return 0, fmt.Errorf("%d biases of classes, not %d", n, want)
	}
	n = max(n, 1)
	if coefficients%n != 0 || coefficients == 0 && !o.Targets.real() {
		return 0, fmt.Errorf("%d coefficients of %d machines", coefficients, n)
	}
	return coefficients / n, nil
}

// fits reports coefficients that do not match the outputs and support bags.
func (o *outputs) fits(coefficients []float64, support []keptBag) error {
	each, err := o.validate(len(coefficients))
	if err == nil && len(support) != each {
		err = fmt.Errorf("%d support bags and %d coefficients", len(support), len(coefficients))
	}
	return err
}

// prediction returns the prediction for a bag with the given values. Each machine multiplies them by its row of
// coefficients, [machines, values], and sums up.
func (o *outputs) prediction(coefficients, values []float64) (mil.Prediction, error) {
	scores := slices.Clone(o.machines())
	for k := range scores {
		for i, c := range o.of(coefficients, k) {
			scores[k] += c * values[i]
		}
	}
	return o.Targets.prediction(scores)
}

// of returns the coefficients of one machine.
func (o *outputs) of(coefficients []float64, machine int) []float64 {
	n := len(coefficients) / len(o.machines())
	return coefficients[machine*n : (machine+1)*n]
}

// fitOutputs fits the machines of a training part, each with width coefficients. For a binary target, one machine
// separates positive bags from the others. For classes, each class has a machine that separates it from the rest. For a
// real target, one machine follows the standardised values. A class without training bags has coefficients of 0 and the
// bias -1, like a machine that saw only negative bags.
func fitOutputs(t learner.Training, width int, classify func(positive []bool) ([]float64, float64, error),
	regress func(values []float64) ([]float64, float64, error)) (coefficients [][]float64, o outputs, err error) {
	if o.Targets, err = targetsOf(t); err != nil {
		return nil, o, err
	}
	coefficients = make([][]float64, o.Targets.count())
	switch t.Kind {
	case mil.BinaryTarget:
		coefficients[0], o.Bias, err = classify(labelled(t, 1))
	case mil.RealTarget:
		coefficients[0], o.Bias, err = regress(o.Targets.standardised(t.Targets))
	default:
		o.Biases = make(numbers, t.Classes)
		for k := range coefficients {
			positive := labelled(t, k)
			if !slices.Contains(positive, true) {
				coefficients[k], o.Biases[k] = make([]float64, width), -1
				continue
			}
			if coefficients[k], o.Biases[k], err = classify(positive); err != nil {
				return nil, o, fmt.Errorf("class %d against the rest: %w", k, err)
			}
		}
	}
	return coefficients, o, err
}
