package evaluate

import "synpool/milbench/mil"

// known returns the ids of new bags with the same instances as a training bag; fresh is the profile of the new bags.
// It finds copies with other ids or with instances in another order ([mil.ContentSum]). Figures on such bags say
// nothing about new ones.
func known(train, fresh mil.Profile, s *mil.Set) (ids []string) {
	contents := make(map[string]bool, len(train.Contents))
	for _, c := range train.Contents {
		contents[c] = true
	}
	for i, c := range fresh.Contents {
		if i < len(s.Bags) && contents[c] {
			ids = append(ids, s.Bags[i].ID)
		}
	}
	return ids
}
