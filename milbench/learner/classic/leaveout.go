package classic

import (
	"errors"

	"synpool/milbench"
)

// leaveOut returns for each instance of a bag by how much the score falls without it; of a single instance the score. Of classes that is
// the largest score of the bag.
func leaveOut(m milbench.Model, bag milbench.Instances) ([]float64, error) {
	whole, err := m.Predict(bag)
	if err != nil {
		return nil, err
	}
	n, k := bag.Len(), leading(whole)
	if n == 0 {
		return nil, errors.New("an empty bag has no instances to score")
	}
	if n == 1 {
		return []float64{whole.Scores[k]}, nil
	}
	in := bag // in memory, where each rest is copied from
	if !milbench.IsSparse(bag) {
		if in, err = milbench.ToDense(bag); err != nil {
			return nil, err
		}
	}
	scores := make([]float64, n)
	for i := range n {
		rest, err := without(in, i)
		if err != nil {
			return nil, err
		}
		p, err := m.Predict(rest)
		if err != nil {
			return nil, err
		}
		scores[i] = whole.Scores[k] - p.Scores[k]
	}
	return scores, nil
}

// without returns a bag without one instance.
func without(bag milbench.Instances, i int) (milbench.Instances, error) {
	if s, ok := bag.(*milbench.Sparse); ok {
		rest := &milbench.Sparse{Cols: s.Cols, RowStart: []int{0}}
		for k := range s.Rows {
			if k != i {
				columns, values := s.Row(k)
				rest.Column, rest.Values = append(rest.Column, columns...), append(rest.Values, values...)
				rest.EndRow()
			}
		}
		return rest, nil
	}
	d, err := milbench.ToDense(bag)
	if err != nil {
		return nil, err
	}
	rest := &milbench.Dense{Rows: d.Rows - 1, Cols: d.Cols}
	rest.Values = append(append(rest.Values, d.Values[:i*d.Cols]...), d.Values[(i+1)*d.Cols:]...)
	return rest, nil
}
