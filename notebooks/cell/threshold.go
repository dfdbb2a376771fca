package cell

import (
	"fmt"
	"math"
	"strconv"

	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// Threshold says how well a learner separates two classes if bags with a probability above the threshold are called
// positive. It covers all bags; each was scored when it was in the test part of the first repeat.
type Threshold struct {
	Probability              float64
	Sensitivity, Specificity float64
	Counts                   [2][2]int // by true and predicted class, the negative one first

	learner string
	classes []string
}

// Threshold says how well a learner separates two classes at a threshold of the probability, above 0 and below 1. If you
// choose the threshold by these numbers, expect slightly worse results on new bags.
func (c *Comparison) Threshold(l Learner, probability float64) Threshold {
	row := c.single(l)
	switch {
	case row.Target != mil.BinaryTarget:
		Check(fmt.Errorf("%v: a threshold is for two classes; the target is of kind %v", l, row.Target))
	case !(probability > 0 && probability < 1):
		Check(fmt.Errorf("the threshold is %v; it is a probability above 0 and below 1", probability))
	case !learners.Logits(row.Config):
		Check(fmt.Errorf("the score of %v is no logit, so that it has no probability; take a network, StatisticsTrees or Auto", l))
	}
	t := Threshold{Probability: probability, learner: row.Setting, classes: []string{"0", "1"}}
	var labels []int
	var scores []float64
	for _, fit := range c.Fits() {
		if fit.Repeat != 0 || string(fit.Config) != string(row.Config) {
			continue
		}
		if fit.Classes != nil {
			t.classes = fit.Classes
		}
		for _, bag := range fit.Bags {
			labels, scores = append(labels, bag.Label), append(scores, bag.Scores[0])
		}
	}
	at := math.Log(probability / (1 - probability))
	for i, score := range scores {
		called := 0
		if score > at {
			called = 1
		}
		t.Counts[labels[i]][called]++
	}
	var err error
	t.Sensitivity, t.Specificity, err = stats.SensitivitySpecificity(labels, scores, at)
	Check(err)
	return t
}

// card shows the counts and the two shares.
func (t Threshold) card() Card {
	c := Card{title: fmt.Sprintf("%s: %s if its probability is above %.3g", t.learner, t.classes[1], t.Probability),
		rows: [][]string{{"is", "called " + t.classes[0], "called " + t.classes[1]}}}
	for k, name := range t.classes {
		c.rows = append(c.rows, []string{name, strconv.Itoa(t.Counts[k][0]), strconv.Itoa(t.Counts[k][1])})
	}
	c.notes = []string{fmt.Sprintf("sensitivity %.3f, specificity %.3f, of bags that were test bags", t.Sensitivity, t.Specificity)}
	return c
}
