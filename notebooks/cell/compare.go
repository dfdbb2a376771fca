package cell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"synpool/milbench"
	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// Comparison compares learners on some bags by cross-validation. Nothing is trained until a result is needed. Finished fits,
// including those from other cells or from before a restart of the kernel, are reused. Methods that change settings return a
// changed copy.
type Comparison struct {
	bags     *Bags
	learners []Learner
	protocol cv.Protocol // with 0 folds for those of the set
	seed     uint64
	swept    *swept // nil for a comparison of other learners

	do func() (*compared, error)
}

// compared has the results of a comparison.
type compared struct {
	milbench.Compared
	notes []string // reasons why learners or fits are left out
}

// Compare compares learners by 10-fold cross-validation with 2 repeats. Without learners, it compares those of milbench run.
// No fit uses its test part before the end.
func Compare(bags *Bags, learners ...Learner) *Comparison {
	protocol := cv.Protocol{Name: cv.HonestProtocol, Repeats: milbench.LineupRepeats}
	return newComparison(Comparison{bags: bags, learners: learners, protocol: protocol, seed: 1})
}

func newComparison(c Comparison) *Comparison {
	c.do = sync.OnceValues(c.run)
	return &c
}

// Folds sets the number of folds.
func (c Comparison) Folds(n int) *Comparison {
	c.protocol.Folds = n
	return newComparison(c)
}

// Repeats sets the number of repeats with different folds.
func (c Comparison) Repeats(n int) *Comparison {
	c.protocol.Repeats = n
	return newComparison(c)
}

// Nested selects among the settings of each learner by nested cross-validation: the choice is made inside every training
// part, and the result of the chosen setting counts. Learners with the same name and different settings form one row.
func (c Comparison) Nested() *Comparison {
	nested := cv.Nested()
	c.protocol.Name, c.protocol.Inner = nested.Name, nested.Inner
	return newComparison(c)
}

// Seed sets the random seed of folds, initial weights and everything else; the default is 1.
func (c Comparison) Seed(seed uint64) *Comparison {
	c.seed = seed
	return newComparison(c)
}

// Fits returns the results of all fits, with the scores of every test bag.
func (c *Comparison) Fits() []results.Result { return Must(c.do()).Results }

// Table returns the scores of each learner.
func (c *Comparison) Table() results.Table { return Must(c.do()).Table }

// Row returns the scores of one learner.
func (c *Comparison) Row(l Learner) results.Row {
	setting := Must(cv.CanonicalSetting(l.Setting()))
	rows := c.Table().Rows
	at := slices.IndexFunc(rows, func(r results.Row) bool { return has(r, setting) })
	if at < 0 { // with nested selection, a setting that was never chosen also stands for its learner
		at = slices.IndexFunc(rows, func(r results.Row) bool {
			return r.Config == nil && slices.ContainsFunc(r.Chosen, func(one results.Chosen) bool { return learner.Name(one.Config) == learner.Name(setting) })
		})
	}
	if at < 0 {
		Check(fmt.Errorf("%v has no row in the table; %s", l, strings.Join(append(Must(c.do()).notes, "name it in Compare"), "; ")))
	}
	return rows[at]
}

// has reports whether a row belongs to a setting, alone or among several for selection.
func has(r results.Row, setting json.RawMessage) bool {
	return bytes.Equal(r.Config, setting) || slices.ContainsFunc(r.Chosen, func(one results.Chosen) bool { return bytes.Equal(one.Config, setting) })
}

// Best returns the learner with the largest mean of the main score; with nested selection, with the setting that was chosen
// most often. Because it is the best of several, its mean is slightly optimistic.
func (c *Comparison) Best() Learner { return best(c.Table().Rows) }

// BestExplaining returns the best of those learners that say which instances count, for [Model.Explain].
func (c *Comparison) BestExplaining() Learner {
	rows := slices.DeleteFunc(slices.Clone(c.Table().Rows), func(r results.Row) bool { return !milbench.Explains(settingOf(r)) })
	if len(rows) == 0 {
		Check(errors.New("no learner of the comparison says which instances count; add one that does, such as Gated"))
	}
	return best(rows)
}

func best(rows []results.Row) Learner {
	return Learner{fixed: settingOf(slices.MaxFunc(rows, func(a, b results.Row) int { return cmp.Compare(a.Mean, b.Mean) }))}
}

// settingOf returns the setting of a row; with nested selection, the one that was chosen most often.
func settingOf(r results.Row) json.RawMessage {
	if r.Config == nil {
		return r.Chosen[0].Config
	}
	return r.Config
}

// single returns the row of one learner, which must have a single setting.
func (c *Comparison) single(l Learner) results.Row {
	row := c.Row(l)
	if row.Config == nil {
		Check(fmt.Errorf("%v: its settings were chosen inside, fold by fold; compare one of them without Nested", l))
	}
	return row
}

// run computes the comparison, if that has not been done yet.
func (c *Comparison) run() (*compared, error) {
	o, err := c.bags.read()
	if err != nil {
		return nil, err
	}
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	dir, err := place("results", o.identity(), c.protocol.On(o.set).Key())
	if err == nil {
		err = tagged(dir)
	}
	if err != nil {
		return nil, err
	}
	found, bar := &compared{}, newBar()
	found.Compared, err = milbench.Compare(interrupted(), milbench.Comparison{Sets: []*mil.Set{o.set}, Settings: settings, Protocol: c.protocol, Seed: c.seed, Dir: dir, Curves: true,
		Note:     func(text string) { found.notes = append(found.notes, text) },
		Progress: bar.fits}, machine)
	failed := (*milbench.FailedError)(nil)
	some := errors.As(err, &failed) && len(found.Results) > 0
	bar.end(err == nil || failed != nil)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errors.New("stopped; what was trained is kept, and the cell goes on from there")
	case errors.Is(err, results.ErrLocked):
		return nil, fmt.Errorf("%s is being compared in another notebook; wait until it has ended", o.set.Name)
	case failed != nil:
		if !some {
			return nil, err
		}
		found.notes = append(found.notes, err.Error())
		return found, nil
	}
	return found, err
}

// settings returns the settings of the learners, nil for those of milbench run.
func (c *Comparison) settings() (list []json.RawMessage, err error) {
	for _, l := range c.learners {
		setting, err := l.setting()
		if err != nil {
			return nil, err
		}
		list = append(list, setting)
	}
	return list, nil
}

// FigureOf draws one learner's predictions for test bags: a confusion matrix for classes, predicted against true values for
// numbers, and survival curves of the thirds by risk for survival.
func (c *Comparison) FigureOf(l Learner) *plotting.Figure {
	row := c.single(l)
	name := map[mil.TargetKind]string{mil.ClassTarget: "confusion", mil.RealTarget: "scatter", mil.SurvivalTarget: "survival"}[row.Target]
	if name == "" {
		Check(fmt.Errorf("%v: bags of two classes have no figure of their own; show the comparison", l))
	}
	return Must(charts.Bags(c.Fits(), name, row.Set, row.Setting))
}

// Figure draws the main score of each learner with its confidence interval; for a [Sweep], against the values, unless the score is
// R², which may be below 0.
func (c *Comparison) Figure() *plotting.Figure {
	if c.swept != nil && c.Table().Rows[0].Target != mil.RealTarget {
		return Must(c.sweepFigure())
	}
	return Must(charts.Table(c.Fits()))
}

// Training draws the loss of networks by epoch.
func (c *Comparison) Training() *plotting.Figure {
	found := Must(c.do())
	var curves []plotting.TrainingCurve
	for _, row := range found.Table.Rows {
		curve := plotting.TrainingCurve{Name: row.Setting}
		for _, one := range found.Curves {
			if has(row, one.Config) && len(one.Loss) > 1 {
				curve.Loss = append(curve.Loss, one.Loss)
			}
		}
		if curve.Loss != nil {
			curves = append(curves, curve)
		}
	}
	if curves == nil {
		Check(errors.New("no network was compared, and other learners have no epochs"))
	}
	return Must(plotting.Training("Loss of the training bags", curves))
}
