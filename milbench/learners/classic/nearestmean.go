package classic

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// NearestMean is a classifier by the nearest class mean. x is the mean of a bag's instances, standardised over the training bags, and
// m_k the mean of x over the training bags of class k. The score of class k is
//
//	m_k x − |m_k|² / 2  =  (|x|² − |x − m_k|²) / 2
//
// so the largest score is that of the nearest mean. Of two classes, the score is that of the positive class less that of the negative one:
// the log-odds of equally frequent classes with unit covariance, which are far too sure where features are correlated. A class
// without training bags has the score −1e9. There are no hyperparameters.
//
// The nearest class is that of scikit-learn's NearestCentroid. Source: R. Tibshirani et al., "Diagnosis of multiple cancer types by shrunken
// centroids of gene expression", PNAS 99 (2002), without shrinkage; of few shots, the class means of J. Snell et al.,
// "Prototypical networks for few-shot learning" (2017), without a network.
type NearestMean struct{}

// NearestMeanEntry returns the entry of [NearestMean] in the list of learners.
func NearestMeanEntry() learner.Entry {
	return learner.Entry{
		Name: "nearest-mean", Summary: "the class whose mean bag is nearest, on the mean of each feature",
		Default: func() learner.Estimator { return &NearestMean{} },
		Model:   func() learner.Model { return new(linearModel) },
	}
}

// Validate returns nil.
func (NearestMean) Validate() error { return nil }

// Shares implements an optional method of [learner.Estimator].
func (NearestMean) Shares() string { return "statistics " + string(meanOnly) }

// Takes implements an optional method of [learner.Estimator].
func (NearestMean) Takes() learner.Takes { return LinearProbe{}.Takes() }

// Cost implements an optional method of [learner.Estimator].
func (NearestMean) Cost(bags []mil.Instances) learner.Cost {
	c, values := meanOnly.cost(bags)
	c.Seconds += values / coreFlops
	return c
}

// noBags is the score of a class without training bags.
const noBags = -1e9

// Fit implements [learner.Estimator].
func (s NearestMean) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, classKinds)
	if err != nil {
		return nil, err
	}
	v, err := meanOnly.vectors(ctx, shared)
	if err != nil {
		return nil, err
	}
	classes := 2
	if t.Kind == mil.ClassTarget {
		classes = t.Classes
	}
	means, biases := make([]float64, classes*v.d), make([]float64, classes)
	of := func(class int) []float64 { return means[class*v.d : (class+1)*v.d] }
	count := make([]float64, classes)
	for i, row := range rows {
		floats.Add(of(t.Targets[i].Label), v.row(row))
		count[t.Targets[i].Label]++
	}
	for k, n := range count {
		if n == 0 {
			biases[k] = noBags
			continue
		}
		floats.Scale(1/n, of(k))
		biases[k] = -floats.Dot(of(k), of(k)) / 2
	}
	if t.Kind == mil.BinaryTarget {
		floats.Sub(of(1), of(0))
		return newLinearModel(v, t, of(1), []float64{biases[1] - biases[0]})
	}
	return newLinearModel(v, t, means, biases)
}
