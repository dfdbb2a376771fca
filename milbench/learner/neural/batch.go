package neural

import (
	"cmp"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench"
)

// batch is a number of bags padded to one number of instances, and those to one number of bags by empty ones.
type batch struct {
	x, mask, labels, counted *tensors.Tensor
}

// newBatch pads bags, by index, to size bags of as many instances as the largest is padded to. labels may be
// nil.
func newBatch(bags []milbench.Instances, indices []int, labels []float32, size int, s Standardisation) (batch, error) {
	instances := 0
	for _, i := range indices {
		instances = max(instances, padded(bags[i]))
	}
	features := bags[indices[0]].Features()
	x := make([]float32, size*instances*features)
	mask := make([]bool, size*instances)
	y, counted := make([]float32, size), make([]float32, size)
	for k, i := range indices {
		if err := s.fill(x[k*instances*features:], bags[i]); err != nil {
			return batch{}, err
		}
		for j := range bags[i].Len() {
			mask[k*instances+j] = true
		}
		counted[k] = 1
		if labels != nil {
			y[k] = labels[k]
		}
	}
	return batch{
		x:       tensors.FromFlatDataAndDimensions(x, size, instances, features),
		mask:    tensors.FromFlatDataAndDimensions(mask, size, instances),
		labels:  tensors.FromFlatDataAndDimensions(y, size),
		counted: tensors.FromFlatDataAndDimensions(counted, size),
	}, nil
}

// scoringBatch returns how many bags of a bucket are scored at a time: as many as keep a batch below about 4 MB, 16 at
// most. It depends on the bucket and the features alone, as rounding does on it.
func scoringBatch(instances, features int) int {
	const floats, most = 1 << 20, 16
	return max(1, min(most, floats/max(1, instances*features)))
}

// scoringBatches splits bags, by index, into batches to score: bags of one bucket together, in order of size, of as
// many as [scoringBatch] says. It returns, for each batch, positions in indices.
func scoringBatches(bags []milbench.Instances, indices []int) (batches [][]int, size func(instances int) int) {
	size = func(instances int) int { return scoringBatch(instances, bags[indices[0]].Features()) }
	order := make([]int, len(indices))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bags[indices[a]].Len(), bags[indices[b]].Len()) })
	for len(order) > 0 {
		instances := padded(bags[indices[order[0]]])
		n := 0
		for n < len(order) && n < size(instances) && padded(bags[indices[order[n]]]) == instances {
			n++
		}
		batches = append(batches, order[:n])
		order = order[n:]
	}
	return batches, size
}

// finalize frees tensors, those that are not nil.
func finalize(all ...*tensors.Tensor) error {
	for _, t := range all {
		if t == nil {
			continue
		}
		if err := t.FinalizeAll(); err != nil {
			return err
		}
	}
	return nil
}
