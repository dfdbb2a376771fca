package cell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/learners"
	"synpool/milbench/learners/networks"
	"synpool/milbench/learners/neural"
	"synpool/milbench/learners/onebyone"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/plotting"
)

// Comparison compares learners on some bags by cross-validation. Nothing is trained until a result is needed. Finished fits,
// including those from other cells or from before a restart of the kernel, are reused. Methods that change settings return a
// changed copy.
type Comparison struct {
	bags     *Bags
	learners []Learner
	protocol cv.Protocol
	asked    bool // whether the number of folds was set
	seed     uint64

	do func() (*compared, error)
}

// compared has the results of a comparison.
type compared struct {
	fits   []results.Result
	curves []results.Curve
	table  results.Table
	notes  []string // reasons why learners or fits are left out
}

// Compare compares learners by 10-fold cross-validation with 2 repeats. Without learners, it compares those of milbench run.
// No fit uses its test part before the end.
func Compare(bags *Bags, learners ...Learner) *Comparison {
	protocol := cv.Honest()
	protocol.Repeats = networks.LineupRepeats
	return newComparison(Comparison{bags: bags, learners: learners, protocol: protocol, seed: 1})
}

func newComparison(c Comparison) *Comparison {
	c.do = sync.OnceValues(c.run)
	return &c
}

// Folds sets the number of folds.
func (c Comparison) Folds(n int) *Comparison {
	c.protocol.Folds, c.asked = n, true
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
func (c *Comparison) Fits() []results.Result { return Must(c.do()).fits }

// Table returns the scores of each learner.
func (c *Comparison) Table() results.Table { return Must(c.do()).table }

// Row returns the scores of one learner.
func (c *Comparison) Row(l Learner) results.Row {
	setting := Must(cv.CanonicalSetting(l.Setting()))
	rows := c.Table().Rows
	at := slices.IndexFunc(rows, func(r results.Row) bool { return has(r, setting) })
	if at < 0 { // with nested selection, a setting that was never chosen also stands for its learner
		at = slices.IndexFunc(rows, func(r results.Row) bool {
			return r.Config == nil && slices.ContainsFunc(r.Chosen, func(one results.Chosen) bool { return onebyone.Name(one.Config) == onebyone.Name(setting) })
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
func (c *Comparison) Best() Learner {
	row := slices.MaxFunc(c.Table().Rows, func(a, b results.Row) int { return cmp.Compare(a.Mean, b.Mean) })
	if row.Config == nil {
		return Learner{fixed: row.Chosen[0].Config}
	}
	return Learner{fixed: row.Config}
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
	protocol := c.protocol
	if o.entry != nil && !c.asked {
		protocol.Folds = o.entry.Folds
	}
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	settings, notes, err := networks.Able(o.set, settings)
	if err != nil {
		return nil, err
	}
	for i := range notes {
		notes[i] += "; it is left out"
	}
	dir, err := place("results", o.identity(), protocol.Key())
	if err == nil {
		err = tagged(dir)
	}
	if err != nil {
		return nil, err
	}
	r := run.Run{Sets: []*mil.Set{o.set}, Protocol: protocol, Settings: settings, Seed: c.seed, Learner: learners.All(neural.Trainer{}, learners.Resources{}), Dir: dir, Curves: true}
	err = trained(&r)
	if failed := (*failedFits)(nil); errors.As(err, &failed) {
		notes = append(notes, failed.text)
	} else if err != nil {
		return nil, err
	}
	found, foundErr := c.found(&r, notes)
	if err != nil && (foundErr != nil || len(found.fits) == 0) {
		return nil, err
	}
	return found, foundErr
}

// failedFits says that some fits have failed.
type failedFits struct{ text string }

func (f *failedFits) Error() string { return f.text }

// settings returns the settings of the learners.
func (c *Comparison) settings() (list []json.RawMessage, err error) {
	if len(c.learners) == 0 {
		return networks.Lineup(false)
	}
	for _, l := range c.learners {
		setting, err := l.setting()
		if err != nil {
			return nil, err
		}
		list = append(list, setting)
	}
	return list, nil
}

// trained trains the fits of a run that have no result yet. It starts a backend only if there are any.
func trained(r *run.Run) error {
	pending, err := r.Pending()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(pending, func(p run.Pending) bool { return len(p.Task.Fits) > 0 }) {
		return nil
	}
	choice, err := device()
	if err != nil {
		return err
	}
	cores := choice.Cores(runtime.GOMAXPROCS(0))
	bar := newBar()
	trainer := neural.Trainer{Backend: choice.Backend, Workers: cores.Workers, Run: cores.Run, Kept: cores.Kept}
	r.Learner, r.Backend = learners.All(trainer, learners.Resources{Workers: cores.Workers}), choice.Config
	r.Progress = func(p run.Progress) { bar.fits(p.Summary) }
	sum, err := r.Do(interrupted())
	bar.end(err == nil || sum.Failed > 0)
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("stopped; what was trained is kept, and the cell goes on from there")
	case errors.Is(err, results.ErrLocked):
		return fmt.Errorf("%s is being compared in another notebook; wait until it has ended", r.Sets[0].Name)
	case sum.Failed > 0: // the other fits are kept
		first, _, _ := strings.Cut(err.Error(), "\n")
		return &failedFits{fmt.Sprintf("%d of %d fits failed, and are tried again the next time; the first: %s", sum.Failed, sum.Total, first)}
	}
	return err
}

// found reads the results of a run.
func (c *Comparison) found(r *run.Run, notes []string) (*compared, error) {
	asked, err := r.Protocol.Fits(r.Sets[0], r.Settings, r.Seed)
	if err != nil {
		return nil, err
	}
	cut, _ := r.Protocol.FoldsOf(r.Sets[0])
	wanted := make(map[string]bool)
	for _, f := range asked {
		id, err := cv.FitID(r.Sets[0].Checksum, r.Protocol.Key(), cut, f.Repeat, f.Fold, r.Seed, f.Setting)
		if err != nil {
			return nil, err
		}
		wanted[id] = true
	}
	found := &compared{notes: notes}
	all, err := results.Read(r.Dir)
	if err != nil {
		return nil, err
	}
	found.fits = slices.DeleteFunc(all, func(one results.Result) bool { return !wanted[one.Fit] })
	curves, err := results.ReadCurves(r.Dir)
	if err != nil {
		return nil, err
	}
	found.curves = slices.DeleteFunc(curves, func(one results.Curve) bool { return !wanted[one.Fit] })
	found.table, err = results.Tabulate(found.fits)
	return found, err
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

// Figure draws the main score of each learner with its confidence interval.
func (c *Comparison) Figure() *plotting.Figure { return Must(charts.Table(c.Fits())) }

// Training draws the loss of networks by epoch.
func (c *Comparison) Training() *plotting.Figure {
	found := Must(c.do())
	var curves []plotting.TrainingCurve
	for _, row := range found.table.Rows {
		curve := plotting.TrainingCurve{Name: row.Setting}
		for _, one := range found.curves {
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
