package learners

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// combinationName is the file that holds the [combination] of a model.
const combinationName = "combination.json"

// memberName returns the folder of a member, below that of the parameters.
func memberName(m int) string { return fmt.Sprintf("member-%d", m+1) }

// ensembleKind is the kind of ensembles on their cards; that of portfolios is [AutoName].
const ensembleKind = "ensemble"

// joinedModel is a portfolio ([AutoName]) or an ensemble ([ensemble]). A portfolio holds the members that count and the
// combination of their scores; an ensemble averages the scores of its members.
type joinedModel struct {
	card        joinedCard
	combination *combination // nil for an ensemble
	models      []Model
}

type joinedCard struct {
	modeldir.Card
	Setting json.RawMessage    `json:"setting"`
	Members []learner.Weighted `json:"members"` // the most important first, in the order of the combination; in an ensemble, all weigh the same
}

// counted reports how many fits are done.
type counted struct {
	learner.Learner
	progress func(done, total int)
}

// Learn implements [learner.Learner].
func (c counted) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	n := 0
	c.progress(n, len(task.Fits))
	return c.Learner.Learn(ctx, task, func(o learner.Outcome) error {
		n++
		c.progress(n, len(task.Fits))
		return done(o)
	})
}

// trainPortfolio weighs the candidates of a portfolio with inner folds on the set, and fits those that count to all
// bags.
func (t Trainer) trainPortfolio(ctx context.Context, setting json.RawMessage, p Portfolio, set *mil.Set, seed uint64, progress func(Progress)) (Model, error) {
	var networks learner.Learner = noNetworks{}
	if t.Networks != nil {
		networks = t.Networks
	}
	fits, candidates := 0, len(p.Candidates)
	count := func(done, total int) {
		fits = total
		progress(Progress{Done: done, Total: total + candidates})
	}
	auto := auto{
		Of:    Inner{Of: counted{each(networks, t.Resources), count}, heldOnly: true},
		check: func(task cv.Task) error { return Check(networks, task) },
	}
	h := auto.expand(cv.NewTask(set, []cv.Fit{{Seed: seed, Setting: setting, Train: cv.Examples(set)}}), false)
	if err := h.failed[0]; err != nil {
		return nil, err
	}
	candidates = len(h.portfolios[0].Candidates)
	if s := h.portfolios[0].sampling; s != nil && t.Note != nil {
		t.Note(s.note(h.portfolios[0], len(set.Bags)))
	}
	if err := auto.Of.Learn(ctx, h.task, func(o learner.Outcome) error {
		h.outcomes[0][h.of[o.Fit][0].part] = o
		return nil
	}); err != nil {
		return nil, err
	}
	w, err := h.portfolios[0].weigh(h.task, h.fits[0], h.outcomes[0])
	if err != nil {
		return nil, err
	}
	var chosen []int
	for i, m := range w.models {
		if m.Weight > 0 {
			chosen = append(chosen, i)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(w.models[b].Weight, w.models[a].Weight) })
	m := &joinedModel{card: joinedCard{Card: modeldir.CardOf(AutoName, set, seed), Setting: setting}, combination: w.some(chosen)}
	shared := learner.NewShared(set.Instances())
	for k, i := range chosen {
		of := w.models[i]
		done := Progress{Done: fits + k, Total: fits + len(chosen)}
		progress(done)
		one, err := t.train(ctx, of.Setting, of.Epoch, set, seed, shared, func(p Progress) {
			if p.Epoch > 0 {
				done.Epoch, done.Loss = p.Epoch, p.Loss
				progress(done)
			}
		})
		if err != nil {
			return nil, err
		}
		m.card.Members, m.models = append(m.card.Members, of), append(m.models, one)
	}
	progress(Progress{Done: fits + len(chosen), Total: fits + len(chosen)})
	return m, nil
}

// trainEnsemble trains the n members of an ensemble.
func (t Trainer) trainEnsemble(ctx context.Context, setting json.RawMessage, n int, of json.RawMessage, epochs int, set *mil.Set, seed uint64, shared *learner.Shared, progress func(Progress)) (Model, error) {
	m := &joinedModel{card: joinedCard{Card: modeldir.CardOf(ensembleKind, set, seed), Setting: setting}}
	for k := range n {
		own := seed
		if k > 0 {
			own = cv.SplitSeed(seed, "member", k)
		}
		one, err := t.train(ctx, of, epochs, set, own, shared, func(p Progress) {
			p.Done, p.Total = k, n
			progress(p)
		})
		if err != nil {
			return nil, fmt.Errorf("member %d: %w", k+1, err)
		}
		m.card.Members, m.models = append(m.card.Members, learner.Weighted{Setting: of, Weight: 1 / float64(n)}), append(m.models, one)
	}
	progress(Progress{Done: n, Total: n})
	return m, nil
}

// noNetworks stands in for networks where they cannot be trained.
type noNetworks struct{}

// errNoNetworks is the error of noNetworks.
var errNoNetworks = errors.New("networks cannot be trained here")

// Takes implements [learner.Learner]: no kind of target.
func (noNetworks) Takes() learner.Takes { return learner.Takes{} }

func (noNetworks) Learn(context.Context, cv.Task, func(learner.Outcome) error) error {
	return errNoNetworks
}

func (noNetworks) Plan(cv.Task) (learner.Plan, error) { return learner.Plan{}, errNoNetworks }

// About implements [Model].
func (m *joinedModel) About() About {
	a := AboutCard(&m.card.Card, m.card.Setting)
	if m.combination != nil {
		a.Members = m.card.Members
	}
	return a
}

// Card implements [Model].
func (m *joinedModel) Card() *modeldir.Card { return &m.card.Card }

// Save implements [Model].
func (m *joinedModel) Save(dir string) error {
	c := m.card
	return modeldir.Save(dir, &c, func(folder string) error {
		for k, one := range m.models {
			if err := one.Save(filepath.Join(folder, memberName(k))); err != nil {
				return err
			}
		}
		if m.combination == nil {
			return nil
		}
		return modeldir.WriteJSON(folder, combinationName, m.combination)
	})
}

// load reads the model in dir, which has the given kind; deep is the number of models around it.
func (m *joinedModel) load(dir, kind string, t Trainer, deep int) error {
	if deep > 1 || deep > 0 && kind == AutoName {
		return modeldir.Damaged("a model of kind %s stands in another", kind)
	}
	m.card.Kind = kind
	if err := modeldir.Read(dir, &m.card); err != nil {
		return err
	}
	if err := compact(&m.card.Setting); err != nil {
		return err
	}
	files, err := m.card.Open(dir)
	if err != nil {
		return err
	}
	if err := m.loadCombination(files); err != nil {
		return err
	}
	for k := range m.card.Members {
		member := &m.card.Members[k]
		if err := compact(&member.Setting); err != nil {
			return err
		}
		one, err := t.load(filepath.Join(m.card.Folder(dir), memberName(k)), deep+1)
		if err != nil {
			return err
		}
		is := one.About()
		if is.NumFeatures != m.card.NumFeatures || is.Target != m.card.Target || !slices.Equal(is.Classes, m.card.Classes) ||
			learner.Name(is.Setting) != learner.Name(member.Setting) {
			return modeldir.Damaged("member %d does not belong to it", k+1)
		}
		m.models = append(m.models, one)
	}
	for name := range m.card.Files {
		folder, _, _ := strings.Cut(name, "/")
		known := name == combinationName && kind == AutoName
		for k := range m.models {
			known = known || folder == memberName(k) && folder != name
		}
		if !known {
			return modeldir.Damaged("%s does not belong to it", name)
		}
	}
	return nil
}

// compact removes the white space that writing a card adds to a setting.
func compact(setting *json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Compact(&b, *setting); err != nil {
		return modeldir.Damaged("a setting: %v", err)
	}
	*setting = b.Bytes()
	return nil
}

// loadCombination reads the combination of the members, which the card also describes.
func (m *joinedModel) loadCombination(files map[string][]byte) error {
	n := len(m.card.Members)
	if m.card.Kind == ensembleKind {
		if asked, _, err := Members(m.card.Setting); err != nil || n == 0 || asked != n {
			return modeldir.Damaged("its setting does not ask for %d members", n)
		}
		for k, member := range m.card.Members {
			if member.Weight != 1/float64(n) {
				return modeldir.Damaged("member %d of %d weighs %v", k+1, n, member.Weight)
			}
		}
		return nil
	}
	if _, is, err := portfolioOf(m.card.Setting); !is || err != nil {
		return modeldir.Damaged("its setting is none of %s", AutoName)
	}
	if err := modeldir.ReadJSON(files, combinationName, &m.combination); err != nil {
		return err
	}
	if m.combination == nil || len(m.combination.Weights) != n {
		return modeldir.Damaged("%s does not fit %d members", combinationName, n)
	}
	if m.combination.Kind != m.card.Target || m.combination.width() != width(&m.card.Card) {
		return modeldir.Damaged("%s joins %d scores of a target of kind %v, and the model has %d of kind %v",
			combinationName, m.combination.width(), m.combination.Kind, width(&m.card.Card), m.card.Target)
	}
	for k, member := range m.card.Members {
		if w := m.combination.Weights[k]; member.Weight != w || w == 0 {
			return modeldir.Damaged("member %d weighs %v, in %s %v", k+1, member.Weight, combinationName, w)
		}
	}
	return nil
}

// Predict implements [Model]. In a portfolio, an instance's score is the weighted mean over the members that score
// instances. Each member's scores are first standardised within the bag, to mean 0 and standard deviation 1; for
// classes, class by class. Members of an ensemble are of one kind and are not standardised.
func (m *joinedModel) Predict(ctx context.Context, bags []mil.Instances, instances bool) ([]mil.Prediction, error) {
	if err := m.card.Check(bags); err != nil {
		return nil, err
	}
	all := make([]mil.Prediction, len(bags))
	classes := instances && m.card.Target == mil.ClassTarget
	for i, b := range bags {
		if instances {
			all[i].Instances = make([]float64, b.Len())
		}
		for range m.card.Classes {
			if classes {
				all[i].ClassInstances = append(all[i].ClassInstances, make([]float64, b.Len()))
			}
		}
	}
	total := 0.0 // weight of the members with scores of instances
	var without []string
	for k, one := range m.models {
		scores, err := one.Predict(ctx, bags, instances)
		has := err == nil && instances && !slices.ContainsFunc(scores, func(p mil.Prediction) bool {
			return p.Instances == nil || classes && len(p.ClassInstances) != len(m.card.Classes)
		})
		if instances && !has {
			without = append(without, learner.Name(m.card.Members[k].Setting))
			scores, err = one.Predict(ctx, bags, false)
		}
		if err != nil {
			return nil, err
		}
		w := m.card.Members[k].Weight
		for i, p := range scores {
			if len(p.Scores) != width(&m.card.Card) {
				return nil, &modeldir.BagError{Bag: i, Err: fmt.Errorf("%d scores of member %d, not %d", len(p.Scores), k+1, width(&m.card.Card))}
			}
			all[i].Members = append(all[i].Members, p.Scores)
			if m.combination == nil {
				if err := addSurvival(&all[i], p, w); err != nil {
					return nil, modeldir.Damaged("member %d: %v", k+1, err)
				}
			}
			if !has {
				continue
			}
			add := addStandardised
			if m.combination == nil {
				add = floats.AddScaled
			}
			add(all[i].Instances, w, p.Instances)
			for c, sum := range all[i].ClassInstances {
				add(sum, w, p.ClassInstances[c])
			}
		}
		if has {
			total += w
		}
	}
	if instances && total == 0 {
		return nil, fmt.Errorf("the members (%s) have %w; these learners have some: %s", strings.Join(without, ", "), ErrNoInstances, strings.Join(InstanceScorers(), ", "))
	}
	one := make([]float64, len(m.models))
	for i := range all {
		if m.combination != nil {
			var err error
			if all[i].Scores, err = m.combination.Score(all[i].Members); err != nil {
				return nil, &modeldir.BagError{Bag: i, Err: err}
			}
		}
		for c := 0; c < width(&m.card.Card) && m.combination == nil; c++ {
			for k, s := range all[i].Members {
				one[k] = s[c]
			}
			all[i].Scores = append(all[i].Scores, stat.Mean(one, nil))
		}
		if instances {
			floats.Scale(1/total, all[i].Instances)
		}
		for _, sum := range all[i].ClassInstances {
			floats.Scale(1/total, sum)
		}
		if classes {
			all[i].Instances = all[i].ClassInstances[floats.MaxIdx(all[i].Scores)]
		}
	}
	return all, nil
}

// addStandardised adds factor times the standardised values to sum. If all values are equal, it adds nothing.
func addStandardised(sum []float64, factor float64, values []float64) {
	mean, sd := stat.PopMeanStdDev(values, nil)
	if !(sd > 0) {
		return
	}
	for i, v := range values {
		sum[i] += factor * (v - mean) / sd
	}
}
