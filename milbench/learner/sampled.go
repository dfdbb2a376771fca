package learner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// sampled is an estimator that learns from a sample, see [cv.SampleKey].
type sampled struct {
	Estimator
	bags int
}

// MarshalJSON writes the setting of the estimator, with the sample.
func (s sampled) MarshalJSON() ([]byte, error) {
	own, err := json.Marshal(s.Estimator)
	if err != nil {
		return nil, err
	}
	return cv.Replace(own, map[string]any{cv.SampleKey: s.bags})
}

// Fit implements [Estimator].
func (s sampled) Fit(ctx context.Context, t Training) (Model, error) {
	if len(t.Bags) <= s.bags {
		return s.Estimator.Fit(ctx, t)
	}
	some := Training{Kind: t.Kind, Classes: t.Classes, Seed: t.Seed}
	for _, i := range Sample(t.Targets, t.Classes, s.bags, t.Seed) {
		some.Bags, some.Targets = append(some.Bags, t.Bags[i]), append(some.Targets, t.Targets[i])
	}
	return s.Estimator.Fit(ctx, some)
}

// Cost implements an optional method of [Estimator].
func (s sampled) Cost(bags []mil.Instances) Cost {
	return cost(s.Estimator, bags[:min(len(bags), s.bags)])
}

// sample takes the sample out of the values of a setting; 0 means all bags.
func sample(values map[string]json.RawMessage) (bags int, err error) {
	text, given := values[cv.SampleKey]
	if !given {
		return 0, nil
	}
	delete(values, cv.SampleKey)
	if err := json.Unmarshal(text, &bags); err != nil || bags < 1 {
		return 0, fmt.Errorf("%s is %s; give a number of bags, 1 or more", cv.SampleKey, text)
	}
	return bags, nil
}

// fewestOfClass is the number of bags of a class that [Sample] draws first.
const fewestOfClass = 10

// Sample draws n of the bags with these targets, by index, in order. The shares of classes are about those of all bags, but
// each class has ten at least, or all that it has, if n allows. classes is 0 for targets without classes.
func Sample(targets []mil.Target, classes, n int, seed uint64) []int {
	order := cv.Rand(seed, "sample").Perm(len(targets))
	of := make([]int, max(classes, 1)) // bags of each class
	place := make([]float64, len(targets))
	class := func(i int) int {
		if classes == 0 {
			return 0
		}
		return targets[i].Label
	}
	for _, i := range order {
		place[i] = float64(of[class(i)]) + 0.5
		of[class(i)]++
	}
	slices.SortStableFunc(order, func(a, b int) int {
		first := func(i int) int { return min(int(place[i])/fewestOfClass, 1) }
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(place[a]/float64(of[class(a)]), place[b]/float64(of[class(b)])))
	})
	chosen := slices.Clone(order[:min(n, len(order))])
	slices.Sort(chosen)
	return chosen
}

// CostOf returns the estimated cost of a setting on training bags.
func (e Entry) CostOf(setting json.RawMessage, bags []mil.Instances) (Cost, error) {
	estimator, err := e.Parse(setting)
	if err != nil {
		return Cost{}, err
	}
	return cost(estimator, bags), nil
}
