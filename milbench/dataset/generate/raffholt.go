package generate

import (
	"fmt"
	"strconv"

	"synpool/milbench/mil"
)

// RaffHoltTest is one of the algorithmic unit tests of Raff and Holt.
type RaffHoltTest int

// The tests. Every instance is drawn independently, with all of its features from one [Normal].
const (
	// SingleConcept has background instances N(0,1), Negatives per bag. A positive bag adds 1 to 3 instances of the
	// concept, each from N(0,3) or N(1,1). The poison, one instance N(-10,0.1), is in every negative bag of the
	// training part and in every positive bag of the test part.
	SingleConcept RaffHoltTest = 1 + iota
	// MultipleConcepts has 1 to 9 background instances N(0,1) per bag. A positive bag adds 1 to 3 instances of each
	// of the concepts N(2,0.1) and N(3,0.1). A negative bag adds one instance of one of them. The poison is as in
	// SingleConcept.
	MultipleConcepts
	// FalseFrequency has the background and concepts of MultipleConcepts. A positive bag has one instance of each
	// concept. A negative bag has only instances of the first: 1 in the training part, 35 to 44 in the test part.
	// There is no poison.
	FalseFrequency
)

// The distributions, as mean and standard deviation.
var (
	background    = Normal{0, 1}
	wideConcept   = Normal{0, 3}
	shiftConcept  = Normal{1, 1}
	firstConcept  = Normal{2, 0.1}
	secondConcept = Normal{3, 0.1}
	poison        = Normal{-10, 0.1}
)

// RaffHoltConfig configures [DrawRaffHolt].
type RaffHoltConfig struct {
	Test      RaffHoltTest
	TrainBags int // bags in the training part, at least 2; every other one is positive
	TestBags  int // bags in the test part, at least 2
	Features  int // at least 1
	Negatives int // background instances per bag of [SingleConcept], at least 1
	Seed      uint64
}

// DefaultRaffHolt returns 500 bags in each part, 16 features, 10 background instances and seed 1.
func DefaultRaffHolt(test RaffHoltTest) RaffHoltConfig {
	return RaffHoltConfig{Test: test, TrainBags: 500, TestBags: 500, Features: 16, Negatives: 10, Seed: 1}
}

// DrawRaffHolt generates the bags of an algorithmic unit test, with its official split. A model that respects the
// standard assumption (positive instances make a bag positive) passes with a test AUC above 0.5. A model with an AUC
// below 0.5 has learnt that the absence of something makes a bag positive. The parts separate the two because they
// mislead differently: through the poison, or through how often a concept occurs.
//
// The instance label is 1 for a concept instance in a positive bag and 0 otherwise. Instances are in random order.
// The seed fixes everything, bit-identical on every machine. Each bag has a random stream of its own.
//
// Raff and Holt, "Reproducibility in Multiple Instance Learning: A Case For Algorithmic Unit Tests", NeurIPS 2023,
// algorithms 1 to 3, with the numbers of their implementation in torchmil.
func DrawRaffHolt(c RaffHoltConfig) (*mil.Set, error) {
	name := "raffholt" + strconv.Itoa(int(c.Test))
	switch {
	case c.Test < SingleConcept || c.Test > FalseFrequency:
		return nil, fmt.Errorf("raffholt: test %d; give 1, 2 or 3", c.Test)
	case c.TestBags < 2:
		return nil, fmt.Errorf("%s: %d test bags; parts differ, and each has at least 2", name, c.TestBags)
	case c.Test == SingleConcept && c.Negatives < 1:
		return nil, fmt.Errorf("%s: %d background instances; give at least 1", name, c.Negatives)
	}
	negatives := 9
	if c.Test == SingleConcept {
		negatives = c.Negatives
	}
	return drawSplit(name, c.TrainBags, c.TestBags, c.Features, negatives+44, c.Seed, c.bag)
}

// bag lists the instances to draw for a bag.
func (c RaffHoltConfig) bag(part mil.Split, positive bool, n *normals) (instances []drawn) {
	add := func(count int, from Normal, label float64) {
		for range count {
			instances = append(instances, drawn{from, label})
		}
	}
	train := part == mil.TrainPart
	if c.Test == SingleConcept {
		add(c.Negatives, background, 0)
	} else {
		add(1+n.IntN(9), background, 0)
	}
	switch {
	case c.Test == SingleConcept && positive:
		for range 1 + n.IntN(3) {
			add(1, []Normal{wideConcept, shiftConcept}[n.IntN(2)], 1)
		}
	case c.Test == MultipleConcepts && positive:
		add(1+n.IntN(3), firstConcept, 1)
		add(1+n.IntN(3), secondConcept, 1)
	case c.Test == MultipleConcepts:
		add(1, []Normal{firstConcept, secondConcept}[n.IntN(2)], 0)
	case c.Test == FalseFrequency && positive:
		add(1, firstConcept, 1)
		add(1, secondConcept, 1)
	case c.Test == FalseFrequency && train:
		add(1, firstConcept, 0)
	case c.Test == FalseFrequency:
		add(35+n.IntN(10), firstConcept, 0)
	}
	if c.Test != FalseFrequency && train != positive {
		add(1, poison, 0)
	}
	return instances
}
