package fit

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/corpus"
)

// Batch says which examples are in a batch.
type Batch struct {
	Rows  []int // indices of the examples, -1 for an empty row
	Limit int   // length to which they are padded
}

// Real yields the places in the batch that hold examples, and the indices of these.
func (b Batch) Real() iter.Seq2[int, int] {
	return func(yield func(place, example int) bool) {
		for i, r := range b.Rows {
			if r >= 0 && !yield(i, r) {
				return
			}
		}
	}
}

// Set describes the examples that a graph is run on, in batches.
type Set struct {
	Lengths []int                        // of each example
	Size    int                          // rows of a batch
	Limits  []int                        // see [Batches]
	Input   func(b Batch) ([]any, error) // a batch as the input of the graph
}

// Batches returns the examples in batches.
func (s Set) Batches(rng *rand.Rand) ([]Batch, error) {
	return Batches(s.Lengths, s.Size, s.Limits, rng)
}

// Batches puts sequences of these lengths into batches of size rows. Each batch gets the smallest of the ascending limits
// that fits all its sequences, so there are few shapes to compile. With rng, the order of sequences and batches is random. A
// sequence longer than the last limit is an error.
func Batches(lengths []int, size int, limits []int, rng *rand.Rand) ([]Batch, error) {
	if size < 1 || size > mostRows || len(limits) == 0 || limits[0] < 1 || !slices.IsSorted(limits) {
		return nil, fmt.Errorf("batches of %d sequences with limits %v; want 1 to %d, and limits that ascend from 1 or more", size, limits, mostRows)
	}
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	if rng != nil {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	buckets := make([][]int, len(limits))
	for _, i := range order {
		b, _ := slices.BinarySearch(limits, lengths[i])
		if b == len(limits) {
			return nil, fmt.Errorf("sequence %d has length %d, above the limit of %d; truncate it", i, lengths[i], limits[b-1])
		}
		buckets[b] = append(buckets[b], i)
	}
	var batches []Batch
	for b, rows := range buckets {
		for rows := range slices.Chunk(rows, size) {
			rows = slices.Clone(rows)
			for len(rows) < size {
				rows = append(rows, -1)
			}
			batches = append(batches, Batch{rows, limits[b]})
		}
	}
	if rng != nil {
		rng.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	}
	return batches, nil
}

// Pick returns the items of rows, the zero value for -1.
func Pick[T any](items []T, rows []int) []T {
	picked := make([]T, len(rows))
	for i, r := range rows {
		if r >= 0 {
			picked[i] = items[r]
		}
	}
	return picked
}

// PickLabels returns the labels of rows, -1 for row -1, which OneHot turns into zeros.
func PickLabels(labels, rows []int) []int32 {
	picked := make([]int32, len(rows))
	for i, r := range rows {
		picked[i] = -1
		if r >= 0 {
			picked[i] = int32(labels[r])
		}
	}
	return picked
}

// PickSeveral returns the label vectors of rows, 1 for a label that is present and 0 otherwise, and the weights of the rows:
// 1, or 0 for row -1, which has zeros.
func PickSeveral(labels [][]bool, rows []int) (right [][]float32, weights []float32) {
	right, weights = make([][]float32, len(rows)), make([]float32, len(rows))
	for i, r := range rows {
		right[i] = make([]float32, len(labels[0]))
		if r < 0 {
			continue
		}
		weights[i] = 1
		for k, is := range labels[r] {
			if is {
				right[i][k] = 1
			}
		}
	}
	return right, weights
}

// Lengths returns the length of each item.
func Lengths[T any](items []T, length func(T) int) []int {
	lengths := make([]int, len(items))
	for i, item := range items {
		lengths[i] = length(item)
	}
	return lengths
}

// Words returns padded words as arguments of [Call], or the error of the padding.
func Words(padded corpus.Batch, err error) ([]any, error) {
	if err != nil {
		return nil, err
	}
	return []any{tensors.FromFlatDataAndDimensions(padded.IDs, padded.Dims...)}, nil
}

// Predict runs a graph on each batch of a set and calls read with the results, which have the form of [Call].
func Predict(exec *model.Exec, s Set, read func(b Batch, out []any)) error {
	batches, err := s.Batches(nil)
	if err != nil {
		return err
	}
	for _, b := range batches {
		in, err := s.Input(b)
		if err != nil {
			return err
		}
		out, err := Call(exec, in...)
		if err != nil {
			return err
		}
		read(b, out)
	}
	return nil
}
