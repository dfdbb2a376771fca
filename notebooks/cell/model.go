package cell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/disk"
	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/cv"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/plotting"
)

// Model is a model trained on a set, or read from a folder. It is trained when it is first needed, and kept for
// later cells.
type Model struct {
	name    string
	bags    *Bags // what it learns from, nil for a model that was read
	learner Learner
	load    func() (*milbench.Model, error) // after training it if necessary
}

// Train returns a model of a learner, trained on all of bags or, if they have an official split, on its training part: it
// prints so.
func Train(bags *Bags, l Learner) *Model {
	m := newModel(l.String(), func() (string, error) { return train(bags, l, "") })
	m.bags, m.learner = bags, l
	return m
}

// Load returns the model in a folder written by milbench train or Save.
func Load(dir string) *Model {
	return newModel(dir, func() (string, error) { return dir, nil })
}

// newModel returns the model in the folder that dir returns.
func newModel(name string, dir func() (string, error)) *Model {
	return &Model{name: name, load: sync.OnceValues(func() (*milbench.Model, error) {
		from, err := dir()
		if err != nil {
			return nil, err
		}
		loaded, err := milbench.Load(from, machine)
		if err == nil {
			loaded.Name = name
		}
		return loaded, err
	})}
}

// Calibrate returns the model with probabilities that are learnt from held-out bags: among bags of probability 0.8, about 8
// in 10 should be positive. The method is "temperature", "platt" or "isotonic". Platt needs few bags and suits every learner;
// package calibrate describes all three. The learner is trained up to five times more, each time without some of the bags.
func (m *Model) Calibrate(method string) *Model {
	if m.bags == nil {
		Check(fmt.Errorf("%s: the bags that it learnt from are not known; calibrate a model of Train", m.name))
	}
	way, err := calibrate.ParseMethod(method)
	if err != nil {
		Check(fmt.Errorf("Calibrate: %w", err))
	}
	calibrated := newModel(fmt.Sprintf("%s, calibrated by %s", m.learner, way), func() (string, error) { return train(m.bags, m.learner, way) })
	calibrated.bags, calibrated.learner = m.bags, m.learner
	return calibrated
}

// Calibration returns what [Model.Calibrate] has learnt, with the Brier score, log-loss and calibration error of the held-out
// bags before and after; nil for a model without calibration. [Show] draws it as a reliability diagram.
func (m *Model) Calibration() *calibrate.Learnt {
	return Must(Must(m.load()).Calibration())
}

// trainingSeed determines everything random in a training, as in milbench train.
const trainingSeed = 1

// train trains a model, with probabilities learnt by a method unless that is "", and returns its folder.
func train(bags *Bags, l Learner, method calibrate.Method) (string, error) {
	o, err := bags.read()
	if err != nil {
		return "", err
	}
	setting, err := l.setting()
	if err == nil {
		setting, err = cv.CanonicalSetting(setting)
	}
	if err != nil {
		return "", err
	}
	from := []any{o.identity(), setting, trainingSeed}
	if method != "" {
		from = append(from, method)
	}
	folder, err := place("models", from...)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(folder, "model")
	if _, _, err := modeldir.Inspect(dir); err == nil { // a killed Save leaves none
		return dir, nil
	}
	bar := newBar()
	model, err := milbench.Train(interrupted(), o.set, milbench.Training{Setting: setting, Seed: trainingSeed, Calibrate: method,
		Note: func(text string) { fmt.Println("note: " + spoken(text)) }, Progress: bar.training, Folds: bar.folds}, machine)
	bar.end(err == nil)
	switch {
	case errors.Is(err, context.Canceled):
		return "", errors.New("stopped; no model was kept")
	case err != nil:
		return "", err
	}
	if err := tagged(folder); err != nil {
		return "", err
	}
	return dir, model.Save(dir)
}

// on returns the model, after training it if necessary, and bags in the form that it requires.
func (m *Model) on(bags *Bags) (*milbench.Model, *mil.Set, error) {
	model, err := m.load()
	if err != nil {
		return nil, nil, err
	}
	set, err := bags.unseen(model)
	return model, set, err
}

// Learned returns the model, after training it if necessary.
func (m *Model) Learned() learners.Model { return Must(m.load()).Learned }

// About describes the model and its training data.
func (m *Model) About() learners.About { return m.Learned().About() }

// Predictions are the predictions of a model for some bags. They are computed when they are first needed.
type Predictions struct{ do func() (*scored, error) }

// scored are bags with their scores.
type scored struct {
	*milbench.Predictions
	notes []string
}

// Predict returns predictions for bags, which need no labels.
func (m *Model) Predict(bags *Bags) *Predictions {
	return &Predictions{sync.OnceValues(func() (*scored, error) {
		model, set, err := m.on(bags)
		if err != nil {
			return nil, err
		}
		p, err := model.Predict(interrupted(), set)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", bags.name, err)
		}
		unlike, err := p.Unlike()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", bags.name, err)
		}
		said := &scored{Predictions: p}
		for _, note := range []string{leakNote(p.Leaked), unlike, p.Calibration, p.Conformal} {
			if note != "" {
				said.notes = append(said.notes, note)
			}
		}
		return said, nil
	})}
}

// Bags returns the prediction for each bag.
func (p *Predictions) Bags() []predict.Bag { return Must(p.do()).Predictions.Bags }

// leakNote marks a warning of a leak.
func leakNote(leaked string) string {
	if leaked != "" {
		return "LEAKED: " + leaked
	}
	return ""
}

// Explanation says how important each instance of a bag is for a model. It is computed when it is first needed.
type Explanation struct{ do func() (*explained, error) }

// explained is a bag with the scores of its instances.
type explained struct {
	bag      predict.Bag
	features []string // names of the features, or numbers from 1
	x        mil.Instances
	classes  []string  // set if the model has a score of each instance for each class
	truth    []float64 // labels of the instances; nil if nobody knows them
	title    string
	notes    []string
}

// Explain returns how important each instance of a bag is for a model: attention weights of a network, or instance scores;
// with several classes, also a score for each class.
func (m *Model) Explain(bag Bag) *Explanation {
	return &Explanation{sync.OnceValues(func() (*explained, error) { return m.explain(bag) })}
}

func (m *Model) explain(bag Bag) (*explained, error) {
	model, set, err := m.on(bag.of)
	if err != nil {
		return nil, err
	}
	at, err := bag.in(set)
	if err != nil {
		return nil, err
	}
	one := *set
	one.Bags = set.Bags[at : at+1]
	said, err := model.Explain(interrupted(), &one)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bag.of.name, err)
	}
	e := &explained{bag: said.Bags[0], x: one.Bags[0].Instances, features: set.Features, title: fmt.Sprintf("%s by %s", bag.id, m.name)}
	if said.Leaked != "" {
		e.notes = []string{leakNote(said.Leaked)}
	}
	if e.features == nil {
		for i := range set.NumFeatures() {
			e.features = append(e.features, strconv.Itoa(i+1))
		}
	}
	if said.About.Target == mil.ClassTarget {
		e.classes = said.About.Classes
	}
	if set.InstanceLabels != nil {
		e.truth = set.InstanceLabels[at]
	}
	return e, nil
}

// Weights returns the weight or score of each instance, in the order of the file.
func (e *Explanation) Weights() []float64 { return Must(e.do()).weights() }

// Shares returns the weights divided by their sum, which is not 1 after Syn steps. It ends the cell if the instances have
// scores instead of weights.
func (e *Explanation) Shares() []float64 {
	said := Must(e.do())
	if said.scored() {
		Check(fmt.Errorf("%s: scores have no shares; take Weights or Ranks", said.title))
	}
	return said.shares()
}

func (e *explained) shares() []float64 {
	shares := e.weights()
	if sum := floats.Sum(shares); sum > 0 {
		floats.Scale(1/sum, shares)
	}
	return shares
}

// scored reports whether instances have scores instead of weights.
func (e *explained) scored() bool {
	return len(e.bag.Instances) > 0 && e.bag.Instances[0].Score != nil
}

func (e *explained) weights() (all []float64) {
	for _, one := range e.bag.Instances {
		if one.Score != nil {
			all = append(all, *one.Score)
		} else {
			all = append(all, one.Weight)
		}
	}
	return all
}

// order returns the instances by weight or score, the largest first.
func (e *explained) order() []int {
	order, weights := make([]int, e.x.Len()), e.weights()
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	return order
}

// mostBars is the maximum number of instances in a figure.
const mostBars = 30

// Ranks returns the rank of each instance's weight or score in the bag, from 0 (smallest) to 1 (largest); ties get the mean
// rank.
func (e *Explanation) Ranks() []float64 { return predict.Ranks(e.Weights()) }

// Figure draws a heat map of the ranks of the instances if the file has their coordinates. Otherwise it draws the instances
// with the largest weights, as shares from 0 to 1, or with the largest scores.
func (e *Explanation) Figure() *plotting.Figure {
	said := Must(e.do())
	if said.placed() {
		return said.drawn("Instances of "+said.title, "rank in the bag", e.Ranks())
	}
	draw, values := plotting.AttentionBars, said.weights()
	if !said.scored() {
		draw, values = plotting.ShareBars, said.shares()
	}
	var names []string
	var drawn []float64
	for _, i := range said.order()[:min(mostBars, said.x.Len())] {
		names, drawn = append(names, strconv.Itoa(i)), append(drawn, values[i])
	}
	return Must(draw("Instances of "+said.title, plotting.WeightAxis{Of: "instance", Names: names}, []plotting.AttentionWeights{{Weights: drawn}}))
}

// placed reports whether the instances have positions.
func (e *explained) placed() bool { return len(e.bag.Instances) > 0 && e.bag.Instances[0].X != nil }

// drawn draws a value of each instance at its position.
func (e *explained) drawn(title, value string, values []float64) *plotting.Figure {
	var places [][2]float64
	for _, one := range e.bag.Instances {
		places = append(places, [2]float64{*one.X, *one.Y})
	}
	return tileMap(title, value, places, values, e.bag.Tile)
}

// figures are the figure and, for a heat map, that of the weights from 0 to the largest, as ranks of nearly equal weights look
// different, and the truth if it is known.
func (e *Explanation) figures() []any {
	said := Must(e.do())
	all := []any{e.Figure()}
	if !said.placed() {
		return all
	}
	weights := said.weights()
	if least, most := slices.Min(weights), slices.Max(weights); most > least {
		floats.AddConst(-min(0, least), weights)
		floats.Scale(1/(most-min(0, least)), weights)
		all = append(all, said.drawn("Weights of "+said.title, "share of the largest weight", weights))
	}
	if said.truth != nil {
		all = append(all, said.drawn("Truth of "+said.bag.Bag, "label of the instance", said.truth))
	}
	return all
}

// Save writes a model into a folder, predictions into a CSV file, and the table of a comparison or a figure into a file in
// the format of its extension.
func Save(what any, path string) {
	switch v := what.(type) {
	case *Model:
		Check(Must(v.load()).Save(path))
	case *Predictions:
		said := Must(v.do())
		Check(disk.Write(path, func(w io.Writer) error { return predict.Write(w, said.About, said.Predictions.Bags) }))
	case *Comparison:
		table, format := v.Table(), cmp.Or(strings.TrimPrefix(filepath.Ext(path), "."), "md")
		Check(disk.Write(path, func(w io.Writer) error { return table.Write(w, format) }))
	case *plotting.Figure:
		Check(v.Save(path))
	default:
		Check(fmt.Errorf("a %T cannot be saved; models, predictions, comparisons and figures can", what))
	}
	fmt.Println("saved in", path)
}

// table returns predictions as rows of cells, the header first.
func (s *scored) table() ([][]string, error) {
	var text bytes.Buffer
	if err := predict.Write(&text, s.About, s.Predictions.Bags); err != nil {
		return nil, err
	}
	return csv.NewReader(&text).ReadAll()
}
