package classic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/svm"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// BagMISVM is MI-SVM, a support vector machine that maximises the margin of bags. It is fitted to all instances of the
// negative bags and to one witness per positive bag: the instance with the largest decision value. The score of a bag
// is the maximum over its instances.
//
// In the first fit, the witnesses are the means of the positive bags. Then witnesses are chosen and the machine is
// fitted again, until the witnesses stay the same or return to an earlier choice, or for Rounds fits.
//
// The kernel of standardised instances with d features is exp(-Gamma / d |x-z|^2), or their product if Gamma is 0.
//
// Source: S. Andrews, I. Tsochantaridis and T. Hofmann, "Support vector machines for multiple-instance learning", NIPS
// 15 (2002), figure 3. Balanced is ours.
type BagMISVM struct{ MISVM }

// InstanceMISVM is mi-SVM, a support vector machine that maximises the margin of instances. It is fitted to all
// instances; those of negative bags are negative. The score of a bag is the maximum over its instances.
//
// In the first fit, all instances of positive bags are positive. Then each gets the sign of its decision value; if none
// in a bag is above 0, the instance with the largest value is positive. The machine is fitted again, until the labels
// stay the same or return to an earlier choice, or for Rounds fits.
//
// The kernel and the source are those of [BagMISVM]; see figure 2 of the paper.
type InstanceMISVM struct{ MISVM }

// MISVM has the hyperparameters of [BagMISVM] and [InstanceMISVM].
type MISVM struct {
	Gamma    float64 `json:"gamma"` // 0 for a linear kernel
	C        float64 `json:"c"`
	Rounds   int     `json:"rounds"`   // maximum number, after the first fit
	Balanced bool    `json:"balanced"` // give both classes the same total weight, however many examples they have
}

// BagMISVMEntry returns the entry of [BagMISVM] in the list of learners.
func BagMISVMEntry() learner.Entry {
	return misvmEntry("mi-svm-bag", "an SVM on one instance of each positive bag (MI-SVM)", func(m MISVM) learner.Estimator { return &BagMISVM{m} })
}

// InstanceMISVMEntry returns the entry of [InstanceMISVM] in the list of learners.
func InstanceMISVMEntry() learner.Entry {
	return misvmEntry("mi-svm-instance", "an SVM on instances whose labels it finds (mi-SVM)", func(m MISVM) learner.Estimator { return &InstanceMISVM{m} })
}

// misvmEntry returns the entry of a machine with Gamma = 1, C = 3 and at most 50 rounds by default.
func misvmEntry(name, summary string, of func(MISVM) learner.Estimator) learner.Entry {
	m := MISVM{Gamma: 1, C: 3, Rounds: 50, Balanced: true}
	e := learner.Entry{
		Name: name, Summary: summary,
		Default: func() learner.Estimator { return of(m) },
		Model:   func() learner.Model { return new(misvmModel) },
	}
	for _, gamma := range []float64{0.3, 1, 3} {
		for _, c := range []float64{1, 10} {
			e.Grid = append(e.Grid, of(MISVM{gamma, c, m.Rounds, m.Balanced}))
		}
	}
	e.Grid = append(e.Grid, of(MISVM{0, 0.1, m.Rounds, m.Balanced}))
	return e
}

var (
	_ learner.Estimator = BagMISVM{}
	_ learner.Estimator = InstanceMISVM{}
)

// alternationTolerance is the stopping tolerance of machines. It is below the usual 1e-3, because decision values
// determine the next choice.
const alternationTolerance = 1e-4

// mostRounds is the limit of rounds.
const mostRounds = 10_000

// Validate reports the first invalid hyperparameter.
func (s MISVM) Validate() error {
	if err := cmp.Or(atLeast0("gamma", s.Gamma), above0("c", s.C)); err != nil {
		return err
	}
	if s.Rounds < 1 || s.Rounds > mostRounds {
		return fmt.Errorf("rounds %d: from 1 to %d are needed", s.Rounds, mostRounds)
	}
	return nil
}

// Takes implements an optional method of [learner.Estimator].
func (s MISVM) Takes() learner.Takes { return pairwise(twoClasses) }

// Shares implements an optional method of [learner.Estimator].
func (s MISVM) Shares() string { return instanceKernelKey(s.Gamma) }

// cost returns the estimated cost of a fit with so many rounds.
func (s MISVM) cost(bags []mil.Instances, rounds float64) learner.Cost {
	rows, values := instancesAndValues(bags)
	n := rows + float64(len(bags))
	c := learner.Cost{Seconds: rounds * (rows*1.2e-5 + rows*rows*2e-9), Memory: uint64(8*2*values) + 1<<20}
	if n <= mostInstanceGram {
		c.Shared = n * values / 2 / comparedPerSecond
		c.Memory += uint64(4 * n * n)
	} else {
		c.Seconds += 2 * n * values / comparedPerSecond
		c.Memory += instanceCacheBytes
	}
	c.Memory += min(uint64(8*n*n), uint64(svm.DefaultCSVC().CacheBytes))
	return c
}

// Cost implements an optional method of [learner.Estimator].
func (s BagMISVM) Cost(bags []mil.Instances) learner.Cost { return s.cost(bags, 2) }

// Cost implements an optional method of [learner.Estimator].
func (s InstanceMISVM) Cost(bags []mil.Instances) learner.Cost { return s.cost(bags, 5) }

// choice holds the examples of a round, by their indices in the kernels.
type choice struct {
	examples []int
	positive []bool
}

// Fit implements [learner.Estimator].
func (s BagMISVM) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	return s.fit(ctx, t, func(k *instanceKernels, bags []int, f []float64) (c choice) {
		for i, bag := range bags {
			switch {
			case t.Targets[i].Label != 1:
				for _, at := range k.instances(bag) {
					c.examples, c.positive = append(c.examples, at), append(c.positive, false)
				}
				continue
			case f == nil:
				c.examples = append(c.examples, k.means+bag)
			default:
				c.examples = append(c.examples, k.first[bag]+floats.MaxIdx(f[k.first[bag]:k.first[bag+1]]))
			}
			c.positive = append(c.positive, true)
		}
		return c
	})
}

// Fit implements [learner.Estimator].
func (s InstanceMISVM) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	return s.fit(ctx, t, func(k *instanceKernels, bags []int, f []float64) (c choice) {
		for i, bag := range bags {
			some := false
			for _, at := range k.instances(bag) {
				positive := t.Targets[i].Label == 1 && (f == nil || f[at] > 0)
				some = some || positive
				c.examples, c.positive = append(c.examples, at), append(c.positive, positive)
			}
			if t.Targets[i].Label == 1 && !some {
				n := k.first[bag+1] - k.first[bag]
				c.positive[len(c.positive)-n+floats.MaxIdx(f[k.first[bag]:k.first[bag+1]])] = true
			}
		}
		return c
	})
}

// fit fits machines to the examples that choose returns. The first call of choose gets no decision values, later calls
// get those of the previous machine.
func (s MISVM) fit(ctx context.Context, t learner.Training, choose func(k *instanceKernels, bags []int, f []float64) choice) (learner.Model, error) {
	shared, rows, err := begin(s, t, twoClasses)
	if err != nil {
		return nil, err
	}
	for i, b := range t.Bags {
		if b.Len() == 0 {
			return nil, fmt.Errorf("training bag %d is empty", i)
		}
	}
	k, bags, err := instanceKernelsOf(ctx, shared, rows, s.Gamma)
	if err != nil {
		return nil, err
	}
	chosen := choose(k, bags, nil)
	seen := map[string]bool{chosen.key(): true}
	var machine *svm.Machine
	for round := 0; ; round++ {
		some, err := svm.Subset(k.values, chosen.examples)
		if err != nil {
			return nil, err
		}
		if machine, err = fitSome(ctx, some, chosen.positive, s.C, alternationTolerance, s.Balanced); err != nil {
			return nil, err
		}
		if round == s.Rounds {
			break
		}
		next := choose(k, bags, k.decisions(machine, chosen.examples))
		if key := next.key(); seen[key] {
			break
		} else {
			seen[key] = true
		}
		chosen = next
	}
	return s.model(k, t.Bags, bags, chosen.examples, machine)
}

// key returns a string that equal choices share.
func (c choice) key() string {
	var b strings.Builder
	for i, at := range c.examples {
		fmt.Fprintf(&b, "%d %t,", at, c.positive[i])
	}
	return b.String()
}

// model returns the model of a machine, with the support vectors, which are instances, or the weights of a linear
// machine.
func (s MISVM) model(k *instanceKernels, bags []mil.Instances, at []int, examples []int, machine *svm.Machine) (*misvmModel, error) {
	m := &misvmModel{Gamma: s.Gamma, Scale: k.z.scale, Bias: machine.Bias, z: k.z, support: &points{}}
	width := len(k.z.Factor)
	where := make(map[int]instanceOf, k.means)
	for i, bag := range bags {
		for j := range bag.Len() {
			where[k.first[at[i]]+j] = instanceOf{bag, i, j}
		}
	}
	var kept []instanceOf
	for i, c := range machine.Coefficients {
		if c != 0 {
			m.Coefficients, kept = append(m.Coefficients, c), append(kept, where[examples[i]])
			m.support.add(k.p, examples[i], width)
		}
	}
	if s.Gamma == 0 {
		m.Weights = make(numbers, width)
		for i, c := range m.Coefficients {
			if k.z.Sparse {
				columns, values := m.support.row(i)
				for n, j := range columns {
					m.Weights[j] += c * values[n]
				}
			} else {
				floats.AddScaled(m.Weights, c, m.support.values[i*width:(i+1)*width])
			}
		}
		m.Coefficients, m.support = nil, nil
		return m, nil
	}
	if len(kept) == 0 {
		return nil, errors.New("the machine has no support vectors")
	}
	bag, err := keepInstances(kept, k.z.Sparse)
	m.Support = &bag
	return m, err
}

// misvmModel is a fitted [BagMISVM] or [InstanceMISVM]. The decision value of a standardised instance x is
//
//	sum_i Coefficients_i k(x, z_i) + Bias
//
// with the support vectors z_i, or Weights x + Bias for a linear kernel.
type misvmModel struct {
	Gamma        float64  `json:"gamma"` // see [BagMISVM]
	Scale        scale    `json:"scale"`
	Support      *keptBag `json:"support,omitempty"` // one instance per support vector
	Coefficients numbers  `json:"coefficients,omitempty"`
	Weights      numbers  `json:"weights,omitempty"` // for a linear kernel, in units of standardised features
	Bias         float64  `json:"bias"`

	z       *standardised
	support *points
}

// Validate reports parts of a decoded model that do not fit together.
func (m *misvmModel) Validate() error {
	if err := atLeast0("gamma", m.Gamma); err != nil {
		return err
	}
	if m.Gamma == 0 {
		if err := m.Scale.validate(nil); err != nil {
			return err
		}
		if len(m.Weights) != len(m.Scale.Factor) {
			return fmt.Errorf("%d weights for %d features", len(m.Weights), len(m.Scale.Factor))
		}
		m.z = &standardised{scale: m.Scale}
		return nil
	}
	if m.Support == nil || m.Support.Instances == nil || m.Support.Len() != len(m.Coefficients) {
		return fmt.Errorf("%d coefficients, and not as many support vectors", len(m.Coefficients))
	}
	if err := m.Scale.validate([]keptBag{*m.Support}); err != nil {
		return err
	}
	z := &standardised{scale: m.Scale}
	support, err := z.standardise(m.Support.Instances)
	if err != nil {
		return err
	}
	m.z, m.support = z, support
	return nil
}

// Scores returns the decision value of each instance in a bag.
func (m *misvmModel) Scores(bag mil.Instances) ([]float64, error) {
	if m.z == nil {
		return nil, errNotValidated
	}
	p, err := m.z.of(bag)
	if err != nil {
		return nil, err
	}
	f := make([]float64, p.rows)
	if m.Gamma == 0 {
		m.linear(p, f)
	} else {
		const block = 256 // support vectors at a time, to limit the memory for large bags
		k, width := instanceKernel{z: m.z, gamma: m.Gamma}, len(m.z.Factor)
		values := make([]float64, min(block, m.support.rows)*p.rows)
		for from := 0; from < m.support.rows && p.rows > 0; from += block {
			part := m.support.slice(from, min(from+block, m.support.rows), width)
			k.rows(part, p, values[:part.rows*p.rows])
			for i := range part.rows {
				floats.AddScaled(f, m.Coefficients[from+i], values[i*p.rows:(i+1)*p.rows])
			}
		}
	}
	floats.AddConst(m.Bias, f)
	return finite(f)
}

// linear writes the products of the instances with the weights.
func (m *misvmModel) linear(p *points, f []float64) {
	width := len(m.Weights)
	for i := range f {
		if !m.z.Sparse {
			f[i] = floats.Dot(m.Weights, p.values[i*width:(i+1)*width])
			continue
		}
		f[i] = p.dot(i, m.Weights)
	}
}

// Predict returns the maximum of the instances' decision values, the first instance that has it, and the decision
// values.
func (m *misvmModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	return maximum(m.Scores(bag))
}

// InstanceScores returns the decision values of the instances.
func (m *misvmModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	scores, err := m.Scores(bag)
	return [][]float64{scores}, err
}
