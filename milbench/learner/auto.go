package learner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"synpool/milbench"
	"synpool/milbench/learner/onebyone"
)

// AutoName is the name of the portfolio in settings.
const AutoName = "auto"

// Portfolio is the setting of [Auto]: candidates, and into how many inner folds a training part is cut where the protocol has not done so.
type Portfolio struct {
	Inner      int               `json:"inner"`
	Candidates []json.RawMessage `json:"candidates"` // settings of other learners
}

// Setting returns the setting of a portfolio.
func (p Portfolio) Setting() (json.RawMessage, error) {
	type named struct {
		Learner string `json:"learner"`
		Portfolio
	}
	return json.Marshal(named{AutoName, p})
}

// portfolioOf returns the portfolio of a setting, and whether it is one.
func portfolioOf(setting json.RawMessage) (p Portfolio, is bool, err error) {
	if !bytes.Contains(setting, []byte(`"`+AutoName+`"`)) || onebyone.Name(setting) != AutoName {
		return p, false, nil
	}
	var read struct {
		Learner string `json:"learner"`
		Portfolio
	}
	d := json.NewDecoder(bytes.NewReader(setting))
	d.DisallowUnknownFields()
	if err := d.Decode(&read); err != nil {
		return p, true, fmt.Errorf("setting of %s: %w", AutoName, err)
	}
	p = read.Portfolio
	switch {
	case p.Inner < 2 || p.Inner > 20:
		err = fmt.Errorf("setting of %s: inner %d: 2 to 20 inner folds are possible", AutoName, p.Inner)
	case len(p.Candidates) == 0:
		err = fmt.Errorf("setting of %s: no candidates; name the settings of some learners", AutoName)
	}
	for _, c := range p.Candidates {
		if onebyone.Name(c) == AutoName && err == nil {
			err = fmt.Errorf("setting of %s: a portfolio cannot be its own candidate", AutoName)
		}
	}
	return p, true, err
}

// Auto is a [milbench.Learner] of portfolios ([Portfolio]): inside each training part candidates of several families are tried by inner folds,
// weighed by how well they order bags that they have not seen, and joined; each is then fitted to the whole part. It never
// looks at the test part. Other settings are handed on as they are.
//
// The outcome has one epoch. Its validation scores are those of the joined models on held-out bags, which also set the weights: a little too good.
type Auto struct{ Of milbench.Learner }

var _ milbench.Learner = Auto{}

// Takes implements [milbench.Learner].
func (a Auto) Takes() milbench.Takes { return a.Of.Takes() }

// candidate says which candidate of which fit a fit that is handed on is.
type candidate struct{ fit, number int }

// handed returns the task that is handed on, who asked for each of its fits, the portfolio of each fit that has one, and why a fit cannot be learnt.
func (a Auto) handed(task milbench.Task) (on milbench.Task, of []candidate, fits []milbench.Fit, portfolios []*Portfolio, failed []error) {
	on = task
	on.Fits = nil
	fits, portfolios, failed = append(fits, task.Fits...), make([]*Portfolio, len(task.Fits)), make([]error, len(task.Fits))
	for i, fit := range task.Fits {
		p, is, err := portfolioOf(fit.Setting)
		if !is {
			on.Fits, of = append(on.Fits, fit), append(of, candidate{i, 0})
			continue
		}
		if err == nil && len(fit.Inner) == 0 {
			if len(fit.Validation) > 0 {
				err = errors.New("a portfolio needs inner folds, not a validation part; add --inner 5")
			} else {
				fit.Inner, err = milbench.CutInner(task, fit.Train, p.Inner, milbench.SplitSeed(fit.Seed, "portfolio"))
			}
		}
		if failed[i] = err; err != nil {
			continue
		}
		fits[i], portfolios[i] = fit, &p
		for k, setting := range p.Candidates {
			one := fit
			one.Setting, one.EveryEpoch = setting, true
			on.Fits, of = append(on.Fits, one), append(of, candidate{i, k})
		}
	}
	return on, of, fits, portfolios, failed
}

// Learn implements [milbench.Learner]. A candidate that fails does not count; a fit all of whose candidates fail has failed.
func (a Auto) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	on, of, fits, portfolios, failed := a.handed(task)
	outcomes, missing := make([][]milbench.Outcome, len(fits)), make([]int, len(fits))
	for i, err := range failed {
		if err != nil {
			if err := done(milbench.Outcome{Fit: i, Err: err}); err != nil {
				return err
			}
		}
		if portfolios[i] != nil {
			missing[i] = len(portfolios[i].Candidates)
			outcomes[i] = make([]milbench.Outcome, missing[i])
		}
	}
	if len(on.Fits) == 0 {
		return ctx.Err()
	}
	return a.Of.Learn(ctx, on, func(o milbench.Outcome) error {
		if o.Fit < 0 || o.Fit >= len(of) {
			return fmt.Errorf("the learner handed over fit %d of %d", o.Fit, len(of))
		}
		at := of[o.Fit]
		o.Fit = at.fit
		if portfolios[at.fit] == nil {
			return done(o)
		}
		outcomes[at.fit][at.number] = o
		if missing[at.fit]--; missing[at.fit] > 0 {
			return nil
		}
		joined := portfolios[at.fit].join(fits[at.fit], outcomes[at.fit])
		joined.Fit = at.fit
		outcomes[at.fit] = nil
		return done(joined)
	})
}

// Plan implements [milbench.Learner]. The fit of a portfolio stands in a group once a training.
func (a Auto) Plan(task milbench.Task) (milbench.Plan, error) {
	on, of, _, _, _ := a.handed(task)
	plan, err := a.Of.Plan(on)
	if err != nil {
		return milbench.Plan{}, err
	}
	for g := range plan.Groups {
		for k, i := range plan.Groups[g].Fits {
			plan.Groups[g].Fits[k] = of[i].fit
		}
	}
	plan.Fits = len(task.Fits)
	return plan, nil
}

// join returns the outcome of a fit of which all candidates are there.
func (p *Portfolio) join(fit milbench.Fit, all []milbench.Outcome) milbench.Outcome {
	var joined milbench.Outcome
	var epochs []milbench.Epoch
	var settings []json.RawMessage
	var models [][]float64
	var errs []error
	h := heldOf(fit)
	for k, o := range all {
		joined.Wall += o.Wall
		epoch, scores, err := bestEpoch(h, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", onebyone.Name(p.Candidates[k]), err))
			continue
		}
		epochs, settings, models = append(epochs, epoch), append(settings, p.Candidates[k]), append(models, scores)
	}
	if len(models) == 0 {
		joined.Err = fmt.Errorf("none of %d candidates could be learnt: %w", len(all), errs[0])
		return joined
	}
	c, err := combine(h, models)
	if err != nil {
		joined.Err = err
		return joined
	}
	e := milbench.Epoch{Number: 1}
	scores := make([]float64, len(models))
	for k := range h.labels {
		for m := range models {
			scores[m] = models[m][k]
		}
		e.Validation = append(e.Validation, milbench.Scored(c.Score(scores)))
	}
	for k := range fit.Test {
		for m := range models {
			scores[m] = epochs[m].Test[k].Scores[0]
		}
		e.Test = append(e.Test, milbench.Scored(c.Score(scores)))
	}
	for m, w := range c.Weights {
		if w > 0 {
			e.Loss += w * epochs[m].Loss
			joined.Portfolio = append(joined.Portfolio, milbench.Weighted{Setting: settings[m], Weight: w, AUC: c.AUC[m], Epoch: epochs[m].Number})
		}
	}
	joined.Epochs = []milbench.Epoch{e}
	return joined
}

// bestEpoch returns the epoch of an outcome that is best on held-out bags, and its scores of these.
func bestEpoch(h held, o milbench.Outcome) (best milbench.Epoch, scores []float64, err error) {
	if o.Err != nil {
		return best, nil, o.Err
	}
	most := -1.0
	for _, e := range o.Epochs {
		if len(e.Validation) != len(h.labels) {
			return best, nil, fmt.Errorf("%d scores of %d held-out bags", len(e.Validation), len(h.labels))
		}
		these := make([]float64, len(h.labels))
		for i, p := range e.Validation {
			these[i] = p.Scores[0]
		}
		auc, err := h.auc(these)
		if err != nil {
			return best, nil, err
		}
		if auc > most {
			best, scores, most = e, these, auc
		}
	}
	if scores == nil {
		return best, nil, errors.New("the learner returned no epoch")
	}
	return best, scores, nil
}
