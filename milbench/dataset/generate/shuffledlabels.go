package generate

import (
	"fmt"
	"slices"

	"synpool/milbench"
)

// ShuffledLabels returns the control of s: its bags with their labels moved at random, so that nothing is left to learn
// and an honest figure is that of chance. Labels move among the bags of one part of an official split, which keeps the
// number of each class there. Instance labels, which would no longer go with them, are dropped. The name says the seed,
// which fixes everything. The instances are shared with s, and are read-only.
//
// Of bags that stand twice each gets a label of its own; call audit.GroupDuplicates on s, before, to keep such bags in one
// fold.
func ShuffledLabels(s *milbench.Set, seed uint64) (*milbench.Set, error) {
	shuffled := *s
	shuffled.Name = fmt.Sprintf("%s-shuffled-%d", s.Name, seed)
	shuffled.Bags = slices.Clone(s.Bags)
	shuffled.InstanceLabels = nil
	for _, part := range []milbench.Split{milbench.NoSplit, milbench.TrainPart, milbench.TestPart} {
		var bags []*milbench.Bag
		for i := range shuffled.Bags {
			if b := &shuffled.Bags[i]; b.Split == part {
				bags = append(bags, b)
			}
		}
		milbench.Rand(seed, "shuffled labels "+string(part)).Shuffle(len(bags), func(i, j int) {
			bags[i].Target, bags[j].Target = bags[j].Target, bags[i].Target
		})
	}
	return &shuffled, shuffled.Seal()
}
