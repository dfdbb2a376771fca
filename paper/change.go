package paper

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

// Changes of a set other than noise; see [Change].
const (
	Leaked   = "leaked"   // keep the column that leaks the labels as a feature ([dataset.Source.Leaked])
	Shuffled = "shuffled" // permute the bag labels at random ([generate.ShuffledLabels])
	Redrawn  = "redrawn"  // draw a generated set again ([dataset.Entry.Draw])
)

// Parts of each fold that receive noise. The training part includes the validation part.
const (
	OnTrain = "train"
	OnTest  = "test"
	OnBoth  = "both"
)

// Change describes what is done to a set before training: nothing, [Leaked], [Shuffled], [Redrawn], or noise
// ([generate.Noise]) of one kind and level on a part of every fold.
type Change struct {
	Kind  string
	Draw  int     // number of the permutation or of the generated set, from 0 to 999
	Level float64 // of noise
	Part  string  // of noise
}

// drawSeed returns the seed of a draw, given the seed of the study. Names of redrawn sets contain it. Each study has a
// thousand draws of its own: they start at 1 for study seed 1 and at 1001 for study seed 2. Two study seeds up to
// 2⁶⁴/1000 never share a draw.
func (c Change) drawSeed(study uint64) uint64 { return 1000*(study-1) + 1 + uint64(c.Draw) }

// sets caches sets of the catalogue that were read, with duplicates grouped. The key is the name and "", [Leaked] or
// the noise.
type sets map[[2]string]*mil.Set

// open returns a set of the catalogue, with the leaked column or without.
func (s sets) open(name, kind string) (*mil.Set, error) {
	key := [2]string{name, ""}
	if kind == Leaked {
		key[1] = Leaked
	}
	if set := s[key]; set != nil {
		return set, nil
	}
	source, err := dataset.Open(name)
	if err != nil {
		return nil, err
	}
	load := func() (*mil.Set, error) { return source.Set(dataset.NoColumn) }
	if kind == Leaked {
		load = source.Leaked
	}
	set, err := load()
	if err != nil {
		return nil, err
	}
	if set, _, err = audit.GroupDuplicates(set); err != nil {
		return nil, err
	}
	s[key] = set
	return set, nil
}

// taskChange changes what a learner gets to see.
type taskChange = func(cv.Task) (cv.Task, error)

// apply returns the changed set and a change of its task, which is nil if there is none.
func (c Change) apply(all sets, name string, seed uint64) (*mil.Set, taskChange, error) {
	if c.Kind == Redrawn {
		entry, err := dataset.Find(name)
		if err != nil {
			return nil, nil, err
		}
		set, err := entry.Draw(c.drawSeed(seed))
		return set, nil, err
	}
	set, err := all.open(name, c.Kind)
	if err != nil {
		return nil, nil, err
	}
	switch c.Kind {
	case "", Leaked:
		return set, nil, nil
	case Shuffled:
		shuffled, err := generate.ShuffledLabels(set, c.drawSeed(seed))
		return shuffled, nil, err
	}
	noise := generate.Noise{Kind: generate.NoiseKind(c.Kind), Level: c.Level, Seed: seed}
	key := [2]string{name, noise.String()}
	noisy := all[key] // one copy, so that its bags are known to be the same ([synpool/milbench/run.DoAll])
	if noisy == nil {
		if noisy, err = noise.Apply(set); err != nil {
			return nil, nil, err
		}
		all[key] = noisy
	}
	switch c.Part {
	case OnBoth:
		return noisy, nil, nil
	case OnTrain, OnTest:
		return partly(set, noisy, c.Part), inPart(noisy, c.Part), nil
	}
	return nil, nil, fmt.Errorf("noise on %q; use one of %s, %s, %s", c.Part, OnTrain, OnTest, OnBoth)
}

// partly returns a set with the name and checksum that follow from what [inPart] does to it.
func partly(set, noisy *mil.Set, part string) *mil.Set {
	s := *set
	s.Name = noisy.Name + " " + part
	sum := sha256.Sum256([]byte(set.Checksum + noisy.Checksum + part))
	s.Checksum = hex.EncodeToString(sum[:])
	return &s
}

// inPart puts noisy bags into one part of every fold. They are in the order of the task's bags.
func inPart(noisy *mil.Set, part string) taskChange {
	return func(task cv.Task) (cv.Task, error) {
		n := len(task.Bags)
		if n != len(noisy.Bags) {
			return cv.Task{}, fmt.Errorf("%d bags, and %d with noise", n, len(noisy.Bags))
		}
		task.Bags = slices.Clone(task.Bags) // the noisy version of bag i is bag n+i
		for _, b := range noisy.Bags {
			task.Bags = append(task.Bags, b.Instances)
		}
		shifted := func(bags []int) []int {
			moved := make([]int, len(bags))
			for i, b := range bags {
				moved[i] = n + b
			}
			return moved
		}
		if task.Groups != nil {
			task.Groups = slices.Concat(task.Groups, task.Groups)
		}
		task.Fits = slices.Clone(task.Fits)
		for i := range task.Fits {
			f := &task.Fits[i]
			if part == OnTest {
				f.Test = shifted(f.Test)
				continue
			}
			f.Train = slices.Clone(f.Train)
			for k := range f.Train {
				f.Train[k].Bag += n
			}
			f.Validation = shifted(f.Validation)
			inner := f.Inner
			f.Inner = nil
			for _, part := range inner {
				f.Inner = append(f.Inner, shifted(part))
			}
		}
		return task, nil
	}
}
