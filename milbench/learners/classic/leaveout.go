package classic

import (
	"errors"
	"slices"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// leaveOut returns the drop of each score of a bag without each of its instances. A single instance has the bag's
// scores.
func leaveOut(m learner.Model, bag mil.Instances) ([][]float64, error) {
	whole, err := m.Predict(bag)
	if err != nil {
		return nil, err
	}
	n := bag.Len()
	if n == 0 {
		return nil, errors.New("an empty bag has no instances to score")
	}
	in := bag // held in memory, because it is copied for each instance
	if n > 1 && !mil.IsSparse(bag) {
		if in, err = mil.ToDense(bag); err != nil {
			return nil, err
		}
	}
	return falls(whole, n, func(i int) (mil.Prediction, error) {
		rest, err := mil.Rows(in, slices.Delete(all(n), i, i+1))
		if err != nil {
			return mil.Prediction{}, err
		}
		return m.Predict(rest)
	})
}

// falls returns the drop of each score of a bag without each of its n instances. A single instance has the bag's
// scores.
func falls(whole mil.Prediction, n int, without func(i int) (mil.Prediction, error)) ([][]float64, error) {
	all := make([][]float64, len(whole.Scores))
	for i := range n {
		rest := mil.Prediction{Scores: make([]float64, len(all))}
		if n > 1 {
			var err error
			if rest, err = without(i); err != nil {
				return nil, err
			}
		}
		for k, score := range whole.Scores {
			all[k] = append(all[k], score-rest.Scores[k])
		}
	}
	return all, nil
}
