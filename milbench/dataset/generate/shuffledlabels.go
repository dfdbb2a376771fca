package generate

import (
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// ShuffledLabels returns a control for s: the same bags with randomly permuted labels. Nothing is left to learn, so
// an honest figure is at chance level. If s has an official split, labels are permuted within each part, which keeps
// the number of bags per class. Instance labels are dropped because they would no longer match. The seed fixes
// everything and is part of the name. The instances are shared with s; do not change them.
//
// Copies of a bag get separate labels. Call audit.GroupDuplicates on s first to keep copies in one fold.
func ShuffledLabels(s *mil.Set, seed uint64) (*mil.Set, error) {
	shuffled := *s
	shuffled.Name = fmt.Sprintf("%s-shuffled-%d", s.Name, seed)
	shuffled.Bags = slices.Clone(s.Bags)
	shuffled.InstanceLabels = nil
	for _, part := range []mil.Split{mil.NoSplit, mil.TrainPart, mil.TestPart} {
		var bags []*mil.Bag
		for i := range shuffled.Bags {
			if b := &shuffled.Bags[i]; b.Split == part {
				bags = append(bags, b)
			}
		}
		cv.Rand(seed, "shuffled labels "+string(part)).Shuffle(len(bags), func(i, j int) {
			bags[i].Target, bags[j].Target = bags[j].Target, bags[i].Target
		})
	}
	return &shuffled, shuffled.Seal()
}
