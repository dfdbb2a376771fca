package cell

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/results"
	"synpool/plotting"
)

// Sweep compares a learner with several values of one field, on the same folds. Its figure is the main score against the values:
//
//	Show(Sweep(bags, Syn(3), "iterations", -20, -10, -3, 0, 3, 10, 20))
func Sweep[T int | float64](bags *Bags, l Learner, field string, values ...T) *Comparison {
	if len(values) < 2 {
		Check(fmt.Errorf("Sweep of %s: give two values or more", field))
	}
	var learners []Learner
	for _, v := range values {
		learners = append(learners, l.With(field, v))
	}
	c := Compare(bags, learners...)
	c.swept = &swept{of: l, field: field}
	for _, v := range values {
		c.swept.values = append(c.swept.values, float64(v))
	}
	return c
}

// swept says which values of a field a comparison sweeps over.
type swept struct {
	of     Learner
	field  string
	values []float64 // one for each learner
}

// sweepFigure draws the main score against the values of a sweep.
func (c *Comparison) sweepFigure() (*plotting.Figure, error) {
	order := make([]int, len(c.learners))
	for i := range order {
		order[i] = i
	}
	at := c.swept.values
	slices.SortFunc(order, func(a, b int) int { return int(max(-1, min(1, at[a]-at[b]))) })
	curve, measure := plotting.SweepCurve{Name: c.swept.of.String()}, ""
	for _, i := range order {
		row := c.Row(c.learners[i])
		r := charts.Row(row, row.Set, row.Setting)
		curve.X, curve.Mean = append(curve.X, at[i]), append(curve.Mean, r.Mean)
		curve.Low, curve.High, measure = append(curve.Low, r.Low), append(curve.High, r.High), row.Figure
	}
	return plotting.Sweep(fmt.Sprintf("%s of %s", measure, c.bags.name), c.swept.field, measure, []plotting.SweepCurve{curve})
}

// Ablate compares a learner with copies of it, each with one other value of one field, on the same folds: it shows what each
// detail contributes. changes are fields and values:
//
//	Show(Ablate(bags, Syn(3), "gamma", 1.0, "norm", true, "heads", 1))
func Ablate(bags *Bags, l Learner, changes ...any) *Differences {
	if len(changes) == 0 || len(changes)%2 != 0 {
		Check(errors.New(`Ablate: give fields and values in turn, such as "heads", 1`))
	}
	learners := []Learner{l}
	for i := 0; i < len(changes); i += 2 {
		field, ok := changes[i].(string)
		if !ok {
			Check(fmt.Errorf("Ablate: %v is no name of a field; give fields and values in turn", changes[i]))
		}
		changed := l.With(field, changes[i+1])
		if string(changed.Setting()) == string(l.Setting()) {
			Check(fmt.Errorf("Ablate: %s is %v already; give another value", field, changes[i+1]))
		}
		learners = append(learners, changed)
	}
	return Compare(bags, learners...).Differences(l)
}

// Differences are the main score of one learner less that of each other one. They are computed when they are first needed.
type Differences struct {
	do func() (results.Comparison, error)
}

// Differences returns the main score of a learner less that of each other one of the comparison, over the same folds. This is
// sharper than to ask whether intervals overlap. If an interval contains 0, the question is open; this is not the same as
// "no difference".
func (c *Comparison) Differences(l Learner) *Differences {
	return &Differences{sync.OnceValues(func() (results.Comparison, error) {
		return c.Table().Compare(c.Row(l).Setting, results.Rope)
	})}
}

// All returns the differences, with intervals and verdicts.
func (d *Differences) All() []results.Difference { return Must(d.do()).Sets }

// Figure draws the differences with their intervals.
func (d *Differences) Figure() *plotting.Figure { return Must(charts.Comparison(Must(d.do()))) }

func (d *Differences) card() Card {
	compared := Must(d.do())
	c := Card{title: fmt.Sprintf("%s less the other", compared.Reference), rows: [][]string{{"other", "difference", "95 % interval", "verdict"}}, notes: compared.Notes}
	for _, one := range compared.Sets {
		c.rows = append(c.rows, []string{one.B, fmt.Sprintf("%+.3f", one.Difference), fmt.Sprintf("%+.3f to %+.3f", one.Low, one.High), string(one.Verdict)})
	}
	c.notes = append(c.notes, fmt.Sprintf("%s; same: within %v of each other; open: these folds cannot tell", compared.Sets[0].Figure, compared.Rope))
	return c
}

// TransferRates returns the share of held-out bags and heads whose winner, the instance with the largest weight, changed, by
// fold and epoch, from epoch 2 on.
func (c *Comparison) TransferRates(l Learner) (rates [][]float64) {
	setting := Must(cv.CanonicalSetting(l.Setting()))
	for _, curve := range Must(c.do()).Curves {
		if string(curve.Config) != string(setting) || len(curve.WinnersChanged) < 2 {
			continue
		}
		var fold []float64
		for _, rate := range curve.WinnersChanged[1:] {
			if rate != nil {
				fold = append(fold, *rate)
			}
		}
		if fold != nil {
			rates = append(rates, fold)
		}
	}
	if rates == nil {
		Check(fmt.Errorf("%v: nobody has counted its winners; it has none, or is not in the comparison", l))
	}
	return rates
}

// Transfers draws the share of held-out bags whose winner changed in each epoch, for each network.
func (c *Comparison) Transfers() *plotting.Figure {
	var curves []plotting.TransferCurve
	for _, l := range c.learners {
		row := c.Row(l)
		curves = append(curves, plotting.TransferCurve{Name: row.Setting, Rate: c.TransferRates(l)})
	}
	return Must(plotting.WinnerTransfers("How often the winner of a bag changed", curves))
}

// mostRemoved is the number of instances that [Model.Without] removes from a bag, besides the winner.
const mostRemoved = 20

// Removal says how far the score of each bag moves without its winner, the instance with the largest weight, and on average
// without another one. It is computed when it is first needed.
type Removal struct{ do func() (*removed, error) }

type removed struct {
	name            string
	winners, others []float64 // per bag
	left            int       // bags of fewer than three instances
}

// Without removes the winner of each bag with three instances or more, and, one at a time, up to 20 others evenly spaced. A large weight is a
// claim: if it means something, the winner moves the score farther than another instance.
func (m *Model) Without(bags *Bags) *Removal {
	return &Removal{sync.OnceValues(func() (*removed, error) { return m.without(bags) })}
}

func (m *Model) without(bags *Bags) (*removed, error) {
	model, set, err := m.on(bags)
	if err != nil {
		return nil, err
	}
	r := &removed{name: m.name}
	for i := range set.Bags {
		bag := set.Bags[i]
		dense, err := mil.ToDense(bag.Instances)
		if err != nil {
			return nil, err
		}
		if dense.Rows < 3 {
			r.left++
			continue
		}
		one := *set
		one.Bags, one.InstanceLabels = []mil.Bag{bag}, nil
		said, err := model.Explain(interrupted(), &one)
		if err != nil {
			return nil, err
		}
		order := (&explained{bag: said.Bags[0], x: bag.Instances}).order()
		take := []int{order[0]}
		for k := range min(mostRemoved, dense.Rows-1) {
			take = append(take, order[1+k*(dense.Rows-1)/min(mostRemoved, dense.Rows-1)])
		}
		for _, k := range take {
			rest := slices.Concat(dense.Values[:k*dense.Cols], dense.Values[(k+1)*dense.Cols:])
			one.Bags = append(one.Bags, mil.Bag{ID: bag.ID + " without " + strconv.Itoa(k), Instances: &mil.Dense{Rows: dense.Rows - 1, Cols: dense.Cols, Values: rest}})
		}
		scored, err := model.Predict(interrupted(), &one)
		if err != nil {
			return nil, err
		}
		var moved []float64
		for _, b := range scored.Bags[1:] {
			moved = append(moved, floats.Distance(scoresOf(b), scoresOf(scored.Bags[0]), 2))
		}
		r.winners, r.others = append(r.winners, moved[0]), append(r.others, stat.Mean(moved[1:], nil))
	}
	if r.winners == nil {
		return nil, fmt.Errorf("%s: no bag has three instances", bags.name)
	}
	return r, nil
}

// scoresOf returns the score of a bag, or those of its classes.
func scoresOf(b predict.Bag) (all []float64) {
	for _, one := range []*float64{b.Score, b.Value, b.Risk} {
		if one != nil {
			return []float64{*one}
		}
	}
	for _, class := range slices.Sorted(maps.Keys(b.Scores)) {
		all = append(all, b.Scores[class])
	}
	return all
}

// Winners returns how far the score of each bag moves without its winner.
func (r *Removal) Winners() []float64 { return Must(r.do()).winners }

// Others returns how far the score of each bag moves without another instance, on average.
func (r *Removal) Others() []float64 { return Must(r.do()).others }

func (r *Removal) card() Card {
	said := Must(r.do())
	c := Card{title: said.name + ": what moves the score", rows: [][]string{{"removed", "the score moves by", "standard error"}}}
	more := 0
	for k := range said.winners {
		if said.winners[k] > said.others[k] {
			more++
		}
	}
	for _, row := range []struct {
		name  string
		moved []float64
	}{{"the winner", said.winners}, {"another instance", said.others}} {
		mean, sd := stat.MeanStdDev(row.moved, nil)
		c.rows = append(c.rows, []string{row.name, fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f", stat.StdErr(sd, float64(len(row.moved))))})
	}
	c.notes = append(c.notes, fmt.Sprintf("the winner moves the score by more in %d of %d bags", more, len(said.winners)))
	if said.left > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s left out, with fewer than three instances", counted(said.left, "bag is", "bags are")))
	}
	return c
}
