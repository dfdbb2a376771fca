package localise

import (
	"fmt"
	"math"

	"synpool/milbench/mil"
)

// Bag has the labels and the scores of the instances of a bag.
type Bag struct {
	ID       string
	Positive []bool
	Scores   []float64 // larger for positive instances

	// Lesion has the lesion of each instance, from 0, or -1 for negative ones ([Lesions]). It is nil if the bag has positive
	// instances and no positions.
	Lesion  []int
	Lesions int
}

// Both reports whether the bag has instances of both kinds.
func (b Bag) Both() bool {
	n := b.Positives()
	return n > 0 && n < len(b.Positive)
}

// Positives returns the number of positive instances.
func (b Bag) Positives() (n int) {
	for _, p := range b.Positive {
		if p {
			n++
		}
	}
	return n
}

// BagOf returns bag i of a set with these scores of its instances, those of [mil.Prediction.Instances]. The labels of the
// instances must be known.
func BagOf(set *mil.Set, i int, scores []float64) (Bag, error) {
	from, labels := &set.Bags[i], set.InstanceLabels[i]
	if len(scores) != len(labels) {
		return Bag{}, fmt.Errorf("bag %s: %d instances have scores and %d labels; give one of each for every instance", from.ID, len(scores), len(labels))
	}
	b := Bag{ID: from.ID, Scores: scores, Positive: make([]bool, len(labels))}
	for k, y := range labels {
		if b.Positive[k] = y > 0; math.IsNaN(scores[k]) || math.IsInf(scores[k], 0) {
			return Bag{}, fmt.Errorf("bag %s: instance %d has score %v; scores are finite", from.ID, k+1, scores[k])
		}
	}
	if b.Positives() == 0 || from.Coordinates == nil {
		return b, nil
	}
	places, err := from.Coordinates()
	if err != nil {
		return Bag{}, fmt.Errorf("bag %s: %w", from.ID, err)
	}
	b.Lesion, b.Lesions = Lesions(places, b.Positive, from.Tile)
	return b, nil
}

// Known reports whether labels of instances say more than those of bags: whether a bag has instances of both kinds.
func Known(set *mil.Set) bool {
	for _, labels := range set.InstanceLabels {
		var found [2]bool
		for _, y := range labels {
			if y > 0 {
				found[1] = true
			} else {
				found[0] = true
			}
		}
		if found[0] && found[1] {
			return true
		}
	}
	return false
}
