package learners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// Model is a trained model that can be saved to a folder: a network, a classical model, or several models joined
// ([AutoName]).
type Model interface {
	// Predict scores bags and, if instances is true, their instances. An error about a bag is a [*modeldir.BagError].
	// If the model cannot score instances, the error wraps [ErrNoInstances].
	Predict(ctx context.Context, bags []mil.Instances, instances bool) ([]mil.Prediction, error)

	// Card is what [Model.Save] writes about the model. Set Facts, and call Calibrate, before saving.
	Card() *modeldir.Card

	// Save writes the model to a folder; see [modeldir.Save].
	Save(dir string) error

	// About describes the model and its training.
	About() About
}

// ErrNoInstances is the error of a model that cannot score instances.
var ErrNoInstances = errors.New("no scores of instances")

// About describes a model and its training.
type About struct {
	Setting     json.RawMessage
	Logits      bool // whether scores of classes are logits
	Set         string
	Target      mil.TargetKind
	Classes     []string // class names; the negative one first for a binary target; nil if the set had none
	Leaked      bool     // whether the set kept a column that leaks the label
	NumFeatures int
	Features    []string           // feature names; nil if the set had none
	Centre      []float64          // what is subtracted from the features before rounding, see [mil.Set.Centre]; nil for nothing
	Missing     []mil.Missing      // values that replace missing ones, see [mil.Set.Impute]
	Members     []learner.Weighted // the members of a joined model, the most important first
}

// AboutCard returns the description on the card of a model with a setting.
func AboutCard(c *modeldir.Card, setting json.RawMessage) About {
	return About{Setting: setting, Logits: Logits(setting), Set: c.Set, Target: c.Target, Classes: c.Classes, Leaked: c.Leaked, NumFeatures: c.NumFeatures, Features: c.Features, Centre: c.Centre, Missing: c.Missing}
}

// Networks trains and loads networks.
type Networks interface {
	learner.Learner

	// TrainModel trains a network on all bags of a set. If epochs is 0, the setting decides how many. progress is
	// called after each epoch.
	TrainModel(ctx context.Context, setting json.RawMessage, epochs int, set *mil.Set, seed uint64, progress func(epoch int, loss float64)) (Model, error)

	// LoadModel reads a saved network.
	LoadModel(dir string) (Model, error)
}

// Progress reports how far a training has come.
type Progress struct {
	Done, Total int // fits
	Epoch       int // of the network in training, from 1; 0 for other learners
	Loss        float64
}

// Trainer trains and loads models of every kind.
type Trainer struct {
	Networks  Networks  // may be nil if no setting needs networks
	Resources Resources // limits of a training

	Note func(string) // gets a line if a portfolio learns from a sample; may be nil
}

// Train trains a model on all bags of a set. If progress is not nil, it is called from time to time, never
// concurrently.
//
// A portfolio ([AutoName]) is trained like a fit, with the whole set as the training part: inner folds weigh the
// candidates, and those that count are fitted to all bags.
func (t Trainer) Train(ctx context.Context, setting json.RawMessage, set *mil.Set, seed uint64, progress func(Progress)) (Model, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	if len(set.Missing) > 0 {
		medians, err := mil.Medians(set.Instances(), set.Missing)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		if set, err = set.Impute(medians); err != nil {
			return nil, err
		}
	}
	if p, is, err := portfolioOf(setting); err != nil {
		return nil, err
	} else if is {
		m, err := t.trainPortfolio(ctx, setting, p, set, seed, progress)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		return m, nil
	}
	return t.train(ctx, setting, 0, set, seed, nil, progress)
}

// train trains a model that is not joined from others. shared holds what several fits share.
func (t Trainer) train(ctx context.Context, setting json.RawMessage, epochs int, set *mil.Set, seed uint64, shared *learner.Shared, progress func(Progress)) (Model, error) {
	if n, of, err := Members(setting); err != nil {
		return nil, err
	} else if n > 0 {
		return t.trainEnsemble(ctx, setting, n, of, epochs, set, seed, shared, progress)
	}
	classical := learner.Classical{Entries: Classic(), Workers: 1, Memory: t.Resources.Memory}
	if !classical.Learns(setting) {
		if t.Networks == nil {
			return nil, fmt.Errorf("%s: %.100s is the setting of a network, and none can be trained here", set.Name, setting)
		}
		return t.Networks.TrainModel(ctx, setting, epochs, set, seed, func(epoch int, loss float64) { progress(Progress{Total: 1, Epoch: epoch, Loss: loss}) })
	}
	entry, err := Find(learner.Name(setting))
	if err != nil {
		return nil, err
	}
	estimator, err := entry.Parse(setting)
	if err != nil {
		return nil, err
	}
	fit := cv.Fit{Seed: seed, Setting: setting, Train: cv.Examples(set)}
	if _, err := classical.Plan(cv.NewTask(set, []cv.Fit{fit})); err != nil { // it must fit into the memory
		return nil, err
	}
	part := learner.Training{Bags: set.Instances(), Kind: set.Kind, Classes: set.NumClasses(), Seed: seed, Shared: shared}
	for _, e := range fit.Train {
		part.Targets = append(part.Targets, e.Target)
	}
	fitted, err := estimator.Fit(ctx, part)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", set.Name, entry.Name, err)
	}
	m := &classicModel{entry: entry, card: classicCard{modeldir.CardOf(classicKind, set, seed), setting}}
	if err := m.keep(fitted); err != nil {
		return nil, fmt.Errorf("%s: %w", entry.Name, err)
	}
	progress(Progress{Done: 1, Total: 1})
	return m, nil
}

// NeedsNetworks reports whether a setting is a network, or a portfolio with a network among its candidates.
func (t Trainer) NeedsNetworks(setting json.RawMessage) bool {
	if p, is, _ := portfolioOf(setting); is {
		return slices.ContainsFunc(p.Candidates, t.NeedsNetworks)
	}
	return !learner.Classical{Entries: Classic()}.Learns(setting)
}

// Load reads a model of any kind. If another process replaces the model meanwhile, Load reads the new one. Errors about its files
// wrap [modeldir.ErrNoModel].
func (t Trainer) Load(dir string) (Model, error) {
	for {
		replaced := modeldir.Watch(dir)
		if m, err := t.load(dir, 0); err == nil || !replaced() {
			return m, err
		}
	}
}

// load reads a model; deep is the number of models around it.
func (t Trainer) load(dir string, deep int) (Model, error) {
	kind, err := modeldir.Kind(dir)
	if err == nil {
		switch kind {
		case "":
			if t.Networks != nil {
				return t.Networks.LoadModel(dir)
			}
			err = errors.New("it is a network, and none can be read here")
		case classicKind:
			m := &classicModel{}
			if err = m.load(dir, t); err == nil {
				return m, nil
			}
		case AutoName, ensembleKind:
			m := &joinedModel{}
			if err = m.load(dir, kind, t, deep); err == nil {
				return m, nil
			}
		default:
			err = modeldir.Damaged("its kind, %q, is unknown", kind)
		}
	}
	if deep > 0 { // the folder is part of another model
		return nil, fmt.Errorf("%s: %w", filepath.Base(dir), err)
	}
	return nil, fmt.Errorf("%s: %w", dir, err)
}

// classicKind is the kind of classical models on cards.
const classicKind = "classic"

// fittedName is the file of a fitted classical model.
const fittedName = "fitted.json"

// classicModel is a classical model.
type classicModel struct {
	card   classicCard
	entry  learner.Entry
	text   json.RawMessage // the model as JSON
	fitted learner.Model
}

type classicCard struct {
	modeldir.Card
	Setting json.RawMessage `json:"setting"`
}

// keep turns a fitted model into the one that will be loaded: the same numbers, without what fits share.
func (m *classicModel) keep(fitted learner.Model) (err error) {
	if m.entry.Model == nil {
		return errors.New("its models cannot be saved")
	}
	if m.text, err = json.Marshal(fitted); err != nil {
		return err
	}
	m.fitted, err = m.entry.ReadFitted(m.card.Setting, m.text)
	return err
}

// About implements [Model].
func (m *classicModel) About() About {
	a := AboutCard(&m.card.Card, m.card.Setting)
	a.Logits = m.entry.Logits
	return a
}

// Card implements [Model].
func (m *classicModel) Card() *modeldir.Card { return &m.card.Card }

// Save implements [Model].
func (m *classicModel) Save(dir string) error {
	c := m.card
	return modeldir.Save(dir, &c, func(folder string) error { return modeldir.WriteJSON(folder, fittedName, m.text) })
}

func (m *classicModel) load(dir string, t Trainer) error {
	m.card.Kind = classicKind
	if err := modeldir.Read(dir, &m.card); err != nil {
		return err
	}
	err := compact(&m.card.Setting)
	if err != nil {
		return err
	}
	if m.entry, err = Find(learner.Name(m.card.Setting)); err != nil {
		return modeldir.Damaged("%v", err)
	}
	if _, err := m.entry.Parse(m.card.Setting); err != nil {
		return modeldir.Damaged("%v", err)
	}
	if m.entry.Model == nil {
		return modeldir.Damaged("models of %s cannot be read", m.entry.Name)
	}
	files, err := m.card.Open(dir)
	if err != nil {
		return err
	}
	if err := modeldir.ReadJSON(files, fittedName, &m.text); err != nil {
		return err
	}
	if m.fitted, err = m.entry.ReadFitted(m.card.Setting, m.text); err != nil {
		return modeldir.Damaged("%s: %v", fittedName, err)
	}
	if err := m.probe(); err != nil {
		return modeldir.Damaged("%s: %v", fittedName, err)
	}
	return nil
}

// probe scores a bag of zeros, because a model file may have another number of features than its card.
func (m *classicModel) probe() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it does not fit %d features: %v", m.card.NumFeatures, r)
		}
	}()
	p, err := m.fitted.Predict(m.zero())
	if err == nil && len(p.Scores) != width(&m.card.Card) {
		err = fmt.Errorf("it gives %d scores of a bag, not %d", len(p.Scores), width(&m.card.Card))
	}
	return err
}

// zero returns a bag of one instance of zeros.
func (m *classicModel) zero() mil.Instances {
	return &mil.Sparse{Rows: 1, Cols: m.card.NumFeatures, RowStart: []int{0, 0}}
}

// width returns the number of scores per bag according to a card.
func width(c *modeldir.Card) int {
	if c.Target == mil.ClassTarget {
		return len(c.Classes)
	}
	return 1
}

// tooLarge reports a bag that is too large for the learner, or has too many instances to score.
func (m *classicModel) tooLarge(bags []mil.Instances, instances bool) error {
	most, limit := m.entry.Takes().MaxInstances, m.entry.Instances(m.card.Setting)
	_, slow := m.fitted.(learner.InstanceScorer)
	for i, b := range bags {
		n := min(b.Len(), limit)
		if most > 0 && n > most {
			return &modeldir.BagError{Bag: i, Err: fmt.Errorf("%d instances; %s takes at most %d", n, m.entry.Name, most)}
		}
		if instances && slow && n > learner.MostLeftOut {
			return &modeldir.BagError{Bag: i, Err: fmt.Errorf("%d instances; %s scores instances only in bags of at most %d, and larger bags only as a whole (without --instances)", b.Len(), m.entry.Name, learner.MostLeftOut)}
		}
	}
	return nil
}

// Predict implements [Model].
func (m *classicModel) Predict(ctx context.Context, bags []mil.Instances, instances bool) ([]mil.Prediction, error) {
	if err := m.card.Check(bags); err != nil {
		return nil, err
	}
	if instances {
		if p, err := learner.Predict(m.fitted, m.zero(), true); err == nil && p.Instances == nil {
			return nil, fmt.Errorf("%s has %w; these learners have some: %s", m.entry.Name, ErrNoInstances, strings.Join(InstanceScorers(), ", "))
		}
	}
	if err := m.tooLarge(bags, instances); err != nil {
		return nil, err
	}
	all, errs := make([]mil.Prediction, len(bags)), make([]error, len(bags))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(bags)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(bags) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				all[i], errs[i] = learner.Predict(m.fitted, bags[i], instances)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		workers.Wait()
		close(done)
	}()
	select { // a bag may take long; if the call is stopped, its worker ends after the bag
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-done:
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, err := range errs {
		if err != nil {
			return nil, &modeldir.BagError{Bag: i, Err: err}
		}
	}
	return all, nil
}

// InstanceScorers returns the names of the classical learners that score instances.
func InstanceScorers() (names []string) {
	for _, e := range Classic() {
		if e.Model == nil {
			continue
		}
		if _, is := e.Model().(learner.InstanceScorer); is {
			names = append(names, e.Name)
		}
	}
	return names
}
