package learners

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// AutoName is the name of the portfolio in settings.
const AutoName = "auto"

// Portfolio is the setting of the learner [AutoName]. Inside each training part it tries candidates of several families
// with inner folds: those of the protocol, or Inner if it has none. It weighs them by the main figure of the kind of target
// (AUC, macro AUC, R², concordance) on held-out bags, joins them, and fits each one that counts to the whole training part.
// It never looks at the test part. The formula depends on the kind of target; the weights w of the models sum to 1:
//
//	binary    logit = a Σ w q(s) + b, q the normal quantile of the rank of a score s among those of held-out bags; a and b by logistic regression
//	classes   score of class c = log(Σ w p_c), p the probabilities of the calibrated model: the softmax of the scores is Σ w p
//	real      a Σ w s + b, a ≥ 0 and b by least squares
//	survival  Σ w q(s), which orders bags
//
// a, b and the calibrations are learnt from held-out bags. On few bags the slope a of a logit is mostly chance, and the
// scores of models of different training parts, such as those of outer folds, would then differ in scale. Its prior is
// normal with mean 1.5 and inverse variance Prior, so that the fewer the bags the nearer a is to what it is elsewhere. A
// Prior of 0 trusts the held-out bags alone, as portfolios did before they had one. Other targets have no prior: neither
// weights nor the order of bags depend on it. Classes are calibrated by Platt's sigmoid of each class's log-odds against
// the rest ([synpool/milbench/stats.LogOdds]), divided by the sum over the classes.
//
// The outcome has one epoch. Its scores are logits for a binary target, logarithms of probabilities for classes, and
// values for a real target; for survival they only order bags. If the fit has inner folds, the validation scores are
// those of the joined models on held-out bags. These bags also set the weights, so the validation scores are slightly
// too good.
//
// The time of many candidates grows with the square of the instances. If they would choose for more than 40 seconds on one
// core, they take some instances of each bag, and if that is not enough, inner folds hold out a sample of the bags alone, and
// these candidates learn from it alone; the others learn from all bags. Inner folds of the protocol hold out all bags; then each
// training of these candidates draws a sample.
//
// With Unweighted, candidates whose setting has "balanced":true are also tried without class weights where the classes are
// uneven: where the rarest has at most two thirds of the bags of the most frequent.
type Portfolio struct {
	Inner      int               `json:"inner"`
	Prior      float64           `json:"prior,omitempty"`
	Unweighted bool              `json:"unweighted,omitempty"`
	Candidates []json.RawMessage `json:"candidates"` // settings of other learners

	sampling *sampling // on a fit; nil if it can afford all bags
}

// even is the least share that the bags of the rarest class have of those of the most frequent where classes are even.
const even = 2.0 / 3

// on returns the portfolio with all candidates that it tries on a fit.
func (p Portfolio) on(task cv.Task, fit cv.Fit) *Portfolio {
	p.sampling = nil
	if !p.Unweighted || task.Kind != mil.BinaryTarget && task.Kind != mil.ClassTarget {
		return &p
	}
	bags := make([]int, max(task.Classes, 2))
	for _, e := range fit.Train {
		bags[e.Label]++
	}
	if float64(slices.Min(bags)) > even*float64(slices.Max(bags)) {
		return &p
	}
	known := make(map[string]bool)
	for _, c := range p.Candidates {
		canonical, _ := cv.CanonicalSetting(c) // an invalid one fails later
		known[string(canonical)] = true
	}
	p.Candidates = slices.Clone(p.Candidates)
	for _, c := range p.Candidates {
		var fields map[string]json.RawMessage
		if json.Unmarshal(c, &fields) == nil && string(fields["balanced"]) == "true" {
			fields["balanced"] = json.RawMessage("false")
			c, _ = json.Marshal(fields) // what was just read
			if canonical, err := cv.CanonicalSetting(c); err == nil && !known[string(canonical)] {
				p.Candidates = append(p.Candidates, c)
			}
		}
	}
	return &p
}

// named is a portfolio with its name, as in settings.
type named struct {
	Learner string `json:"learner"`
	Portfolio
}

// Setting returns the setting of a portfolio.
func (p Portfolio) Setting() (json.RawMessage, error) { return json.Marshal(named{AutoName, p}) }

// portfolioOf parses a setting and reports whether it is a portfolio.
func portfolioOf(setting json.RawMessage) (p Portfolio, is bool, err error) {
	if !bytes.Contains(setting, []byte(`"`+AutoName+`"`)) || learner.Name(setting) != AutoName {
		return p, false, nil
	}
	var read named
	d := json.NewDecoder(bytes.NewReader(setting))
	d.DisallowUnknownFields()
	if err := d.Decode(&read); err != nil {
		return p, true, fmt.Errorf("setting of %s: %w", AutoName, err)
	}
	p = read.Portfolio
	switch {
	case p.Inner < 2 || p.Inner > 20:
		err = fmt.Errorf("setting of %s: inner %d: 2 to 20 inner folds are possible", AutoName, p.Inner)
	case !(p.Prior >= 0 && p.Prior <= 1e6):
		err = fmt.Errorf("setting of %s: prior %v: 0 to 1000000 is possible", AutoName, p.Prior)
	case len(p.Candidates) == 0:
		err = fmt.Errorf("setting of %s: no candidates; name the settings of some learners", AutoName)
	}
	for _, c := range p.Candidates {
		if learner.Name(c) == AutoName && err == nil {
			err = fmt.Errorf("setting of %s: a portfolio cannot be its own candidate", AutoName)
		}
	}
	return p, true, err
}

// Candidates returns the settings that a portfolio tries, or nil if the setting is not a portfolio.
func Candidates(setting json.RawMessage) []json.RawMessage {
	p, is, err := portfolioOf(setting)
	if !is || err != nil {
		return nil
	}
	return p.Candidates
}

// auto is a [learner.Learner] that trains portfolios ([Portfolio]). Other settings are passed on unchanged.
type auto struct {
	Of learner.Learner

	// check, if not nil, reports why a task cannot be learnt. Candidates that cannot learn a task are left out.
	check func(cv.Task) error
}

var _ learner.Learner = auto{}

// Takes implements [learner.Learner].
func (a auto) Takes() learner.Takes { return a.Of.Takes() }

// expansion has the trainings of a task with portfolios: one per candidate, those that cannot learn the task left out.
type expansion struct {
	*trainings
	fits       []cv.Fit     // fits of the task, with inner folds
	portfolios []*Portfolio // nil for a fit that is not a portfolio
}

// sameFit returns a key that equal fits share.
func sameFit(fit cv.Fit) (string, error) {
	var err error
	if fit.Setting, err = cv.CanonicalSetting(fit.Setting); err != nil {
		return "", err
	}
	text, err := json.Marshal(fit)
	sum := sha256.Sum256(text)
	return string(sum[:]), err
}

// expand returns the task to pass on. With share, a candidate that is also a fit of the task is passed on once.
func (a auto) expand(task cv.Task, share bool) *expansion {
	h := &expansion{trainingsOf(task), slices.Clone(task.Fits), make([]*Portfolio, len(task.Fits))}
	unable := make(map[string]error) // by setting
	able := func(setting json.RawMessage) error {
		if a.check == nil {
			return nil
		}
		err, known := unable[string(setting)]
		if !known {
			one := task
			one.Fits = []cv.Fit{{Setting: setting}}
			err = a.check(one)
			unable[string(setting)] = err
		}
		return err
	}
	share = share && slices.ContainsFunc(task.Fits, func(f cv.Fit) bool { return learner.Name(f.Setting) == AutoName })
	known := make(map[string]int)
	add := func(fit cv.Fit, by place) {
		if share {
			key, err := sameFit(fit)
			if at, found := known[key]; found && err == nil {
				h.of[at] = append(h.of[at], by)
				return
			}
			known[key] = len(h.of)
		}
		h.add(fit, by)
	}
	for i, fit := range task.Fits {
		p, is, err := portfolioOf(fit.Setting)
		if !is {
			add(fit, place{i, 0})
			continue
		}
		on, some := p.on(task, fit), fit.Train // to choose by
		if err == nil && len(fit.Inner) == 0 && len(fit.Validation) > 0 {
			err = errors.New("a portfolio needs inner folds, not a validation part; add --inner 5")
		}
		if err == nil {
			on.sampling = on.sampled(task, fit)
		}
		if err == nil && len(fit.Inner) == 0 {
			if s := on.sampling; s != nil && s.chosen != nil {
				some, _ = divide(fit.Train, s.chosen)
			}
			fit.Inner, err = cv.CutInner(task, some, p.Inner, cv.SplitSeed(fit.Seed, "portfolio"))
		}
		if err != nil {
			h.failed[i] = err
			continue
		}
		h.fits[i], h.portfolios[i] = fit, on
		h.outcomes[i] = make([]learner.Outcome, len(h.portfolios[i].Candidates))
		for k, setting := range h.portfolios[i].Candidates {
			one, err := fit, error(nil)
			if s := on.sampling; s != nil && s.left[k] {
				err = errors.New("it takes long on bags of this size")
			} else if s != nil && !s.whole[k] && s.chosen != nil {
				one.Train = some
				setting, err = sample{0, s.instances}.of(setting)
			} else {
				setting, err = s.setting(k, setting)
			}
			if err == nil {
				err = able(setting)
			}
			if err != nil {
				h.outcomes[i][k].Err = err
				continue
			}
			one.Setting, one.EveryEpoch = setting, true
			add(one, place{i, k})
			h.missing[i]++
		}
		if h.missing[i] == 0 {
			_, h.failed[i] = h.portfolios[i].weigh(task, fit, h.outcomes[i])
		}
	}
	return h
}

// Learn implements [learner.Learner]. A candidate that fails or cannot learn the task is left out. A fit fails if all
// its candidates fail.
func (a auto) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	h := a.expand(task, true)
	return h.learn(ctx, a.Of, done, func(i int, parts []learner.Outcome) learner.Outcome {
		joined := h.portfolios[i].join(h.task, h.fits[i], parts)
		if len(task.Fits[i].Inner) == 0 { // held-out bags that nobody has asked for
			for k := range joined.Epochs {
				joined.Epochs[k].Validation = nil
			}
		}
		return joined
	})
}

// Plan implements [learner.Learner]. Each portfolio's fits form a group, with the trainings of all candidates.
func (a auto) Plan(task cv.Task) (learner.Plan, error) {
	h := a.expand(task, false)
	plan, err := h.plan(a.Of)
	if err != nil {
		return learner.Plan{}, err
	}
	plan.Groups = h.gathered(plan.Groups)
	for i, p := range h.portfolios {
		if p != nil && p.sampling != nil {
			note := cmp.Or(task.Name, "task") + ": " + p.sampling.note(p, len(h.fits[i].Train))
			plan.Note = strings.TrimPrefix(plan.Note+"; "+note, "; ")
			break
		}
	}
	return plan, nil
}

// gathered merges the trainings of a portfolio's candidates into one block per fit.
func (h *expansion) gathered(groups []learner.Group) (all []learner.Group) {
	type cost struct {
		learner.Group
		seconds map[int]float64 // of each fit
	}
	joined := make(map[string]*cost) // by the setting of the portfolio
	var order []string
	for _, g := range groups {
		each := g.Block * float64(g.Blocks) / float64(max(len(g.Fits), 1))
		rest := g
		rest.Fits = nil
		for _, i := range g.Fits {
			if h.portfolios[i] == nil {
				rest.Fits = append(rest.Fits, i)
				continue
			}
			key := string(h.fits[i].Setting)
			c := joined[key]
			if c == nil {
				c = &cost{Group: learner.Group{Members: 1}, seconds: make(map[int]float64)}
				joined[key], order = c, append(order, key)
			}
			if _, known := c.seconds[i]; !known {
				c.Fits = append(c.Fits, i)
			}
			c.seconds[i] += each
			c.Memory = max(c.Memory, g.Memory)
		}
		if len(rest.Fits) < len(g.Fits) && len(g.Fits) > 0 {
			for _, key := range order {
				if c := joined[key]; slices.Contains(g.Fits, c.Fits[0]) {
					c.Compile += g.Compile
				}
			}
			rest.Blocks = (g.Blocks*len(rest.Fits) + len(g.Fits) - 1) / len(g.Fits)
		}
		if len(rest.Fits) > 0 {
			all = append(all, rest)
		}
	}
	for _, key := range order {
		c := joined[key]
		for _, s := range c.seconds {
			c.Block += s / float64(len(c.Fits))
		}
		slices.Sort(c.Fits)
		c.Blocks = len(c.Fits)
		all = append(all, c.Group)
	}
	return all
}

// weighed holds the weighed candidates of a fit.
type weighed struct {
	*combination
	held   held
	models []learner.Weighted // those that were learnt, in the order of the combination
	epochs []learner.Epoch    // the best epoch of each
	scores [][][]float64      // scores of each on the held-out bags
}

// weigh weighs the candidates of a fit. Failed candidates are left out; if all failed, that is an error.
func (p *Portfolio) weigh(task cv.Task, fit cv.Fit, all []learner.Outcome) (w *weighed, err error) {
	w = &weighed{held: heldOf(task, fit)}
	w.held.prior = p.Prior
	var errs []error
	for k, o := range all {
		name := learner.Name(p.Candidates[k])
		epoch, scores, err := bestEpoch(w.held, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		setting, err := p.sampling.setting(k, p.Candidates[k])
		if err != nil {
			return nil, err
		}
		w.models = append(w.models, learner.Weighted{Setting: setting, Epoch: epoch.Number})
		w.epochs, w.scores = append(w.epochs, epoch), append(w.scores, scores)
	}
	if len(w.models) == 0 {
		return nil, fmt.Errorf("none of %d candidates could be learnt: %w", len(all), errs[0])
	}
	if w.combination, err = combine(w.held, w.scores); err != nil {
		return nil, err
	}
	for m := range w.models {
		w.models[m].Weight, w.models[m].Figure = w.Weights[m], w.Figures[m]
	}
	return w, nil
}

// join returns the outcome of a fit when all its candidates are done.
func (p *Portfolio) join(task cv.Task, fit cv.Fit, all []learner.Outcome) learner.Outcome {
	var joined learner.Outcome
	for _, o := range all {
		joined.Wall += o.Wall
	}
	c, err := p.weigh(task, fit, all)
	if err != nil {
		joined.Err = err
		return joined
	}
	e := learner.Epoch{Number: 1}
	scores := make([][]float64, len(c.models))
	add := func(list *[]mil.Prediction, of func(m int) []float64) {
		for m := range c.models {
			scores[m] = of(m)
		}
		one, err := c.Score(scores)
		joined.Err = cmp.Or(joined.Err, err)
		*list = append(*list, mil.Prediction{Scores: one})
	}
	for k := range c.held.labels {
		add(&e.Validation, func(m int) []float64 { return c.scores[m][k] })
	}
	for k := range fit.Test {
		add(&e.Test, func(m int) []float64 { return c.epochs[m].Test[k].Scores })
	}
	if joined.Err != nil {
		return joined
	}
	for m, model := range c.models {
		if model.Weight > 0 {
			e.Loss += model.Weight * c.epochs[m].Loss
			joined.Portfolio = append(joined.Portfolio, model)
		}
	}
	joined.Epochs = []learner.Epoch{e}
	return joined
}

// bestEpoch returns the epoch of an outcome with the best figure on held-out bags, and its scores of these bags.
func bestEpoch(h held, o learner.Outcome) (best learner.Epoch, scores [][]float64, err error) {
	if o.Err != nil {
		return best, nil, o.Err
	}
	most := math.Inf(-1)
	for _, e := range o.Epochs {
		these := make([][]float64, len(e.Validation))
		for i, p := range e.Validation {
			these[i] = p.Scores
		}
		if err := h.check(these); err != nil {
			return best, nil, err
		}
		figure, err := h.figure(these)
		if err != nil {
			return best, nil, err
		}
		if figure > most {
			best, scores, most = e, these, figure
		}
	}
	if scores == nil {
		return best, nil, errors.New("the learner returned no epoch")
	}
	return best, scores, nil
}
