package evaluate

import (
	"fmt"
	"math"
	"slices"

	"synpool/milbench/calibrate"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// conformal returns the coverage of sets, for all bags and for each class, and their mean size, or the coverage and the width of
// intervals. Scores are those of the model. There is nothing without sets or intervals.
func (s Scored) conformal(l *calibrate.Learnt, className func(int) string, seed uint64) (list []Figure, err error) {
	if l == nil || l.Conformal == nil {
		return nil, nil
	}
	c := l.Conformal
	bags, q := slices.Clone(s.Bags), c.HalfWidth()
	for i, b := range bags {
		covered, size := math.Abs(b.Value-b.Scores[0]) <= q, 1
		if c.Classes > 0 {
			set, err := c.Set(b.Scores)
			if err != nil {
				return nil, &modeldir.BagError{Bag: i, Err: err}
			}
			covered, size = slices.Contains(set, b.Label), len(set)
		}
		bags[i].Scores = []float64{0, float64(size)}
		if covered {
			bags[i].Scores[0] = 1
		}
	}
	s.Bags = bags
	add := func(f figure) {
		if err == nil {
			var some []Figure
			some, err = s.measured(f, seed)
			list = append(list, some...)
		}
	}
	name := fmt.Sprintf("coverage at level %g", c.Level)
	add(figure{name: name, of: meanScore(0, every), own: clopperPearson(every)})
	if c.Classes == 0 {
		width := 2 * q
		return append(list, Figure{Name: "width of intervals", Value: &width, Why: "the same for all bags"}), err
	}
	for k := range c.Classes {
		add(figure{name: name + ", class " + className(k), of: meanScore(0, k), own: clopperPearson(k)})
	}
	add(figure{name: "mean size of sets", of: meanScore(1, every)})
	return list, err
}

// meanScore measures the mean of score k over the bags of a class, or over every bag.
func meanScore(k, class int) results.Measure {
	return func(bags []results.ScoredBag, _ int) (float64, error) {
		sum, n := 0.0, 0
		for _, b := range bags {
			if class == every || b.Label == class {
				sum += b.Scores[k]
				n++
			}
		}
		if n == 0 {
			return 0, fmt.Errorf("no bag of the class: %w", stats.ErrOneClass)
		}
		return sum / float64(n), nil
	}
}
