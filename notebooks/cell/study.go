package cell

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench"
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

// mostRemoved is how often [Model.Without] removes other instances from a bag.
const mostRemoved = 20

// Removal says how far the score of each bag moves without its instances with the largest weights, and on average without as many
// others. It is computed when it is first needed.
type Removal struct{ do func() (*removed, error) }

type removed struct {
	name, most, others string // the model, and what is removed
	bags               []one
	left               int // bags of fewer than three instances
}

// one is what removing instances from a bag does: how far its score moves, and the score before and after.
type one struct{ most, others, score, withoutMost, withoutOthers float64 }

// Without removes from each bag the winner, the instance with the largest weight, or a share of its instances, those with the largest
// weights; and, up to 20 times, as many others, evenly spaced by weight. Bags of fewer than three instances are left out. A large
// weight is a claim: if it means something, these instances move the score farther than others.
func (m *Model) Without(bags *Bags, share ...float64) *Removal {
	return &Removal{sync.OnceValues(func() (*removed, error) { return m.without(bags, share) })}
}

func (m *Model) without(bags *Bags, share []float64) (*removed, error) {
	r, part := &removed{name: m.name, most: "the winner", others: "another instance"}, 0.0
	if len(share) > 0 {
		part = share[0]
		r.most, r.others = fmt.Sprintf("%.3g %% with the largest weights", 100*part), "as many others"
		if !(part > 0 && part <= 0.5) || len(share) > 1 {
			return nil, fmt.Errorf("Without: %v is no share to remove; give one number above 0, at most 0.5", share)
		}
	}
	model, set, err := m.on(bags)
	if err != nil {
		return nil, err
	}
	for i := range set.Bags {
		if set.Bags[i].Instances.Len() < 3 {
			r.left++
			continue
		}
		moved, err := without(model, set, i, part)
		if err != nil {
			return nil, err
		}
		r.bags = append(r.bags, moved)
	}
	if r.bags == nil {
		return nil, fmt.Errorf("%s: no bag has three instances", bags.name)
	}
	return r, nil
}

// without removes instances from a bag of a set.
func without(model *milbench.Model, set *mil.Set, i int, share float64) (moved one, err error) {
	bag := set.Bags[i]
	dense, err := mil.ToDense(bag.Instances)
	if err != nil {
		return moved, err
	}
	alone := *set
	alone.Bags, alone.InstanceLabels = []mil.Bag{bag}, nil
	said, err := model.Explain(interrupted(), &alone)
	if err != nil {
		return moved, err
	}
	order := (&explained{bag: said.Bags[0], x: bag.Instances}).order()
	n := max(1, int(math.Round(share*float64(dense.Rows))))
	most, rest := order[:n], order[n:]
	removed := [][]int{most}
	times := min(mostRemoved, len(rest)/n)
	for k := range times {
		var some []int
		for j := range n {
			some = append(some, rest[(j*times+k)*len(rest)/(n*times)])
		}
		removed = append(removed, some)
	}
	for k, some := range removed {
		left := &mil.Dense{Cols: dense.Cols, Rows: dense.Rows - len(some)}
		start := 0
		for _, row := range append(slices.Sorted(slices.Values(some)), dense.Rows) {
			left.Values = append(left.Values, dense.Values[start*dense.Cols:row*dense.Cols]...)
			start = row + 1
		}
		alone.Bags = append(alone.Bags, mil.Bag{ID: bag.ID + " without " + strconv.Itoa(k), Instances: left})
	}
	scored, err := model.Predict(interrupted(), &alone)
	if err != nil {
		return moved, err
	}
	before := scoresOf(scored.Bags[0])
	class := floats.MaxIdx(before) // 0 if there are no classes
	moved.score = before[class]
	for k, b := range scored.Bags[1:] {
		after := scoresOf(b)
		if distance := floats.Distance(after, before, 2); k == 0 {
			moved.most, moved.withoutMost = distance, after[class]
		} else {
			moved.others += distance / float64(times)
			moved.withoutOthers += after[class] / float64(times)
		}
	}
	return moved, nil
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

// Winners returns how far the score of each bag moves without its winner, or without the instances with the largest weights.
func (r *Removal) Winners() []float64 { return r.each(func(o one) float64 { return o.most }) }

// Others returns how far the score of each bag moves without others, on average.
func (r *Removal) Others() []float64 { return r.each(func(o one) float64 { return o.others }) }

func (r *Removal) each(value func(one) float64) (all []float64) {
	for _, o := range Must(r.do()).bags {
		all = append(all, value(o))
	}
	return all
}

// Figure draws the score of each bag before and after; with classes, the score of the class that is predicted before. On the line,
// nothing has changed.
func (r *Removal) Figure() *plotting.Figure {
	said := Must(r.do())
	before := r.each(func(o one) float64 { return o.score })
	at, up := slices.Concat(before, before), append(r.each(func(o one) float64 { return o.withoutMost }), r.each(func(o one) float64 { return o.withoutOthers })...)
	points := make([]plotting.ScatterPoint, len(at))
	for i := range points {
		points[i] = plotting.ScatterPoint{X: at[i], Y: up[i], Class: "without " + said.most}
		if i >= len(before) {
			points[i].Class = "without " + said.others
		}
	}
	ends := []float64{slices.Min(before), slices.Max(before)}
	return Must(plotting.Scatter(said.name+": what moves the score", "score of the whole bag", "score without", points, plotting.FunctionCurve{Name: "unmoved", X: ends, Y: ends}))
}

func (r *Removal) card() Card {
	said := Must(r.do())
	c := Card{title: said.name + ": what moves the score", rows: [][]string{{"removed", "the score moves by", "standard error"}}}
	more := 0
	for _, o := range said.bags {
		if o.most > o.others {
			more++
		}
	}
	for _, row := range []struct {
		name  string
		moved []float64
	}{{said.most, r.Winners()}, {said.others, r.Others()}} {
		mean, sd := stat.MeanStdDev(row.moved, nil)
		c.rows = append(c.rows, []string{row.name, fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f", stat.StdErr(sd, float64(len(row.moved))))})
	}
	c.notes = append(c.notes, fmt.Sprintf("%s: more than %s in %d of %d bags", said.most, said.others, more, len(said.bags)))
	if said.left > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s left out, with fewer than three instances", counted(said.left, "bag is", "bags are")))
	}
	return c
}
