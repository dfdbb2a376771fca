package neural

import (
	"synpool/milbench/learner"
	"synpool/synlayer"
)

// attended are the weights of a head before Syn steps, and after these as the network's graphs round them.
type attended struct{ before, after []float32 }

// winnersOf returns the winners of a fit's training and held-out bags: before the Syn steps of its pooling, and after these steps
// one by one, as graphs take them in float32 and with every operation rounded correctly, in float32 and in float64. attention
// has the heads of each bag.
func winnersOf(c Config, train, heldOut []int, attention map[int][]attended) (all []learner.Winners) {
	gamma, iterations := 1.0, 0
	if p, ok := c.Network().Pooling.(synlayer.SynPooling); ok {
		gamma, iterations = p.Gamma, p.Iterations
	}
	for _, part := range []struct {
		name string
		bags []int
	}{{"train", train}, {"held-out", heldOut}} {
		for _, way := range []struct {
			name   string
			winner func(attended) int
		}{
			{"before", func(a attended) int { return largest(a.before) }},
			{"float32", func(a attended) int { return largest(a.after) }},
			{"rounded", func(a attended) int { return largest(plainSyn(a.before, gamma, iterations)) }},
			{"float64", func(a attended) int { return largest(plainSyn(wide(a.before), gamma, iterations)) }},
		} {
			w := learner.Winners{Part: part.name, Way: way.name}
			for _, i := range part.bags {
				for _, head := range attention[i] {
					w.Of = append(w.Of, way.winner(head))
				}
			}
			all = append(all, w)
		}
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

// wide returns values in float64.
func wide(values []float32) (all []float64) {
	for _, v := range values {
		all = append(all, float64(v))
	}
	return all
}
