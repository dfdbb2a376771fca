package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"synpool/milbench"
	"synpool/milbench/dataset"
)

// The changes of a set that are not noise; see [Change].
const (
	Leaked   = "leaked"   // the column that gives the labels away is a feature ([dataset.Source.Leaked])
	Shuffled = "shuffled" // bag labels are moved at random ([dataset.ShuffledLabels])
)

// The parts of each fold that noise is put on. The training part includes the validation part.
const (
	OnTrain = "train"
	OnTest  = "test"
	OnBoth  = "both"
)

// Change is what is done to a set before it is learnt from: nothing, [Leaked], [Shuffled], or noise of a kind and level of
// [dataset.Noise] on a part of every fold.
type Change struct {
	Kind  string
	Level float64 // of noise
	Part  string  // of noise
}

// apply returns the changed set of a name, duplicates grouped, and what learns it.
func (c Change) apply(name string, seed uint64, learner milbench.Learner) (*milbench.Set, milbench.Learner, error) {
	source, err := dataset.Open(name)
	if err != nil {
		return nil, nil, err
	}
	load := func() (*milbench.Set, error) { return source.Set(dataset.NoColumn) }
	if c.Kind == Leaked {
		load = source.Leaked
	}
	set, err := load()
	if err != nil {
		return nil, nil, err
	}
	if set, _, err = dataset.GroupDuplicates(set); err != nil {
		return nil, nil, err
	}
	switch c.Kind {
	case "", Leaked:
		return set, learner, nil
	case Shuffled:
		return dataset.ShuffledLabels(set, seed), learner, nil
	}
	noisy, err := dataset.Noise{Kind: dataset.NoiseKind(c.Kind), Level: c.Level, Seed: seed}.Apply(set)
	if err != nil {
		return nil, nil, err
	}
	switch c.Part {
	case OnBoth:
		return noisy, learner, nil
	case OnTrain, OnTest:
		return partly(set, noisy, c.Part), partLearner{learner, noisy, c.Part}, nil
	}
	return nil, nil, fmt.Errorf("noise on %q; use one of %s, %s, %s", c.Part, OnTrain, OnTest, OnBoth)
}

// partly returns a set under the name and checksum of what a [partLearner] makes of it.
func partly(set, noisy *milbench.Set, part string) *milbench.Set {
	s := *set
	s.Name = noisy.Name + " " + part
	sum := sha256.Sum256([]byte(set.Checksum + noisy.Checksum + part))
	s.Checksum = hex.EncodeToString(sum[:])
	return &s
}

// partLearner learns with noise in one part of every fold.
type partLearner struct {
	of    milbench.Learner
	noisy *milbench.Set // its bags in the order of the task's
	part  string
}

// Learn implements [milbench.Learner].
func (l partLearner) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	n := len(task.Bags)
	if n != len(l.noisy.Bags) {
		return fmt.Errorf("%d bags, and %d with noise", n, len(l.noisy.Bags))
	}
	task.Bags = slices.Clone(task.Bags) // the noisy version of bag i is bag n+i
	for _, b := range l.noisy.Bags {
		task.Bags = append(task.Bags, b.Instances)
	}
	shifted := func(bags []int) []int {
		moved := make([]int, len(bags))
		for i, b := range bags {
			moved[i] = n + b
		}
		return moved
	}
	task.Fits = slices.Clone(task.Fits)
	for i := range task.Fits {
		f := &task.Fits[i]
		if l.part == OnTest {
			f.Test = shifted(f.Test)
			continue
		}
		f.Train = slices.Clone(f.Train)
		for k := range f.Train {
			f.Train[k].Bag += n
		}
		f.Validation = shifted(f.Validation)
	}
	return l.of.Learn(ctx, task, done)
}
