// Package predict applies a trained model to bags and formats the output of milbench predict.
package predict

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench/calibrate"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// WithID replaces the bag number in a model's error by the id of the bag in the set.
func WithID(set *mil.Set, err error) error {
	if bad := (*modeldir.BagError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("bag %s: %w", set.Bags[bad.Bag].ID, bad.Err)
	}
	return err
}

// Fits returns an error if a model cannot score the bags of a set.
func Fits(model learners.About, modelName string, set *mil.Set, setName string) error {
	if have, want := set.NumFeatures(), model.NumFeatures; have != want {
		hint := "give it the columns that the model was trained on"
		if have == want+1 {
			hint += "; if one of them holds instance labels, name it with --instance-label-column"
		}
		return fmt.Errorf("%s has %d features, the model %s has %d; %s", setName, have, modelName, want, hint)
	}
	want := model.Features
	for i, name := range set.Features {
		if want != nil && name != want[i] {
			return fmt.Errorf("%s: feature %d is %q, of the model %s it is %q; put the columns in the order that it was trained on", setName, i+1, name, modelName, want[i])
		}
	}
	if !slices.Equal(model.Centre, set.Centre) {
		return fmt.Errorf("%s: its features were rounded with another centre than those of the model %s; read it from a file, or give the set the Centre of the model", setName, modelName)
	}
	return nil
}

// Bag is the printed output of a model for a bag.
type Bag struct {
	Bag string `json:"bag"`

	// Depending on the target: the score for a binary one, scores by class, the value for a real one, and the
	// logarithm of the risk for survival.
	Score  *float64           `json:"score,omitempty"`
	Scores map[string]float64 `json:"scores,omitempty"`
	Value  *float64           `json:"value,omitempty"`
	Risk   *float64           `json:"risk,omitempty"`

	Survival *mil.Survival `json:"survival,omitempty"` // for survival, from models that predict curves
	Median   *float64      `json:"median,omitempty"`   // [mil.Survival.Median], if known

	Probability   *float64           `json:"probability,omitempty"`   // of the positive class; nil if the score is not a logit, unless it is calibrated
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // likewise for several classes
	Calibration   string             `json:"calibration,omitempty"`   // method, or "none"; for targets with classes
	Class         string             `json:"class,omitempty"`         // if the training labels are words
	Level         float64            `json:"level,omitempty"`         // of Set, or of Low and High; 0 without conformal sets
	Set           []string           `json:"set,omitzero"`            // classes; nil without conformal sets, but a set can be empty
	PValues       map[string]float64 `json:"p_values,omitempty"`      // of each class
	Low           *float64           `json:"low,omitempty"`           // interval of a number
	High          *float64           `json:"high,omitempty"`
	Winners       []int              `json:"winners,omitempty"` // nil without attention
	Tile          float64            `json:"tile,omitempty"`    // [mil.Bag.Tile] of instances with positions
	Instances     []Instance         `json:"instances,omitempty"`

	scores []float64 // as returned by the model
}

// String returns the bag and what the model says of it in one line.
func (b Bag) String() string {
	text := b.Bag + ":"
	say := func(format string, values ...any) { text += fmt.Sprintf(" "+format+",", values...) }
	for _, one := range []struct {
		name  string
		value *float64
	}{{"score", b.Score}, {"value", b.Value}, {"risk", b.Risk}, {"median", b.Median}, {"probability", b.Probability}} {
		if one.value != nil {
			say("%s %.4g", one.name, *one.value)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(b.Scores)) {
		if p, known := b.Probabilities[class]; known {
			say("%s with probability %.4g", class, p)
		} else {
			say("%s with score %.4g", class, b.Scores[class])
		}
	}
	if b.Class != "" {
		say("class %s", b.Class)
	}
	if b.Set != nil {
		say("set {%s}", strings.Join(b.Set, ", "))
	}
	if b.Low != nil {
		say("%.4g to %.4g", *b.Low, *b.High)
	}
	if b.Winners != nil {
		say("instances with the largest weights %v", b.Winners)
	}
	return strings.TrimRight(text, ",:")
}

// setScores sets the fields that hold the scores for the kind of target.
func (b *Bag) setScores(about learners.About) {
	switch about.Target {
	case mil.BinaryTarget:
		b.Score = &b.scores[0]
	case mil.ClassTarget:
		b.Scores = byClass(about.Classes, b.scores)
	case mil.RealTarget:
		b.Value = &b.scores[0]
	case mil.SurvivalTarget:
		b.Risk = &b.scores[0]
	}
}

// byClass maps class names to values.
func byClass(classes []string, values []float64) map[string]float64 {
	all := make(map[string]float64)
	for i, name := range classes {
		all[name] = values[i]
	}
	return all
}

// Instance is the printed output of a model for an instance.
type Instance struct {
	Instance int       `json:"instance"`
	Weight   float64   `json:"weight"` // for a network, averaged over the heads
	Heads    []float64 `json:"heads"`
	Score    *float64  `json:"score"` // for other models, instead of a weight

	// Scores has, for a target of classes, how strongly the instance speaks for each class; see
	// [mil.Prediction.ClassInstances].
	Scores map[string]float64 `json:"scores"`

	X, Y *float64 // position, if the file has it

	// PValue is the conformal p-value against instances of negative bags, and Discovery whether the instance is selected at the
	// false discovery rate; see [Discover]. Both are nil otherwise.
	PValue    *float64
	Discovery *bool
}

// MarshalJSON implements [json.Marshaler]. It leaves out what the model does not provide.
func (w Instance) MarshalJSON() ([]byte, error) {
	weight := &w.Weight
	if w.Score != nil {
		weight = nil
	}
	return json.Marshal(struct {
		Instance int                `json:"instance"`
		X        *float64           `json:"x,omitempty"`
		Y        *float64           `json:"y,omitempty"`
		Score    *float64           `json:"score,omitempty"`
		Weight   *float64           `json:"weight,omitempty"`
		Heads    []float64          `json:"heads,omitempty"`
		Scores   map[string]float64 `json:"scores,omitempty"`
		PValue   *float64           `json:"p_value,omitempty"`
		Found    *bool              `json:"discovery,omitempty"`
	}{w.Instance, w.X, w.Y, w.Score, weight, w.Heads, w.Scores, w.PValue, w.Discovery})
}

// Bags returns the output of a model for the bags of a set. Probabilities, sets and intervals use l, or none if it is nil.
// With instances it includes the scores of instances, and returns [learners.ErrNoInstances] if the model has none.
func Bags(ctx context.Context, model learners.Model, set *mil.Set, l *calibrate.Learnt, instances bool) ([]Bag, error) {
	rows := make([]Bag, len(set.Bags))
	about := model.About()
	var endless error
	predictions, err := model.Predict(ctx, set.Instances(), instances)
	if err != nil {
		return nil, WithID(set, err)
	}
	for i, p := range predictions {
		rows[i] = Bag{Bag: set.Bags[i].ID, Winners: p.Winners, Survival: p.Survival, scores: p.Scores}
		if p.Survival != nil {
			if t, known := p.Survival.Median(); known {
				rows[i].Median = &t
			}
		}
		rows[i].setScores(about)
		if k := slices.IndexFunc(p.Scores, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat32) }); k >= 0 && endless == nil {
			endless = fmt.Errorf("bag %s: the model's score is %v; its parameters are too large for these values: train it again", set.Bags[i].ID, p.Scores[k])
		}
		if instances {
			rows[i].Instances = instancesOf(p, about.Classes)
		}
	}
	if err := cmp.Or(endless, locate(rows, set)); err != nil {
		return nil, err
	}
	return rows, cmp.Or(setProbabilities(rows, about, l), setConformal(rows, about, l))
}

// locate sets the positions of the instances in rows.
func locate(rows []Bag, set *mil.Set) error {
	for i, r := range rows {
		coordinates := set.Bags[i].Coordinates
		if coordinates == nil || len(r.Instances) == 0 {
			continue
		}
		all, err := coordinates()
		if err != nil {
			return err
		}
		rows[i].Tile = set.Bags[i].Tile
		for k := range r.Instances {
			r.Instances[k].X, r.Instances[k].Y = &all[k][0], &all[k][1]
		}
	}
	return nil
}

// instancesOf returns the output for the instances of a bag: weights if there are any, otherwise scores; and the scores of each class.
func instancesOf(p mil.Prediction, classes []string) (all []Instance) {
	for k := range p.Instances {
		one := Instance{Instance: k}
		if p.Weights == nil {
			one.Score = &p.Instances[k]
		} else {
			one.Weight = p.Instances[k]
			for _, head := range p.Weights {
				one.Heads = append(one.Heads, head[k])
			}
		}
		if p.ClassInstances != nil {
			one.Scores = make(map[string]float64)
			for c, name := range classes {
				one.Scores[name] = p.ClassInstances[c][k]
			}
		}
		all = append(all, one)
	}
	return all
}

// columnOf is a column of a table with a row for each T.
type columnOf[T any] struct {
	name string
	of   func(T) string
}

// write writes a table as CSV.
func write[T any](w io.Writer, columns []columnOf[T], rows iter.Seq[T]) error {
	out := csv.NewWriter(w)
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.name
	}
	out.Write(record)
	for r := range rows {
		for i, c := range columns {
			record[i] = c.of(r)
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// optional formats a number, or returns "" if there is none.
func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return Decimal(*v)
}

// Write writes a table of bags as CSV, with the columns for the kind of target.
func Write(w io.Writer, about learners.About, rows []Bag) error {
	type column = columnOf[Bag]
	class := column{"class", func(r Bag) string { return r.Class }}
	winners := column{"winners", func(r Bag) string { return strings.Trim(fmt.Sprint(r.Winners), "[]") }}
	calibration := column{"calibration", func(r Bag) string { return r.Calibration }}
	var sets []column
	if rows[0].Set != nil {
		sets = []column{{"set", func(r Bag) string { return strings.Join(r.Set, "|") }}}
	}
	columns := []column{{"bag", func(r Bag) string { return r.Bag }}}
	switch about.Target {
	case mil.BinaryTarget:
		columns = append(columns, column{"score", func(r Bag) string { return optional(r.Score) }},
			column{"probability", func(r Bag) string { return optional(r.Probability) }}, winners)
		if about.Classes != nil {
			columns = append(columns, class)
		}
		columns = append(columns, calibration)
		columns = append(columns, sets...)
	case mil.ClassTarget:
		columns = append(columns, class)
		for _, name := range about.Classes {
			columns = append(columns, column{"score_" + name, func(r Bag) string { return Decimal(r.Scores[name]) }})
		}
		for _, name := range about.Classes {
			columns = append(columns, column{"probability_" + name, func(r Bag) string {
				if r.Probabilities == nil {
					return ""
				}
				return Decimal(r.Probabilities[name])
			}})
		}
		columns = append(columns, winners, calibration)
		columns = append(columns, sets...)
	case mil.RealTarget:
		columns = append(columns, column{"value", func(r Bag) string { return optional(r.Value) }})
		if rows[0].Low != nil {
			columns = append(columns, column{"low", func(r Bag) string { return optional(r.Low) }}, column{"high", func(r Bag) string { return optional(r.High) }})
		}
		columns = append(columns, winners)
	case mil.SurvivalTarget:
		columns = append(columns, column{"risk", func(r Bag) string { return optional(r.Risk) }})
		if curve := rows[0].Survival; curve != nil {
			columns = append(columns, column{"median", func(r Bag) string { return optional(r.Median) }})
			for k, t := range curve.Times {
				columns = append(columns, column{"alive_after_" + Decimal(t), func(r Bag) string { return Decimal(r.Survival.Alive[k]) }})
			}
		}
		columns = append(columns, winners)
	}
	return write(w, columns, slices.Values(rows))
}

// WriteInstances writes a table of instances as CSV. For a target of classes there is one score column per class.
func WriteInstances(w io.Writer, about learners.About, rows []Bag) error {
	type line struct {
		bag *Bag
		Instance
	}
	type column = columnOf[line]
	first := rows[0].Instances[0]
	columns := []column{{"bag", func(l line) string { return l.bag.Bag }}, {"instance", func(l line) string { return strconv.Itoa(l.Instance.Instance) }}}
	if slices.ContainsFunc(rows, func(r Bag) bool { return r.Instances[0].X != nil }) {
		columns = append(columns, column{"x", func(l line) string { return optional(l.X) }}, column{"y", func(l line) string { return optional(l.Y) }})
	}
	if slices.ContainsFunc(rows, func(r Bag) bool { return r.Tile > 0 }) {
		columns = append(columns, column{"tile", func(l line) string {
			if l.bag.Tile > 0 {
				return Decimal(l.bag.Tile)
			}
			return ""
		}})
	}
	if first.Score != nil {
		columns = append(columns, column{"score", func(l line) string { return optional(l.Score) }})
	} else {
		columns = append(columns, column{"weight", func(l line) string { return Decimal(l.Weight) }})
	}
	for h := range first.Heads {
		columns = append(columns, column{fmt.Sprintf("weight_%d", h+1), func(l line) string { return Decimal(l.Heads[h]) }})
	}
	if first.Scores != nil {
		for _, name := range about.Classes {
			columns = append(columns, column{"score_" + name, func(l line) string { return Decimal(l.Scores[name]) }})
		}
	}
	if first.Discovery != nil {
		columns = append(columns, column{"p_value", func(l line) string { return optional(l.PValue) }},
			column{"discovery", func(l line) string { return map[bool]string{true: "1", false: "0"}[*l.Discovery] }})
	}
	return write(w, columns, func(yield func(line) bool) {
		for i := range rows {
			for _, instance := range rows[i].Instances {
				if !yield(line{&rows[i], instance}) {
					return
				}
			}
		}
	})
}

// Decimal formats a number with the precision of networks, float32.
func Decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 32) }

// Calibration returns the calibration on the card of the model in dir. It returns nil if there is none.
func Calibration(dir string, card *modeldir.Card) (*calibrate.Learnt, error) {
	var l calibrate.Learnt
	found, err := card.LoadCalibration(&l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if !found {
		return nil, nil
	}
	return &l, nil
}

// setProbabilities sets the probabilities of bags and, if the classes have names, the predicted classes.
func setProbabilities(rows []Bag, about learners.About, l *calibrate.Learnt) error {
	if about.Target != mil.BinaryTarget && about.Target != mil.ClassTarget {
		return nil
	}
	for i := range rows {
		r := &rows[i]
		r.Calibration = "none"
		var all []float64
		switch {
		case l != nil && l.Calibration != nil:
			var err error
			if all, err = l.Calibration.Probabilities(r.scores); err != nil {
				return fmt.Errorf("bag %s: %w", r.Bag, err)
			}
			r.Calibration = string(l.Calibration.Method)
		case about.Logits:
			all = calibrate.Uncalibrated(r.scores)
		}
		if about.Target == mil.ClassTarget {
			by := r.scores
			if all != nil {
				r.Probabilities, by = byClass(about.Classes, all), all
			}
			r.Class = about.Classes[slices.Index(by, slices.Max(by))]
			continue
		}
		positive := r.scores[0] > 0
		if all != nil {
			r.Probability = &all[0]
		}
		if l != nil && l.Calibration != nil {
			positive = all[0] > 0.5
		}
		if len(about.Classes) == 2 {
			r.Class = about.Classes[0]
			if positive {
				r.Class = about.Classes[1]
			}
		}
	}
	return nil
}

// setConformal sets the sets or the intervals of bags.
func setConformal(rows []Bag, about learners.About, l *calibrate.Learnt) error {
	if l == nil || l.Conformal == nil {
		return nil
	}
	c, names := l.Conformal, about.Classes
	if about.Target == mil.BinaryTarget && names == nil {
		names = []string{"0", "1"}
	}
	if c.Classes != len(names) {
		return fmt.Errorf("conformal sets of %d classes for a model of %d; train it again", c.Classes, len(names))
	}
	q := c.HalfWidth()
	for i := range rows {
		r := &rows[i]
		r.Level = c.Level
		if c.Classes == 0 {
			low, high := *r.Value-q, *r.Value+q
			r.Low, r.High = &low, &high
			continue
		}
		p, err := c.PValues(r.scores)
		if err != nil {
			return fmt.Errorf("bag %s: %w", r.Bag, err)
		}
		set, err := c.Set(r.scores)
		if err != nil {
			return fmt.Errorf("bag %s: %w", r.Bag, err)
		}
		r.PValues, r.Set = byClass(names, p), []string{}
		for _, k := range set {
			r.Set = append(r.Set, names[k])
		}
	}
	return nil
}

// ConformalNote says what the sets or intervals of a model are. It returns "" if it has none.
func ConformalNote(l *calibrate.Learnt) string {
	if l == nil || l.Conformal == nil {
		return ""
	}
	return fmt.Sprintf("%v; about %g %% of new bags have their target inside, if they are drawn like those of training", l.Conformal, 100*l.Conformal.Level)
}

// CalibrationNote says whether and how the probabilities of a model are calibrated. It returns "" for targets without
// probabilities.
func CalibrationNote(about learners.About, l *calibrate.Learnt) string {
	switch {
	case about.Target != mil.BinaryTarget && about.Target != mil.ClassTarget:
		return ""
	case l != nil && l.Calibration != nil:
		return fmt.Sprintf("probabilities are calibrated by %s, learnt from %d held-out bags: ECE %.3f there, of a perfect model %.3f",
			l.Calibration.Method, l.Calibration.Bags, l.After.ECE, l.After.Chance)
	case about.Target == mil.ClassTarget && about.Logits:
		return "not calibrated: the probabilities are the softmax of the scores; milbench train --calibrate learns them from held-out bags"
	case about.Logits:
		return "not calibrated: the probability is 1/(1+exp(-score)); milbench train --calibrate learns one from held-out bags"
	}
	return fmt.Sprintf("not calibrated, and the score of %s is no logit: there is no probability; milbench train --calibrate learns one from held-out bags",
		learner.Name(about.Setting))
}
