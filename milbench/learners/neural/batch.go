package neural

import (
	"cmp"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/mil"
)

// batch is a number of bags padded to the same number of instances. Empty bags pad the batch.
type batch struct {
	x, mask *tensors.Tensor
}

// newBatch returns a batch of size with the bags given by index, padded like the largest of them.
func newBatch(bags []mil.Instances, indices []int, size int, s Standardisation) (batch, error) {
	instances := 0
	for _, i := range indices {
		instances = max(instances, padded(bags[i]))
	}
	features := bags[indices[0]].Features()
	x := make([]float32, size*instances*features)
	mask := make([]bool, size*instances)
	for k, i := range indices {
		if err := s.fill(x[k*instances*features:], bags[i]); err != nil {
			return batch{}, err
		}
		for j := range bags[i].Len() {
			mask[k*instances+j] = true
		}
	}
	return batch{
		x:    tensors.FromFlatDataAndDimensions(x, size, instances, features),
		mask: tensors.FromFlatDataAndDimensions(mask, size, instances),
	}, nil
}

// scoringBatch returns how many bags of a bucket are scored at a time: at most 16, in a batch below about 4 MB. It
// depends only on the bucket and the features, because rounding depends on it.
func scoringBatch(instances, features int) int {
	const floats, most = 1 << 20, 16
	return max(1, min(most, floats/max(1, instances*features)))
}

// scoringBatches splits the bags given by index into batches for scoring. A batch holds bags of one bucket, ordered by
// size; its size is [scoringBatch]. The result holds the positions in indices for each batch.
func scoringBatches(bags []mil.Instances, indices []int) (batches [][]int, size func(instances int) int) {
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

// finalize frees all tensors that are not nil.
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
