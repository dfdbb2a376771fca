package classic

import (
	"math"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// weightTolerance applies to weights of standardised features and to scores. Both sides stop where the slope is small,
// not at the exact minimum.
const weightTolerance = 1e-4

// lossTolerance applies to the mean loss, which still changes with the weights at the minimum of loss and penalty.
const lossTolerance = 1e-5

// TestGolden compares results with scikit-learn.
func TestGolden(t *testing.T) {
	golden := goldenfile.Read[struct {
		Cases []struct {
			Name       string
			Dense      bool
			Bags       [][][]float64
			Labels     []int
			Setting    Instance
			Deviations []float64
			Weights    []float64
			Loss       float64
			Scores     []float64
		}
	}](t, "instance.json")
	if len(golden.Cases) != 24 {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	var bags []mil.Instances
	var train []cv.Example
	for _, c := range golden.Cases {
		if c.Bags != nil {
			bags, train = nil, nil
			for i, rows := range c.Bags {
				bags = append(bags, matrix(rows, !c.Dense))
				train = append(train, cv.Example{Bag: i, Target: mil.Labelled(c.Labels[i])})
			}
		}
		t.Run(c.Name, func(t *testing.T) {
			m := fitted(t, c.Setting, bags, train)
			for j, w := range c.Weights {
				if d := (m.Weights[j] - w) * c.Deviations[j]; !(math.Abs(d) <= weightTolerance) {
					t.Errorf("weight %d is %v, want %v", j, m.Weights[j], w)
				}
			}
			if math.Abs(m.Loss-c.Loss) > lossTolerance {
				t.Errorf("loss %v, want %v", m.Loss, c.Loss)
			}
			requireScores(t, c.Name, m, bags, func(i, _ int) (float64, float64) { return c.Scores[i], 5 * weightTolerance })
		})
	}
}

// goldenBags are the bags of a reference with their labels.
type goldenBags struct {
	Bags   [][][]float64
	Labels []int
}

// part returns the bags, and the first ones as a training part.
func (g goldenBags) part(sparse bool, train int) (bags []mil.Instances, part learner.Training) {
	for i, rows := range g.Bags {
		bags = append(bags, matrix(rows, sparse))
		if i < train {
			part.Bags, part.Targets = append(part.Bags, bags[i]), append(part.Targets, mil.Labelled(g.Labels[i]))
		}
	}
	return bags, part
}

// matrix returns rows, sparse or dense.
func matrix(rows [][]float64, sparse bool) mil.Instances {
	all := &mil.Dense{Rows: len(rows), Cols: len(rows[0])}
	for _, row := range rows {
		for _, v := range row {
			all.Values = append(all.Values, float32(v))
		}
	}
	if !sparse {
		return all
	}
	s, err := mil.ToSparse(all)
	if err != nil {
		panic(err) // there is none in memory
	}
	return s
}

// must returns a value. An error ends the tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
