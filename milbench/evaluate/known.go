package evaluate

import "synpool/milbench"

// Known returns the ids of new bags, of which fresh is the profile, whose instances are those of a bag that the model was trained on, in
// whatever order and under whatever id ([milbench.ContentSum]). Figures on them say nothing about new bags.
func Known(train, fresh milbench.Profile, s *milbench.Set) (ids []string) {
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
