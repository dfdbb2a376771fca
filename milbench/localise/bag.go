package localise

import (
	"crypto/sha256"
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

// Truth returns the bags of a set, whose labels of instances are known, without scores.
func Truth(set *mil.Set) ([]Bag, error) {
	bags := make([]Bag, len(set.Bags))
	for i, from := range set.Bags {
		b := &bags[i]
		b.ID = from.ID
		for _, y := range set.InstanceLabels[i] {
			b.Positive = append(b.Positive, y > 0)
		}
		if b.Positives() == 0 || from.Coordinates == nil {
			continue
		}
		places, err := from.Coordinates()
		if err != nil {
			return nil, fmt.Errorf("bag %s: %w", b.ID, err)
		}
		b.Lesion, b.Lesions = Lesions(places, b.Positive, from.Tile)
	}
	return bags, nil
}

// Checksum returns 16 digits that tell labels of instances apart.
func Checksum(bags []Bag) string {
	h := sha256.New()
	for _, b := range bags {
		fmt.Fprintf(h, "%q %v\n", b.ID, b.Positive)
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// Scored returns the bag with these scores of its instances, those of [mil.Prediction.Instances].
func (b Bag) Scored(scores []float64) (Bag, error) {
	if len(scores) != len(b.Positive) {
		return Bag{}, fmt.Errorf("bag %s: %d instances have scores and %d labels; give one of each for every instance", b.ID, len(scores), len(b.Positive))
	}
	for k, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return Bag{}, fmt.Errorf("bag %s: instance %d has score %v; scores are finite", b.ID, k+1, s)
		}
	}
	b.Scores = scores
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
