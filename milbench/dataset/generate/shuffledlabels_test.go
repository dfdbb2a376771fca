package generate

import (
	"math"
	"testing"

	"synpool/milbench/mil"
)

func shuffled(t *testing.T, s *mil.Set, seed uint64) *mil.Set {
	t.Helper()
	moved, err := ShuffledLabels(s, seed)
	must(t, err)
	return moved
}

// Labels move within the parts of a split as often as chance predicts, and nothing else changes.
func TestShuffledLabels(t *testing.T) {
	c := DefaultNeedle()
	c.TrainBags, c.TestBags, c.Size, c.Features = 150, 50, 2, 2
	split, err := DrawNeedle(c)
	must(t, err)
	for i := range 10 { // classes of unequal size
		split.Bags[2*i].Label = 0
	}
	whole := normalSet(3, 90, 4)
	whole.Checksum = sum(whole.Bags)
	for _, s := range []*mil.Set{split, whole} {
		before := sum(s.Bags)
		moved := shuffled(t, s, 1)
		if sum(s.Bags) != before || moved.Checksum == s.Checksum || moved.Checksum != sum(moved.Bags) {
			t.Errorf("%s: checksums %s and %s", s.Name, before, moved.Checksum)
		}
		if moved.Name != s.Name+"-shuffled-1" || moved.InstanceLabels != nil {
			t.Errorf("%s: name %s, %d instance labels", s.Name, moved.Name, len(moved.InstanceLabels))
		}
		positive, left := map[mil.Split]int{}, map[mil.Split]int{}
		same := 0
		for i, b := range moved.Bags {
			o := s.Bags[i]
			if b.Label == o.Label {
				same++
			}
			positive[b.Split] += o.Label
			left[b.Split] += b.Label
			b.Label = o.Label
			if sum([]mil.Bag{b}) != sum([]mil.Bag{o}) {
				t.Fatalf("%s: bag %s has changed", s.Name, b.ID)
			}
		}
		for part, n := range positive {
			if left[part] != n {
				t.Errorf("%s: %d positive bags in the part %q, %d before", s.Name, left[part], part, n)
			}
		}
		if n := float64(len(s.Bags)); math.Abs(float64(same)-n/2) > 4*math.Sqrt(n/4) {
			t.Errorf("%s: %d of %v labels stayed", s.Name, same, n)
		}
		if shuffled(t, s, 1).Checksum != moved.Checksum || shuffled(t, s, 2).Checksum == moved.Checksum {
			t.Errorf("%s: the seed does not fix the labels", s.Name)
		}
	}
}

// Over seeds each bag is positive as often as its part has positive bags.
func TestShuffledLabelsUniform(t *testing.T) {
	s := normalSet(4, 12, 1)
	for i := range s.Bags {
		s.Bags[i].Label, s.Bags[i].Split = 0, mil.TrainPart
		if i < 3 {
			s.Bags[i].Label = 1
		}
		if i >= 8 {
			s.Bags[i].Split = mil.TestPart
			s.Bags[i].Label = i % 2
		}
	}
	var positive [12]int
	const seeds = 4000
	for seed := range uint64(seeds) {
		for i, b := range shuffled(t, s, seed).Bags {
			positive[i] += b.Label
		}
	}
	for i, n := range positive {
		p := 3.0 / 8
		if i >= 8 {
			p = 0.5
		}
		if math.Abs(float64(n)/seeds-p) > 5*math.Sqrt(p*(1-p)/seeds) {
			t.Errorf("bag %d is positive in %d of %d seeds, want a share of %v", i, n, seeds, p)
		}
	}
}
