package dataset

import (
	"fmt"
	"strconv"

	"synpool/milbench"
)

const (
	generatedHere = "generated here"
	raff          = "Raff, E., Holt, J. (2023). Reproducibility in multiple instance learning: a case for algorithmic unit tests. Advances in Neural Information Processing Systems 36."
	carbonneau    = "Carbonneau, M.-A., Cheplygina, V., Granger, E., Gagnon, G. (2018). Multiple instance learning: a survey of problem characteristics and applications. Pattern Recognition 77, 329-353."
)

// needleRates are the witness rates of the named sets.
var needleRates = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5}

// generated returns the entries of the sets that are drawn with their default settings.
func generated() []Entry {
	var all []Entry
	for _, t := range []struct {
		test      RaffHoltTest
		title     string
		instances int
		notes     string
	}{
		{SingleConcept, "Algorithmic unit test 1: one concept", 11480, ""},
		{MultipleConcepts, "Algorithmic unit test 2: two concepts that both must be there", 8047, ""},
		{FalseFrequency, "Algorithmic unit test 3: a concept that is frequent in negative test bags", 16205,
			"Drawn so that the maximum of any column tells nearly all bags apart: positive bags alone hold the second concept."},
	} {
		c := DefaultRaffHolt(t.test)
		all = append(all, Entry{
			Name: "raffholt" + strconv.Itoa(int(t.test)), Title: t.title, Source: generatedHere, Licence: generatedHere,
			Citations: []string{raff}, Notes: t.notes, Generated: true,
			Bags: c.TrainBags + c.TestBags, Positive: (c.TrainBags + c.TestBags) / 2, Instances: t.instances, Features: c.Features,
			TrainBags: c.TrainBags, Folds: 10,
			read: func([]string) (*milbench.Set, error) { return DrawRaffHolt(c) },
		})
	}
	for _, rate := range needleRates {
		c := DefaultNeedle()
		c.Rate = rate
		all = append(all, Entry{
			Name:   fmt.Sprintf("needle-%v", rate),
			Title:  fmt.Sprintf("Needle: %d of %d instances of a positive bag are positive", c.Witnesses(), c.Size),
			Source: generatedHere, Licence: generatedHere,
			Citations: []string{carbonneau}, Generated: true,
			Bags: c.TrainBags + c.TestBags, Positive: (c.TrainBags + c.TestBags) / 2, Instances: (c.TrainBags + c.TestBags) * c.Size, Features: c.Features,
			TrainBags: c.TrainBags, Folds: 10,
			read: func([]string) (*milbench.Set, error) { return DrawNeedle(c) },
		})
	}
	return all
}
