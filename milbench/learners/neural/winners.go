package neural

import (
	"synpool/milbench/learner"
	"synpool/synlayer"
)

// winnersOf returns the winners of a fit's training and held-out bags: before the Syn steps of its pooling, and after these steps
// in float32 and float64, one by one. attention has the weights before the steps, per bag and head.
func winnersOf(c Config, train, heldOut []int, attention map[int][][]float32) (all []learner.Winners) {
	gamma, iterations := 1.0, 0
	if p, ok := c.Network().Pooling.(synlayer.SynPooling); ok {
		gamma, iterations = p.Gamma, p.Iterations
	}
	for _, part := range []struct {
		name string
		bags []int
	}{{"train", train}, {"held-out", heldOut}} {
		before, single, double := learner.Winners{Part: part.name, Way: "before"}, learner.Winners{Part: part.name, Way: "float32"}, learner.Winners{Part: part.name, Way: "float64"}
		for _, i := range part.bags {
			for _, weights := range attention[i] {
				before.Of = append(before.Of, largest(weights))
				single.Of = append(single.Of, largest(plainSyn(weights, gamma, iterations)))
				wide := make([]float64, len(weights))
				for j, w := range weights {
					wide[j] = float64(w)
				}
				double.Of = append(double.Of, largest(plainSyn(wide, gamma, iterations)))
			}
		}
		all = append(all, before, single, double)
	}
	return all
}

// largest returns the index of the largest number, the first one of equal ones.
func largest[T float32 | float64](values []T) (at int) {
	for i, v := range values {
		if v > values[at] {
			at = i
		}
	}
	return at
}
