// Package export writes trained models as ONNX and reads them back.
//
// [ONNX] returns one graph with everything that a model does to a bag: missing values, words, scaling, the model, and its
// probabilities. [Load] reads such a file as a model, which it evaluates in Go.
//
// # Inputs
//
// "instances" is float32 [instances, columns], or float64 for a model whose features have a centre ([mil.Set.Centre]); columns
// are listed, in order, as JSON in the metadata "columns". NaN is a missing value in columns that had some in training; elsewhere it makes
// the score NaN. A column of words is an input of its own,
// "words.NAME", strings [instances]; the empty cell is the word "missing".
//
// For several bags at once, all inputs have a first axis for the bags, and "mask", booleans [bags, instances], is false for
// padding.
//
// # Outputs
//
// All are float64, and have the bags as a first axis for several bags:
//
//	score           [outputs]              as [mil.Prediction.Scores]: one, or one per class
//	probability     [1] or [classes]       of the positive class, or of each class, calibrated if the model is
//	weights         [heads, instances]     of a network's pooling
//	instance_score  [instances]            how much an instance counts, as milbench predict --instances prints it; NaN where
//	                                       that takes a prediction for each instance and the bag has more than 2,000
//	class_instance_score [classes, instances]  likewise, for each class
//	alive           [times]                survival curve at the times in the metadata "times"
//
// Those that a model does not have are not there.
package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/onnx"
	"synpool/milbench/calibrate"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// Names of inputs, outputs and metadata.
const (
	instancesName = "instances"
	maskName      = "mask"
	wordsPrefix   = "words."

	scoreName       = "score"
	probabilityName = "probability"
	weightsName     = "weights"
	instanceName    = "instance_score"
	classesName     = "class_instance_score"
	aliveName       = "alive"

	cardKey     = "milbench.card"
	aboutKey    = "milbench.about"
	checksumKey = "milbench.constants" // SHA-256 of the constants
)

// bagsExporter is a model that exports several bags at once.
type bagsExporter interface {
	ExportBags(g *onnx.Graph, x, mask string) (learner.Exported, error)
}

// about is the description of a model in the metadata.
type about struct {
	Setting json.RawMessage `json:"setting"`
	Logits  bool            `json:"logits"`
	Times   []float64       `json:"times,omitempty"`
	Batch   bool            `json:"batch,omitempty"`
}

// ONNX returns a model as ONNX, for one bag or, with batch, for several at once. l is its calibration, or nil. An error says why the
// model cannot be written: earth mover's distances, or a network with an operation that has no counterpart.
func ONNX(m learners.Model, l *calibrate.Learnt, batch bool) (*onnx.Model, error) {
	e, can := m.(learner.Exporter)
	if !can {
		return nil, learner.ErrNoExport
	}
	card, is := m.Card(), m.About()
	columns := columnsOf(card)
	if len(columns.numbers) == 0 {
		return nil, errors.New("all columns are words; a model without a column of numbers cannot be written")
	}
	g := &onnx.Graph{Name: "milbench"}
	kind := onnx.Float
	if card.Centre != nil {
		kind = onnx.Double
	}
	dims := []string{"instances"}
	if batch {
		dims = []string{"bags", "instances"}
	}
	in := map[string]string{instancesName: g.Input(instancesName, kind, append(slices.Clone(dims), strconv.Itoa(len(columns.numbers)))...)}
	for _, w := range columns.words {
		in[w.name] = g.Input(wordsPrefix+w.name, onnx.String, dims...)
	}
	mask := ""
	if batch {
		mask = g.Input(maskName, onnx.Bool, dims...)
	}
	x := columns.export(g, in)
	out, err := exported(g, e, x, mask)
	if err != nil {
		return nil, err
	}
	out.Scores = g.Op("Add", out.Scores, poison(g, x, mask))
	shape := func(dims ...string) []string {
		if batch {
			return append([]string{"bags"}, dims...)
		}
		return dims
	}
	outputs := strconv.Itoa(width(card))
	g.Output(scoreName, out.Scores, onnx.Double, shape(outputs)...)
	if p := probability(g, is, l, out.Scores, batch); p != "" {
		g.Output(probabilityName, p, onnx.Double, shape(outputs)...)
	}
	if out.Weights != "" {
		g.Output(weightsName, out.Weights, onnx.Double, shape("heads", "instances")...)
	}
	if out.Instances != "" {
		g.Output(instanceName, out.Instances, onnx.Double, shape("instances")...)
	}
	if out.ClassInstances != "" && card.Target == mil.ClassTarget {
		g.Output(classesName, out.ClassInstances, onnx.Double, shape(outputs, "instances")...)
	}
	if out.Alive != "" {
		g.Output(aliveName, out.Alive, onnx.Double, shape(strconv.Itoa(len(out.Times)))...)
	}
	g.Prune()
	model := &onnx.Model{Producer: "milbench", Graph: g, Doc: doc(card, is)}
	if card.Facts != nil {
		model.Version = card.Facts.Version
	}
	alone := *card // without the files of a folder
	alone.Sum, alone.Parameters, alone.Files = "", "", nil
	sum, err := constants(g)
	if err != nil {
		return nil, err
	}
	for _, entry := range []struct {
		key   string
		value any
	}{
		{"columns", columns.names()}, {"classes", card.Classes}, {"times", out.Times},
		{cardKey, alone}, {aboutKey, about{is.Setting, is.Logits, out.Times, batch}}, {checksumKey, sum},
	} {
		text, err := json.Marshal(entry.value)
		if err != nil {
			return nil, err
		}
		if string(text) != "null" {
			model.Metadata = append(model.Metadata, onnx.Entry{Key: entry.key, Value: string(text)})
		}
	}
	return model, nil
}

// doc describes the model in a line.
func doc(card *modeldir.Card, is learners.About) string {
	return fmt.Sprintf("%s, trained on %s (target: %v)", learner.Name(is.Setting), card.Set, card.Target)
}

// width returns the number of scores of a bag.
func width(card *modeldir.Card) int {
	if card.Target == mil.ClassTarget {
		return len(card.Classes)
	}
	return 1
}

// constants returns the SHA-256 of the constants of a graph.
func constants(g *onnx.Graph) (string, error) {
	h := sha256.New()
	if err := g.WriteConstants(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// exported adds the model, for one bag without a mask. A model that takes one bag is repeated in a loop over bags.
func exported(g *onnx.Graph, e learner.Exporter, x, mask string) (out learner.Exported, err error) {
	if mask == "" {
		return e.Export(g, x)
	}
	if b, can := e.(bagsExporter); can {
		return b.ExportBags(g, x, mask)
	}
	zero := g.Const(onnx.Scalar(int64(0)))
	var kept []*string
	all, err := g.Each(g.Op("Gather", g.Op("Shape", mask), zero), func(body *onnx.Graph, bag string) (values []string, err error) {
		there := body.Op("Gather", mask, bag)
		part, err := e.Export(body, body.Along("Compress", 0, body.Op("Gather", x, bag), there))
		if err != nil {
			return nil, err
		}
		out.Times = part.Times
		// Where the instances of the bag stand among all places, and 0 at padding.
		counted := body.Op("CumSum", body.Cast(there, onnx.Int64), zero)
		place := body.Op("Max", body.Op("Sub", counted, g.Const(onnx.Scalar(int64(1)))), zero)
		for _, v := range []struct {
			to     *string
			from   string
			perBag bool
		}{{&out.Scores, part.Scores, true}, {&out.Weights, part.Weights, false}, {&out.Instances, part.Instances, false},
			{&out.ClassInstances, part.ClassInstances, false}, {&out.Alive, part.Alive, true}} {
			if v.from == "" {
				continue
			}
			if !v.perBag {
				v.from = body.Op("Where", there, body.Along("Gather", -1, v.from, place), g.Double(0))
			}
			kept, values = append(kept, v.to), append(values, v.from)
		}
		return values, nil
	})
	for k, name := range all {
		*kept[k] = name
	}
	return out, err
}

// poison adds 0, or NaN if a value of a bag is NaN or infinite: missing where training had no missing values. Comparisons with NaN, as in trees, would
// give a score without a warning.
func poison(g *onnx.Graph, x, mask string) string {
	axes := []int64{0, 1}
	if mask != "" {
		x = g.Op("Where", g.Op("Unsqueeze", mask, g.Ints(-1)), x, g.Double(0))
		axes = []int64{1, 2}
	}
	none := g.Reduce("ReduceSum", g.Op("Mul", x, g.Double(0)), false, axes...)
	if mask != "" {
		none = g.Op("Unsqueeze", none, g.Ints(-1))
	}
	return none
}

// probability adds the probabilities of scores, or returns "" if the model has none.
func probability(g *onnx.Graph, is learners.About, l *calibrate.Learnt, scores string, batch bool) string {
	if l != nil && l.Calibration == nil { // there may be conformal sets, which are no part of the graph
		l = nil
	}
	classes := max(2, len(is.Classes))
	of := func(g *onnx.Graph, scores string) string { return calibrate.ExportUncalibrated(g, scores, classes) }
	switch {
	case is.Target != mil.BinaryTarget && is.Target != mil.ClassTarget, l == nil && !is.Logits:
		return ""
	case l != nil:
		of = l.Calibration.Export
	}
	if !batch {
		return of(g, scores)
	}
	bags := g.Op("Gather", g.Op("Shape", scores), g.Const(onnx.Scalar(int64(0))))
	each, _ := g.Each(bags, func(body *onnx.Graph, bag string) ([]string, error) {
		return []string{of(body, body.Op("Gather", scores, bag))}, nil
	})
	return each[0]
}

// columns are the columns of a table that the features of a model are made of.
type columns struct {
	card    *modeldir.Card
	numbers []int  // features that are columns of numbers
	words   []word // columns of words
}

// word is a column of words.
type word struct {
	name     string
	texts    []string
	features []int // that mark each text
}

// columnsOf returns the columns of the features of a model.
func columnsOf(card *modeldir.Card) (c columns) {
	c.card = card
	made := map[int]bool{}
	for _, m := range card.Missing {
		made[m.Indicator] = true
	}
	for _, j := range card.Words {
		if j >= len(card.Features) {
			continue
		}
		column, text, is := strings.Cut(card.Features[j], "=")
		if !is {
			continue
		}
		made[j] = true
		k := slices.IndexFunc(c.words, func(w word) bool { return w.name == column })
		if k < 0 {
			k = len(c.words)
			c.words = append(c.words, word{name: column})
		}
		c.words[k].texts, c.words[k].features = append(c.words[k].texts, text), append(c.words[k].features, j)
	}
	for j := range card.NumFeatures {
		if !made[j] {
			c.numbers = append(c.numbers, j)
		}
	}
	return c
}

// names returns the names of the columns of numbers, or nil if they have none.
func (c columns) names() (names []string) {
	for _, j := range c.numbers {
		if c.card.Features != nil {
			names = append(names, c.card.Features[j])
		}
	}
	return names
}

// export adds the features [..., features] of the columns in, by name.
func (c columns) export(g *onnx.Graph, in map[string]string) string {
	raw := g.Cast(in[instancesName], onnx.Double)
	if c.card.Centre != nil {
		centre := make([]float64, len(c.numbers))
		for k, j := range c.numbers {
			centre[k] = c.card.Centre[j]
		}
		raw = g.Cast(g.Cast(g.Op("Sub", raw, g.Doubles(centre, len(centre))), onnx.Float), onnx.Double)
	}
	order := slices.Clone(c.numbers) // the feature of each column so far
	parts := []string{raw}
	if len(c.card.Missing) > 0 {
		values, replaces := make([]float64, len(c.numbers)), make([]bool, len(c.numbers))
		var at []int64
		for _, m := range c.card.Missing {
			k := slices.Index(c.numbers, m.Feature)
			values[k], replaces[k] = float64(m.Value), true
			at, order = append(at, int64(k)), append(order, m.Indicator)
		}
		none := g.Op("IsNaN", raw)
		filled := g.Op("Where", g.Op("And", none, g.Const(onnx.Vector(replaces...))), g.Doubles(values, len(values)), raw)
		parts = []string{filled, g.Along("Gather", -1, g.Cast(none, onnx.Double), g.Ints(at...))}
	}
	for _, w := range c.words {
		hot := g.Add(onnx.ML, "OneHotEncoder", 1, []string{in[w.name]}, onnx.Attribute{Name: "cats_strings", Value: w.texts}, onnx.Attribute{Name: "zeros", Value: int64(1)})[0]
		parts, order = append(parts, g.Cast(hot, onnx.Double)), append(order, w.features...)
	}
	x := parts[0]
	if len(parts) > 1 {
		x = g.Along("Concat", -1, parts...)
	}
	if slices.IsSorted(order) {
		return x
	}
	places := make([]int64, len(order))
	for at, j := range order {
		places[j] = int64(at)
	}
	return g.Along("Gather", -1, x, g.Ints(places...))
}
