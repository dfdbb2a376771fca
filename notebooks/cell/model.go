package cell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"synpool/backend"
	"synpool/milbench"
	"synpool/milbench/learner"
	"synpool/milbench/learner/modeldir"
	"synpool/milbench/learner/networks"
	"synpool/milbench/learner/neural"
	"synpool/milbench/predict"
	"synpool/plotting"
)

// Model is a model that is trained on all of some bags, or read from a folder. It is trained when it is first needed, and found again in later
// cells.
type Model struct {
	name string
	dir  func() (string, error) // where it is kept, trained if it is not there yet
	load func() (learner.Model, error)
}

// Train trains a learner on all of some bags.
func Train(bags *Bags, l Learner) *Model {
	return newModel(l.String(), func() (string, error) { return train(bags, l) })
}

// Load returns the model in a folder, such as milbench train or Save has written.
func Load(dir string) *Model {
	return newModel(dir, func() (string, error) { return dir, nil })
}

func newModel(name string, dir func() (string, error)) *Model {
	m := &Model{name: name, dir: sync.OnceValues(dir)}
	m.load = sync.OnceValues(func() (learner.Model, error) {
		dir, err := m.dir()
		if err != nil {
			return nil, err
		}
		return learner.Trainer{Networks: started()}.Load(dir)
	})
	return m
}

// started returns networks on a backend that starts when the first is needed, and trains one at a time.
func started() *networks.Networks {
	return &networks.Networks{Start: func() (neural.Trainer, error) {
		choice, err := backend.New()
		if err != nil {
			return neural.Trainer{}, err
		}
		return neural.Trainer{Backend: choice.Backend, Workers: 1}, nil
	}}
}

// train trains a model unless it is there, and returns where it is kept.
func train(bags *Bags, l Learner) (string, error) {
	o, err := bags.read()
	if err != nil {
		return "", err
	}
	setting, err := l.setting()
	if err != nil {
		return "", err
	}
	if _, _, err := networks.Able(o.set, []json.RawMessage{setting}); err != nil {
		return "", err
	}
	const seed = 1
	dir, err := place("models", o.set.Checksum, o.set.Leaked, setting, seed)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	bar := newBar()
	defer bar.end()
	model, err := learner.Trainer{Networks: started()}.Train(interrupted(), setting, o.set, seed, func(now learner.Progress) { bar.training(now) })
	switch {
	case errors.Is(err, context.Canceled):
		return "", errors.New("stopped; no model was kept")
	case err != nil:
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	return dir, model.Save(dir)
}

// Learned returns the model, trained if it has not been yet.
func (m *Model) Learned() learner.Model { return Must(m.load()) }

// About says what the model is and what it was trained on.
func (m *Model) About() learner.About { return m.Learned().About() }

// Predictions are what a model says of some bags.
type Predictions struct {
	Bags  []predict.Bag
	about learner.About
	note  string
}

// Predict scores bags, which need no labels.
func (m *Model) Predict(bags *Bags) *Predictions { return Must(m.predict(bags, false)) }

func (m *Model) predict(bags *Bags, instances bool) (*Predictions, error) {
	model, err := m.load()
	if err != nil {
		return nil, err
	}
	about := model.About()
	set, err := bags.unseen(about)
	if err != nil {
		return nil, err
	}
	return m.of(model, set, bags.name, instances)
}

// of scores a set that is read as the model wants it.
func (m *Model) of(model learner.Model, set *milbench.Set, name string, instances bool) (*Predictions, error) {
	about := model.About()
	if err := predict.Fits(about, m.name, set, name); err != nil {
		return nil, err
	}
	dir, err := m.dir()
	if err != nil {
		return nil, err
	}
	calibration, err := predict.Calibration(dir)
	if err != nil {
		return nil, err
	}
	scored, err := predict.Bags(interrupted(), model, set, calibration, instances)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Predictions{scored, about, predict.CalibrationNote(about, calibration)}, nil
}

// Explanation says which instances of a bag count.
type Explanation struct {
	Bag      predict.Bag
	Features []string    // their names, or their numbers from 1
	Rows     [][]float32 // of the instances, [instances][features]
	title    string
}

// Explain says which instances of a bag count for a model: the weights of a network's attention, or scores of instances.
func (m *Model) Explain(bag Bag) *Explanation { return Must(m.explain(bag)) }

func (m *Model) explain(bag Bag) (*Explanation, error) {
	model, err := m.load()
	if err != nil {
		return nil, err
	}
	set, err := bag.of.unseen(model.About())
	if err != nil {
		return nil, err
	}
	at, err := bag.in(set)
	if err != nil {
		return nil, err
	}
	one := *set
	one.Bags = set.Bags[at : at+1]
	scored, err := m.of(model, &one, bag.of.name, true)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Bag: scored.Bags[0], Features: set.Features, title: fmt.Sprintf("%s by %s", bag.id, m.name)}
	if e.Features == nil {
		for i := range set.NumFeatures() {
			e.Features = append(e.Features, strconv.Itoa(i+1))
		}
	}
	return e, milbench.EachRow(one.Bags[0].Instances, func(_ int, row []float32) { e.Rows = append(e.Rows, slices.Clone(row)) })
}

// Weight returns what instance i counts: its weight or its score.
func (e *Explanation) Weight(i int) float64 {
	if s := e.Bag.Instances[i].Score; s != nil {
		return *s
	}
	return e.Bag.Instances[i].Weight
}

// Order returns the instances, the one that counts most first.
func (e *Explanation) Order() []int {
	order := make([]int, len(e.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Weight(b), e.Weight(a)) })
	return order
}

// mostBars is how many instances a figure shows.
const mostBars = 30

// Figure draws what the instances that count most count.
func (e *Explanation) Figure() *plotting.Figure {
	var names []string
	var weights []float64
	least := math.Inf(1)
	for _, i := range e.Order()[:min(mostBars, len(e.Rows))] {
		names, weights, least = append(names, strconv.Itoa(i)), append(weights, e.Weight(i)), min(least, e.Weight(i))
	}
	if least < 0 { // scores, of which the order counts
		for k := range weights {
			weights[k] -= least
		}
	}
	return Must(plotting.AttentionBars("Instances of "+e.title, plotting.WeightAxis{Of: "instance", Names: names}, []plotting.AttentionWeights{{Weights: weights}}))
}

// Save writes a model into a folder, predictions into a CSV file, or a figure into a file whose extension says how.
func Save(what any, path string) {
	switch v := what.(type) {
	case *Model:
		Check(modeldir.CanSave(path))
		Check(v.Learned().Save(path))
	case *Predictions:
		var text bytes.Buffer
		Check(predict.Write(&text, v.about, v.Bags))
		Check(os.WriteFile(path, text.Bytes(), 0o666))
	case *Comparison:
		var text bytes.Buffer
		Check(v.Table().Write(&text, cmp.Or(strings.TrimPrefix(filepath.Ext(path), "."), "md")))
		Check(os.WriteFile(path, text.Bytes(), 0o666))
	case *plotting.Figure:
		Check(v.Save(path))
	default:
		Check(fmt.Errorf("a %T cannot be saved; models, predictions, comparisons and figures can", what))
	}
	fmt.Println("saved in", path)
}

// table returns predictions as rows of cells, the header first.
func (p *Predictions) table() ([][]string, error) {
	var text bytes.Buffer
	if err := predict.Write(&text, p.about, p.Bags); err != nil {
		return nil, err
	}
	return csv.NewReader(&text).ReadAll()
}
