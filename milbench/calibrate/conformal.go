package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// DefaultLevel is the usual level of sets and intervals.
const DefaultLevel = 0.9

// Conformal turns the scores of a bag into a set of classes, or its value into an interval, that has the true target
// with a probability of at least Level. [FitSets] and [FitIntervals] learn one, and it can be stored as JSON.
//
// The guarantee needs no calibrated probabilities and holds for every learner, also a bad one: it gives large sets. It
// is for one new bag of a new group, on average over draws of the held-out bags and the new one, and it needs:
//
//   - Held-out and new groups (patients, say) are exchangeable: drawn alike, in any order. Bags without a group are a
//     group each. Bags of one group may depend on each other; each group counts as one. Then the probability is that of
//     a bag drawn from the new group. Nothing is promised for more bags of a training group.
//   - One model scores held-out and new bags. Then coverage is at least Level and, with units of one bag and without ties, at
//     most Level + 1/(units+1), see [Nonconformity].
//
// After [HeldOut] the second is only nearly so: models of the other folds score held-out bags, and the model of all bags
// scores new ones; and folds are stratified. That is the jackknife of Barber et al. (2021) with folds instead of single bags, which has no guarantee without further
// assumptions. In practice coverage is about Level, because a model of all bags is at least as good as that of four fifths;
// milbench/calibrate/bench measures it. It fails for a learner whose scores jump with the number of bags. CV+ and cross-conformal
// sets would guarantee 2·Level − 1, less at most √(2/bags), for every learner, but new bags would need the models of all
// folds. For the exact guarantee pass [FitSets] or [FitIntervals] the scores of bags that the final model has not seen.
//
// Sources: V. Vovk, "Cross-conformal predictors", Annals of Mathematics and Artificial Intelligence 74 (2015);
// R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, "Predictive inference with the jackknife+", Annals of
// Statistics 49 (2021); for groups, Lee et al. as in [Nonconformity.PValue].
type Conformal struct {
	Level   float64         `json:"level"`             // above 0 and below 1
	Classes int             `json:"classes,omitempty"` // 2 for a binary target, 0 for numbers
	Held    []Nonconformity `json:"held_out"`          // one per class; one for numbers
}

// FitSets learns prediction sets from labels and scores of held-out bags, in the form of [Fit]. units has the bags of
// each group, see [mil.Units]; nil means that each bag is a unit. With z the scores of a bag, (0, score) for two
// classes, the nonconformity of class k is the margin
//
//	a(k) = max over j ≠ k of z_j − z_k
//
// and class k is in the set of a new bag if its p-value is above 1 − level, see [Nonconformity.PValue]. The p-value of
// class k compares with the held-out bags of class k alone (label-conditional, or Mondrian). So the guarantee holds for
// bags of each class, however rare, and for all bags together. A set can be empty: the bag is unlike those of every class.
// A class with too few held-out units is in every set, see [Conformal.Always].
//
// Errors are those of [Fit], and a level that is not between 0 and 1.
//
// Sources: V. Vovk, "Conditional validity of inductive conformal predictors", Machine Learning 92 (2013);
// U. Johansson, H. Linusson, T. Löfström and H. Boström, "Model-agnostic nonconformity functions for conformal
// classification", IJCNN (2017), for the margin.
func FitSets(level float64, classes int, labels []int, scores [][]float64, units [][]int) (*Conformal, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	if err := check(classes, labels, scores); err != nil {
		return nil, err
	}
	units, err := unitsOf(units, len(labels))
	if err != nil {
		return nil, err
	}
	c := &Conformal{Level: level, Classes: classes}
	margins := make([]float64, len(labels))
	for i, z := range scores {
		margins[i] = margin(z, labels[i])
	}
	for k := range classes {
		of := make([][]int, len(units))
		for u, unit := range units {
			for _, i := range unit {
				if labels[i] == k {
					of[u] = append(of[u], i)
				}
			}
		}
		c.Held = append(c.Held, newNonconformity(margins, of))
	}
	return c, nil
}

// FitIntervals learns prediction intervals from targets and predictions of held-out bags. The nonconformity of a number
// y is |y − prediction|, and the interval has every y with a p-value above 1 − level:
//
//	prediction ± q, q = [Nonconformity.Largest]; for n single bags the ⌈level (n+1)⌉-th smallest error
//
// Its width is the same for all bags. units is as in [FitSets]. Too few units for a finite interval are an error.
func FitIntervals(level float64, targets, predictions []float64, units [][]int) (*Conformal, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	if len(targets) != len(predictions) {
		return nil, fmt.Errorf("%d targets and %d predictions", len(targets), len(predictions))
	}
	units, err := unitsOf(units, len(targets))
	if err != nil {
		return nil, err
	}
	errs := make([]float64, len(targets))
	for i, y := range targets {
		if errs[i] = math.Abs(y - predictions[i]); !(math.Abs(y) <= maxScore && math.Abs(predictions[i]) <= maxScore) {
			return nil, fmt.Errorf("bag %d: target %v and prediction %v; both must be numbers of at most %.0e", i, y, predictions[i], maxScore)
		}
	}
	c := &Conformal{Level: level, Held: []Nonconformity{newNonconformity(errs, units)}}
	if n := c.Held[0].Units; n < least(level) {
		return nil, fmt.Errorf("%d bags or groups; an interval of level %g needs at least %d", n, level, least(level))
	}
	return c, nil
}

// checkLevel returns an error if there are no sets of a level.
func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("level %v; give one above 0 and below 1", level)
	}
	return nil
}

// unitsOf returns units, or for nil units of one bag each. It returns an error unless each bag is in one unit.
func unitsOf(units [][]int, bags int) ([][]int, error) {
	if units == nil {
		for i := range bags {
			units = append(units, []int{i})
		}
		return units, nil
	}
	all := slices.Sorted(slices.Values(slices.Concat(units...)))
	for i := range bags {
		if i >= len(all) || all[i] != i {
			return nil, fmt.Errorf("the units have the bags %v; each of %d bags must be in one of them", all, bags)
		}
	}
	if len(all) > bags {
		return nil, fmt.Errorf("the units have %d bags, not %d", len(all), bags)
	}
	return units, nil
}

// margin returns the nonconformity of class k.
func margin(z []float64, k int) float64 {
	if len(z) == 1 {
		if k == 1 {
			return -z[0]
		}
		return z[0]
	}
	rival := math.Inf(-1)
	for j, v := range z {
		if j != k {
			rival = max(rival, v)
		}
	}
	return rival - z[k]
}

// PValues returns the p-value of each class for a bag with these scores. Scores that are not finite, or too few or too
// many, are an error, and so are intervals.
func (c *Conformal) PValues(scores []float64) ([]float64, error) {
	if c.Classes == 0 {
		return nil, errors.New("intervals of numbers have no classes")
	}
	if err := checkScores(c.Classes, scores); err != nil {
		return nil, err
	}
	p := make([]float64, c.Classes)
	for k := range p {
		p[k] = c.Held[k].PValue(margin(scores, k))
	}
	return p, nil
}

// Set returns the classes whose p-value is above 1 − Level, in order; none is possible. The errors are those of
// [Conformal.PValues].
func (c *Conformal) Set(scores []float64) ([]int, error) {
	p, err := c.PValues(scores)
	if err != nil {
		return nil, err
	}
	set := []int{}
	for k := range p {
		if within(p[k], c.Level) {
			set = append(set, k)
		}
	}
	return set, nil
}

// crossSize returns the mean number of classes in the sets of bags, where the sets of a fold are learnt from the other
// folds. Arguments are as in [FitSets] and [CrossFit]; a unit is in one fold.
func crossSize(level float64, classes int, labels []int, scores [][]float64, units [][]int, fold []int) (float64, error) {
	total := 0
	for _, f := range slices.Compact(slices.Sorted(slices.Values(fold))) {
		var restLabels []int
		var rest [][]float64
		var restUnits [][]int
		for _, unit := range units {
			if fold[unit[0]] == f {
				continue
			}
			var at []int
			for _, i := range unit {
				at = append(at, len(rest))
				restLabels, rest = append(restLabels, labels[i]), append(rest, scores[i])
			}
			restUnits = append(restUnits, at)
		}
		c, err := FitSets(level, classes, restLabels, rest, restUnits)
		if err != nil {
			return 0, fmt.Errorf("without fold %d: %w", f, err)
		}
		for i, g := range fold {
			if g != f {
				continue
			}
			set, err := c.Set(scores[i])
			if err != nil {
				return 0, err
			}
			total += len(set)
		}
	}
	return float64(total) / float64(len(labels)), nil
}

// Bags returns the number of held-out bags.
func (c *Conformal) Bags() (n int) {
	for _, h := range c.Held {
		n += len(h.Scores)
	}
	return n
}

// String returns in one line what c gives and what it was learnt from.
func (c *Conformal) String() string {
	if c.Classes == 0 {
		return fmt.Sprintf("intervals of level %g from %d held-out bags: the value ± %.4g", c.Level, c.Bags(), c.HalfWidth())
	}
	return fmt.Sprintf("sets of level %g from %d held-out bags", c.Level, c.Bags())
}

// HalfWidth returns q of [FitIntervals], in the unit of the target. It is 0 for classes.
func (c *Conformal) HalfWidth() float64 {
	if c.Classes > 0 {
		return 0
	}
	return c.Held[0].Largest(c.Level)
}

// Always returns the classes that have too few held-out units at this level, and so are in every set.
func (c *Conformal) Always() (classes []int) {
	for k, h := range c.Held {
		if h.Units < least(c.Level) {
			classes = append(classes, k)
		}
	}
	return classes
}

// Least returns the number of units that a class needs to be outside of any set: 9 at a level of 0.9.
func (c *Conformal) Least() int { return least(c.Level) }

// Validate returns an error if c cannot be a result of [FitSets] or [FitIntervals].
func (c *Conformal) Validate() error {
	if err := checkLevel(c.Level); err != nil {
		return err
	}
	if c.Classes < 0 || c.Classes == 1 || len(c.Held) != max(c.Classes, 1) {
		return fmt.Errorf("%d classes, and held-out scores of %d", c.Classes, len(c.Held))
	}
	for k, h := range c.Held {
		if err := h.validate(); err != nil {
			return fmt.Errorf("sample %d: %w", k, err)
		}
	}
	if c.Classes == 0 && c.Held[0].Units < least(c.Level) {
		return fmt.Errorf("an interval of level %g from %d units", c.Level, c.Held[0].Units)
	}
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It rejects unknown fields and what fails [Conformal.Validate].
func (c *Conformal) UnmarshalJSON(data []byte) error {
	type plain Conformal
	var read plain
	if err := strict(data, &read); err != nil {
		return err
	}
	*c = Conformal(read)
	return c.Validate()
}
