package neural

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// aloneAtOnce is the number of instances that are scored by themselves at a time.
const aloneAtOnce = 1024

// contributions returns how much each instance adds to each score of its bag. With the weight a_i of an instance,
// averaged over the heads, and the logit f of a bag, it is
//
//	a_i · (f({x_i}) − f(∅))
//
// If the pooling has one head and its logit is linear in the pooled vector (mean, sum, attention, gated, single-branch
// CLAM), these numbers sum to f(bag) − f(∅), as in the additive MIL of Javed et al. 2022. For other poolings they have no
// such sum: each is what the instance adds by itself to the logit of an empty bag, times its attention. A pooling with one head per class (DSMIL, CLAM) uses the
// weight of the class's head.
//
// predictions must be those of Predict for the bags. Errors are the same as those of Predict.
func (m *Model) contributions(ctx context.Context, bags []mil.Instances, predictions []mil.Prediction) (all [][][]float64, err error) {
	if len(bags) == 0 {
		return nil, nil
	}
	none, err := m.alone(ctx, []mil.Instances{&mil.Dense{Cols: m.card.NumFeatures}})
	if err != nil {
		return nil, err
	}
	all = make([][][]float64, len(bags))
	for i, bag := range bags {
		p := predictions[i]
		weights := make([][]float64, len(p.Scores)) // one row per score
		for k := range weights {
			if weights[k] = p.MeanWeights(); m.headPerScore() {
				weights[k] = slices.Clone(p.Weights[k])
			}
		}
		for from := 0; from < bag.Len(); from += aloneAtOnce {
			ones, err := split(bag, from, min(from+aloneAtOnce, bag.Len()))
			if err != nil {
				return nil, &modeldir.BagError{Bag: i, Err: err}
			}
			scored, err := m.alone(ctx, ones)
			if err != nil {
				return nil, &modeldir.BagError{Bag: i, Err: err}
			}
			for at, one := range scored {
				if !one.Finite() {
					return nil, &modeldir.BagError{Bag: i, Err: fmt.Errorf("instance %d: its score by itself is not finite", from+at+1)}
				}
				for k, w := range weights {
					w[from+at] *= one.Scores[k] - none[0].Scores[k]
				}
			}
		}
		all[i] = weights
	}
	return all, nil
}

// headPerScore reports whether the pooling has one head per score.
func (m *Model) headPerScore() bool {
	c := m.card.Config
	return slices.Contains([]string{dsmil, clam}, c.Pooling) && c.target.outputs() > 1
}

// alone scores bags that may be empty.
func (m *Model) alone(ctx context.Context, bags []mil.Instances) (predictions []mil.Prediction, err error) {
	err = m.with(bags, func(f *fitting, parameters *tensors.Tensor, indices []int) (err error) {
		predictions, err = f.predict(ctx, parameters, indices)
		return err
	})
	return predictions, err
}

// split returns instances i to j-1, each as a bag of its own.
func split(bag mil.Instances, i, j int) (ones []mil.Instances, err error) {
	if s, sparse := bag.(*mil.Sparse); sparse {
		for k := i; k < j; k++ {
			columns, values := s.Row(k)
			ones = append(ones, &mil.Sparse{Rows: 1, Cols: s.Cols, Values: values, RowStart: []int{0, len(values)}, Column: columns})
		}
		return ones, nil
	}
	width := bag.Features()
	values := make([]float32, (j-i)*width)
	if err := bag.Read(i, j, values); err != nil {
		return nil, err
	}
	for row := range slices.Chunk(values, width) {
		ones = append(ones, &mil.Dense{Rows: 1, Cols: width, Values: row})
	}
	return ones, nil
}
