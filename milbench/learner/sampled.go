package learner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"synpool/internal/onnx"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// sampled is an estimator that learns from some bags, or from some instances of each, see [cv.SampleKey] and [cv.InstancesKey];
// 0 means all.
type sampled struct {
	Estimator
	bags, instances int
}

// Exportable reports why models of the setting cannot be exported.
func (s sampled) Exportable() error {
	if e, says := s.Estimator.(interface{ Exportable() error }); says {
		return e.Exportable()
	}
	return nil
}

// MarshalJSON writes the setting of the estimator, with the sample.
func (s sampled) MarshalJSON() ([]byte, error) {
	own, err := json.Marshal(s.Estimator)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]any)
	for key, n := range map[string]int{cv.SampleKey: s.bags, cv.InstancesKey: s.instances} {
		if n > 0 {
			fields[key] = n
		}
	}
	return cv.Replace(own, fields)
}

// Fit implements [Estimator].
func (s sampled) Fit(ctx context.Context, t Training) (Model, error) {
	if s.bags > 0 && s.bags < len(t.Bags) {
		some := Training{Kind: t.Kind, Classes: t.Classes, Seed: t.Seed}
		for _, i := range Sample(t.Targets, t.Classes, s.bags, t.Seed) {
			some.Bags, some.Targets = append(some.Bags, t.Bags[i]), append(some.Targets, t.Targets[i])
		}
		t = some
	}
	if s.instances == 0 {
		return s.Estimator.Fit(ctx, t)
	}
	whole := t.Shared
	if whole == nil {
		whole = NewShared(t.Bags)
	}
	cut, err := Once(whole, fmt.Sprintf("%d instances", s.instances), func() (*shortened, error) {
		c, all := &shortened{most: s.instances, of: make(map[mil.Instances]mil.Instances)}, []mil.Instances(nil)
		for _, b := range whole.Bags {
			short, err := c.bag(b)
			if err != nil {
				return nil, err
			}
			all = append(all, short)
		}
		c.shared = NewShared(all)
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	t.Shared, t.Bags = cut.shared, slices.Clone(t.Bags)
	for i, b := range t.Bags {
		if t.Bags[i], err = cut.bag(b); err != nil {
			return nil, err
		}
	}
	m, err := s.Estimator.Fit(ctx, t)
	if err != nil {
		return nil, err
	}
	return shortModel{m, cut}, nil
}

// Cost implements an optional method of [Estimator].
func (s sampled) Cost(bags []mil.Instances) Cost {
	kept := uint64(0) // bytes of shortened bags
	if s.bags > 0 {
		bags = bags[:min(len(bags), s.bags)]
	}
	if s.instances > 0 {
		bags = slices.Clone(bags)
		for i, b := range bags {
			if bags[i] = first(b, s.instances); bags[i] != b && !mil.IsSparse(b) {
				kept += 4 * uint64(s.instances*b.Features())
			}
		}
	}
	c := cost(s.Estimator, bags)
	c.Memory += kept
	return c
}

// first returns the first n instances of a bag, whose cost is that of any n, without reading them.
func first(bag mil.Instances, n int) mil.Instances {
	switch b := bag.(type) {
	case *mil.Sparse:
		if n < b.Rows {
			end := b.RowStart[n]
			return &mil.Sparse{Rows: n, Cols: b.Cols, RowStart: b.RowStart[:n+1], Column: b.Column[:end], Values: b.Values[:end]}
		}
	default:
		if n < bag.Len() {
			return beginning{bag, n}
		}
	}
	return bag
}

// beginning has the first instances of a bag.
type beginning struct {
	mil.Instances
	n int
}

func (b beginning) Len() int { return b.n }

// shortened has bags of at most so many instances, evenly spaced among those of larger bags.
type shortened struct {
	most   int
	shared *Shared // of all bags that fits share

	mu sync.Mutex
	of map[mil.Instances]mil.Instances // nil in a decoded model, which scores each bag once
}

// bag returns the instances of a bag. Models of fits remember what they computed for a bag, so it is the same each time.
func (c *shortened) bag(bag mil.Instances) (mil.Instances, error) {
	n := bag.Len()
	if n <= c.most {
		return bag, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.of[bag]; found {
		return known, nil
	}
	rows := make([]int, c.most)
	for k := range rows {
		rows[k] = k * n / c.most
	}
	short, err := mil.Rows(bag, rows)
	if err == nil && c.of != nil {
		c.of[bag] = short
	}
	return short, err
}

// shortModel is the model of a [sampled] estimator with a limit of instances.
type shortModel struct {
	Model
	cut *shortened
}

// MarshalJSON writes the model; its setting has the limit.
func (m shortModel) MarshalJSON() ([]byte, error) { return json.Marshal(m.Model) }

// TrainingLoss returns that of the model, if it has one.
func (m shortModel) TrainingLoss() float64 {
	if of, ok := m.Model.(interface{ TrainingLoss() float64 }); ok {
		return of.TrainingLoss()
	}
	return 0
}

// Predict implements [Model].
func (m shortModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	short, err := m.cut.bag(bag)
	if err != nil {
		return mil.Prediction{}, err
	}
	p, err := m.Model.Predict(short)
	if short != bag {
		p.Instances, p.ClassInstances, p.Winners = nil, nil, slices.Clone(p.Winners)
		for h, k := range p.Winners {
			p.Winners[h] = k * bag.Len() / m.cut.most
		}
	}
	return p, err
}

// Export implements [Exporter], without scores of instances.
func (m shortModel) Export(g *onnx.Graph, x string) (out Exported, err error) {
	of, can := m.Model.(Exporter)
	if !can {
		return out, ErrNoExport
	}
	zero, one := g.Const(onnx.Scalar(int64(0))), g.Const(onnx.Scalar(int64(1)))
	n := g.Op("Gather", g.Op("Shape", x), zero)
	some := g.Op("Min", n, g.Const(onnx.Scalar(int64(m.cut.most))))
	rows := g.Op("Div", g.Op("Mul", g.Op("Range", zero, some, one), n), some)
	out, err = of.Export(g, g.Op("Gather", x, rows))
	out.Unscored = out.Instances != ""
	out.Instances, out.ClassInstances = "", ""
	return out, err
}

// errNoScores says that a model has no scores of instances.
var errNoScores = errors.New("no scores of instances")

// InstanceScores implements [InstanceScorer]. A larger bag is divided into parts of up to so many instances, each of which is
// spread over the whole bag; the score of an instance is that in its part.
func (m shortModel) InstanceScores(bag mil.Instances) (all [][]float64, err error) {
	parts := (bag.Len() + m.cut.most - 1) / m.cut.most
	if parts > 1 && !mil.IsSparse(bag) {
		if bag, err = mil.ToDense(bag); err != nil { // each part reads it
			return nil, err
		}
	}
	for start := range parts {
		var rows []int
		for i := start; i < bag.Len(); i += parts {
			rows = append(rows, i)
		}
		part, err := mil.Rows(bag, rows)
		if err != nil {
			return nil, err
		}
		p, err := Predict(m.Model, part, true)
		if err != nil {
			return nil, err
		}
		of := p.ClassInstances
		if of == nil {
			of = [][]float64{p.Instances}
		}
		if p.Instances == nil {
			return nil, errNoScores
		}
		if all == nil {
			all = make([][]float64, len(of))
			for c := range all {
				all[c] = make([]float64, bag.Len())
			}
		}
		for c, scores := range of {
			for k, i := range rows {
				all[c][i] = scores[k]
			}
		}
	}
	return all, nil
}

// sample takes the sample out of the values of a setting; 0 means all. own has the hyperparameters of the estimator.
func sample(values, own map[string]json.RawMessage) (bags, instances int, err error) {
	for key, n := range map[string]*int{cv.SampleKey: &bags, cv.InstancesKey: &instances} {
		text, given := values[key]
		if _, has := own[key]; has || !given {
			continue
		}
		delete(values, key)
		if err := json.Unmarshal(text, n); err != nil || *n < 1 {
			return 0, 0, fmt.Errorf("%s is %s; give a number of %s, 1 or more", key, text, map[string]string{cv.SampleKey: "bags", cv.InstancesKey: "instances"}[key])
		}
	}
	return bags, instances, nil
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
