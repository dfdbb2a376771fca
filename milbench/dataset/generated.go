package dataset

import (
	"fmt"
	"strconv"

	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

const (
	generatedHere = "generated here"
	raff          = "Raff, E., Holt, J. (2023). Reproducibility in multiple instance learning: a case for algorithmic unit tests. Advances in Neural Information Processing Systems 36."
	carbonneau    = "Carbonneau, M.-A., Cheplygina, V., Granger, E., Gagnon, G. (2018). Multiple instance learning: a survey of problem characteristics and applications. Pattern Recognition 77, 329-353."
)

// needleRates has the witness rates of the named sets.
var needleRates = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5}

// generated returns the entries for the sets that are generated with their default settings.
func generated() []Entry {
	var all []Entry
	for _, t := range []struct {
		test      generate.RaffHoltTest
		title     string
		instances int
		notes     string
	}{
		{generate.SingleConcept, "Algorithmic unit test 1: one concept", 11480, ""},
		{generate.MultipleConcepts, "Algorithmic unit test 2: two concepts that both must be there", 8047, ""},
		{generate.FalseFrequency, "Algorithmic unit test 3: a concept that is frequent in negative test bags", 16205,
			"Drawn so that the maximum of any column tells nearly all bags apart: positive bags alone hold the second concept."},
	} {
		c := generate.DefaultRaffHolt(t.test)
		all = append(all, Entry{
			Name: "raffholt" + strconv.Itoa(int(t.test)), Title: t.title, Source: generatedHere, Licence: generatedHere,
			Citations: []string{raff}, Notes: t.notes, Generated: true,
			Bags: c.TrainBags + c.TestBags, Positive: (c.TrainBags + c.TestBags) / 2, Instances: t.instances, Features: c.Features,
			TrainBags: c.TrainBags, Folds: 10,
			draw: func(seed uint64) (*mil.Set, error) {
				c.Seed = seed
				return generate.DrawRaffHolt(c)
			},
		})
	}
	for _, rate := range needleRates {
		c := generate.DefaultNeedle()
		c.Rate = rate
		all = append(all, Entry{
			Name:   fmt.Sprintf("needle-%v", rate),
			Title:  fmt.Sprintf("Needle: %d of %d instances of a positive bag are positive", c.Witnesses(), c.Size),
			Source: generatedHere, Licence: generatedHere,
			Citations: []string{carbonneau}, Generated: true,
			Bags: c.TrainBags + c.TestBags, Positive: (c.TrainBags + c.TestBags) / 2, Instances: (c.TrainBags + c.TestBags) * c.Size, Features: c.Features,
			TrainBags: c.TrainBags, Folds: 10,
			draw: func(seed uint64) (*mil.Set, error) {
				c.Seed = seed
				return generate.DrawNeedle(c)
			},
		})
	}
	for i := range all {
		draw := all[i].draw
		all[i].read = func([]string) (*mil.Set, error) { return draw(1) }
	}
	return all
}

// Draw generates the set again with the given seed, which becomes part of its name. The catalogue's own set has seed
// 1. Draw returns an error if the set is not a generated one.
func (e Entry) Draw(seed uint64) (*mil.Set, error) {
	if e.draw == nil {
		return nil, fmt.Errorf("%s: only generated sets can be drawn", e.Name)
	}
	set, err := e.draw(seed)
	if err != nil {
		return nil, err
	}
	set.Name = fmt.Sprintf("%s-draw-%d", e.Name, seed)
	return e.finish(set)
}
