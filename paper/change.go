package paper

import (
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

// Change describes what is done to a set before training: nothing, [Leaked], [Shuffled], [Redrawn], or noise
// ([generate.Noise]) of one kind and level on all bags.
type Change struct {
	Kind  string
	Draw  int     // number of the permutation or of the generated set, from 0 to 999
	Level float64 // of noise
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

// apply returns the changed set.
func (c Change) apply(all sets, name string, seed uint64) (*mil.Set, error) {
	if c.Kind == Redrawn {
		entry, err := dataset.Find(name)
		if err != nil {
			return nil, err
		}
		return entry.Draw(c.drawSeed(seed))
	}
	set, err := all.open(name, c.Kind)
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case "", Leaked:
		return set, nil
	case Shuffled:
		return generate.ShuffledLabels(set, c.drawSeed(seed))
	}
	noise := generate.Noise{Kind: generate.NoiseKind(c.Kind), Level: c.Level, Seed: seed}
	key := [2]string{name, noise.String()}
	noisy := all[key] // one copy, so that its bags are known to be the same ([synpool/milbench/run.DoAll])
	if noisy == nil {
		if noisy, err = noise.Apply(set); err != nil {
			return nil, err
		}
		all[key] = noisy
	}
	return noisy, nil
}
