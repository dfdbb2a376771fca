package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learner/modeldir"
	"synpool/milbench/learner/networks"
	"synpool/milbench/learner/neural"
)

// predict is the subcommand that scores bags with a trained model.
func (p *program) predict() *cobra.Command {
	var (
		bag            string
		column         columnValue
		instances      bool
		format         string
		asJSON         bool
		formats        = []string{"csv", "json"}
		usage          = "one of " + strings.Join(formats, ", ")
		coordinates    []string
		instancesUsage = "one row per instance, with its attention weights or its score"
	)
	c := &cobra.Command{
		Use:   "predict MODEL FILE|NAME",
		Short: "Score bags with a trained model, and say which instances won",
		Long: `Score bags with a trained model, and say which instances won.

Prints for each bag its score, the probability of positive, the winners, and how the probability is calibrated: temperature, platt or
isotonic if the model was trained with --calibrate, else none. A note says the same.

Without a calibration the probability is 1/(1+exp(-score)) where the score is a logit: of networks, auto, statistics-trees and instance. It is
often too near 0 or 1. The score of the other learners is a decision value, which ranks bags but is no logit: they have no probability
then, and the column is empty.

Of several classes it prints a score and a probability for each, and the class with the largest; of real targets the value; of survival the
logarithm of the risk, or of auto a number: the larger, the earlier the event. Networks that learn hazards (--loss hazards) add the curve of survival, the
probability that the bag lives after each of seven times, and the median: the first of them after which it lives with 1/2 at most, empty if
there is none.

Winners are, for each head of a network with attention, the instance with the largest
weight; of the instance classifier, that with the largest score. They are counted from 0 in the order of the file.

--instances prints for each instance of a network its weight, averaged over the heads, and that of each head. Where the file
says where instances are (dataset coords of HDF5, columns x and y of a table), x and y come before them. Of a classical model it
prints a score: the more the instance counts in its bag, the larger. Of auto that is the weighted mean over its members, each with mean 0 and
standard deviation 1 within the bag. Of several classes it counts for the class that the model, or each member of auto, finds. Scores of
different bags do not compare. Most classical models score a bag once more
without each of its instances, which takes long where bags are large and distances are earth mover's.

The features are those that the model was trained on: by name if the file has names, else in the same order. The file needs no labels;
labels and other columns in it are ignored. A CSV file without a header must have a label column before the bags.
Where the model was trained with missing values, it takes the medians of its training set for those of the file.` + filesHelp + ` Without labels.csv every array is a bag, by name.`,
		Example: `  milbench predict model new.csv
  milbench predict model musk1 --instances --format json`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON {
				format = "json"
			}
			if format != "csv" && format != "json" {
				if near := milbench.Nearest(format, formats); near != "" {
					return fmt.Errorf("--format %q: no such format; did you mean %q?", format, near)
				}
				return fmt.Errorf("--format %q: no such format; use %s", format, usage)
			}
			nets := p.networks(true, 0, 0)
			defer nets.End()
			model, err := learner.Trainer{Networks: nets}.Load(args[0])
			if err != nil {
				return err
			}
			about := model.About()
			source, err := dataset.Options{Bag: bag, Coordinates: coordinates, Unlabelled: true, Features: about.Features, Note: func(text string) { p.note("note: %s", text) }}.Open(args[1])
			if err != nil {
				return err
			}
			moved := column.Column
			if about.Features != nil && source.Stored.Features != nil {
				moved = dataset.NoColumn // the features were taken by name
			}
			set, err := source.Set(moved)
			if err != nil {
				return err
			}
			if err := fits(about, args[0], set, args[1]); err != nil {
				return err
			}
			if set, err = set.Impute(about.Missing); err != nil {
				return err
			}
			if about.Leaked {
				p.note("note: %s was trained with a column that leaks the labels; its scores mean nothing without it", args[0])
			}
			calibration, err := calibrationOf(args[0])
			if err != nil {
				return err
			}
			rows, err := predicted(c.Context(), model, set, instances)
			if s := stoppedBy(c.Context()); s != nil && err != nil {
				return s
			}
			if errors.Is(err, learner.ErrNoInstances) {
				return fmt.Errorf("--instances: %s: %w", args[0], err)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], withID(set, err))
			}
			if err := setProbabilities(rows, about, calibration); err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			if format == "json" || !instances {
				p.noteCalibration(about, calibration)
			}
			switch {
			case format == "json":
				return p.writeJSON(rows)
			case instances:
				return writeInstances(p.out, rows)
			}
			return writeScores(p.out, about, rows)
		},
	}
	f := c.Flags()
	f.BoolVar(&instances, "instances", false, instancesUsage)
	f.StringVar(&format, "format", formats[0], usage)
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	f.StringVar(&bag, "bag", "", "of a table: the `column` of the bags' ids (default the first of bag, slide_id, image_id, ...)")
	coordinatesFlag(f, &coordinates)
	column.addTo(f)
	return c
}

// withID names the bag that an error of a model is about as the set does.
func withID(set *milbench.Set, err error) error {
	if bad := (*modeldir.BagError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("bag %s: %w", set.Bags[bad.Bag].ID, bad.Err)
	}
	return err
}

// fits reports why a model cannot score the bags of a set.
func fits(model learner.About, modelName string, set *milbench.Set, setName string) error {
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
	return nil
}

// scoredBag is what is printed of a bag.
type scoredBag struct {
	Bag string `json:"bag"`

	// Of a binary target, of classes by their names, of a real target, and of survival the logarithm of the risk.
	Score  *float64           `json:"score,omitempty"`
	Scores map[string]float64 `json:"scores,omitempty"`
	Value  *float64           `json:"value,omitempty"`
	Risk   *float64           `json:"risk,omitempty"`

	Survival *milbench.Survival `json:"survival,omitempty"` // of survival, by models that predict curves
	Median   *float64           `json:"median,omitempty"`   // [milbench.Survival.Median], where it is known

	Probability   *float64           `json:"probability,omitempty"`   // of positive; none of a score that is no logit, unless it is calibrated
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // of classes, likewise
	Calibration   string             `json:"calibration,omitempty"`   // how, or none; of targets with classes
	Class         string             `json:"class,omitempty"`         // where the labels that the model was trained on are words
	Winners       []int              `json:"winners,omitempty"`       // none without attention
	Instances     []weighted         `json:"instances,omitempty"`

	scores []float64 // as the model gives them
}

// setScores names the scores of a bag as the kind of target has them.
func (b *scoredBag) setScores(about learner.About) {
	switch about.Target {
	case milbench.BinaryTarget:
		b.Score = &b.scores[0]
	case milbench.ClassTarget:
		b.Scores = byClass(about.Classes, b.scores)
	case milbench.RealTarget:
		b.Value = &b.scores[0]
	case milbench.SurvivalTarget:
		b.Risk = &b.scores[0]
	}
}

// byClass names values by classes.
func byClass(classes []string, values []float64) map[string]float64 {
	all := make(map[string]float64)
	for i, name := range classes {
		all[name] = values[i]
	}
	return all
}

// weighted is what is printed of an instance.
type weighted struct {
	Instance int       `json:"instance"`
	Weight   float64   `json:"weight"` // of a network, mean over the heads
	Heads    []float64 `json:"heads"`
	Score    *float64  `json:"score"` // of other models, instead

	X, Y *float64 // where it is, if its file says so
}

// MarshalJSON implements [json.Marshaler]: what the model does not have is left out.
func (w weighted) MarshalJSON() ([]byte, error) {
	if w.Score != nil {
		return json.Marshal(struct {
			Instance int      `json:"instance"`
			X        *float64 `json:"x,omitempty"`
			Y        *float64 `json:"y,omitempty"`
			Score    float64  `json:"score"`
		}{w.Instance, w.X, w.Y, *w.Score})
	}
	return json.Marshal(struct {
		Instance int       `json:"instance"`
		X        *float64  `json:"x,omitempty"`
		Y        *float64  `json:"y,omitempty"`
		Weight   float64   `json:"weight"`
		Heads    []float64 `json:"heads"`
	}{w.Instance, w.X, w.Y, w.Weight, w.Heads})
}

// predicted returns what a model says of the bags of a set, still without probabilities.
func predicted(ctx context.Context, model learner.Model, set *milbench.Set, instances bool) ([]scoredBag, error) {
	rows := make([]scoredBag, len(set.Bags))
	about := model.About()
	fill := func(i int, scores []float64, survival *milbench.Survival, winners []int) {
		rows[i] = scoredBag{Bag: set.Bags[i].ID, Winners: winners, Survival: survival, scores: scores}
		if survival != nil {
			if t, known := survival.Median(); known {
				rows[i].Median = &t
			}
		}
		rows[i].setScores(about)
	}
	if n, is := model.(networks.Model); is {
		predictions, err := n.Model.Predict(ctx, set.Instances())
		if err != nil {
			return nil, err
		}
		for i, p := range predictions {
			fill(i, p.Scores, p.Survival, p.Winners)
			rows[i].Instances = weights(p, set.Bags[i].Instances.Len(), instances)
		}
		return rows, locate(rows, set)
	}
	predictions, err := model.Predict(ctx, set.Instances(), instances)
	if err != nil {
		return nil, err
	}
	for i, p := range predictions {
		fill(i, p.Scores, p.Survival, p.Winners)
		for k := range p.Instances {
			rows[i].Instances = append(rows[i].Instances, weighted{Instance: k, Score: &p.Instances[k]})
		}
	}
	return rows, locate(rows, set)
}

// locate says where the instances are that are to be printed.
func locate(rows []scoredBag, set *milbench.Set) error {
	for i, r := range rows {
		coordinates := set.Bags[i].Coordinates
		if coordinates == nil || len(r.Instances) == 0 {
			continue
		}
		all, err := coordinates()
		if err != nil {
			return err
		}
		for k := range r.Instances {
			r.Instances[k].X, r.Instances[k].Y = &all[k][0], &all[k][1]
		}
	}
	return nil
}

// weights returns what is printed of the n instances of a bag that a network has scored, if that is asked for.
func weights(p neural.Prediction, n int, asked bool) (all []weighted) {
	if !asked {
		return nil
	}
	for k := range n {
		w := weighted{Instance: k}
		for _, head := range p.Weights {
			w.Heads = append(w.Heads, head[k])
			w.Weight += head[k] / float64(len(p.Weights))
		}
		all = append(all, w)
	}
	return all
}

func writeScores(w io.Writer, about learner.About, rows []scoredBag) error {
	out := csv.NewWriter(w)
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return decimal(*v)
	}
	type column struct {
		name string
		of   func(r scoredBag) string
	}
	class := column{"class", func(r scoredBag) string { return r.Class }}
	winners := column{"winners", func(r scoredBag) string { return strings.Trim(fmt.Sprint(r.Winners), "[]") }}
	calibration := column{"calibration", func(r scoredBag) string { return r.Calibration }}
	columns := []column{{"bag", func(r scoredBag) string { return r.Bag }}}
	switch about.Target {
	case milbench.BinaryTarget:
		columns = append(columns, column{"score", func(r scoredBag) string { return optional(r.Score) }},
			column{"probability", func(r scoredBag) string { return optional(r.Probability) }}, winners)
		if about.Classes != nil {
			columns = append(columns, class)
		}
		columns = append(columns, calibration)
	case milbench.ClassTarget:
		columns = append(columns, class)
		for _, name := range about.Classes {
			columns = append(columns, column{"score_" + name, func(r scoredBag) string { return decimal(r.Scores[name]) }})
		}
		for _, name := range about.Classes {
			columns = append(columns, column{"probability_" + name, func(r scoredBag) string {
				if r.Probabilities == nil {
					return ""
				}
				return decimal(r.Probabilities[name])
			}})
		}
		columns = append(columns, winners, calibration)
	case milbench.RealTarget:
		columns = append(columns, column{"value", func(r scoredBag) string { return optional(r.Value) }}, winners)
	case milbench.SurvivalTarget:
		columns = append(columns, column{"risk", func(r scoredBag) string { return optional(r.Risk) }})
		if curve := rows[0].Survival; curve != nil {
			columns = append(columns, column{"median", func(r scoredBag) string { return optional(r.Median) }})
			for k, t := range curve.Times {
				columns = append(columns, column{"alive_after_" + decimal(t), func(r scoredBag) string { return decimal(r.Survival.Alive[k]) }})
			}
		}
		columns = append(columns, winners)
	}
	var header []string
	for _, c := range columns {
		header = append(header, c.name)
	}
	out.Write(header)
	for _, r := range rows {
		var record []string
		for _, c := range columns {
			record = append(record, c.of(r))
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

func writeInstances(w io.Writer, rows []scoredBag) error {
	out := csv.NewWriter(w)
	first := rows[0].Instances[0]
	header := []string{"bag", "instance"}
	located := slices.ContainsFunc(rows, func(r scoredBag) bool { return r.Instances[0].X != nil })
	if located {
		header = append(header, "x", "y")
	}
	if first.Score != nil {
		header = append(header, "score")
	} else {
		header = append(header, "weight")
	}
	for h := range first.Heads {
		header = append(header, fmt.Sprintf("weight_%d", h+1))
	}
	out.Write(header)
	for _, r := range rows {
		for _, instance := range r.Instances {
			value := instance.Weight
			if instance.Score != nil {
				value = *instance.Score
			}
			row := []string{r.Bag, strconv.Itoa(instance.Instance)}
			switch {
			case located && instance.X != nil:
				row = append(row, decimal(*instance.X), decimal(*instance.Y))
			case located:
				row = append(row, "", "")
			}
			row = append(row, decimal(value))
			for _, weight := range instance.Heads {
				row = append(row, decimal(weight))
			}
			out.Write(row)
		}
	}
	out.Flush()
	return out.Error()
}

// decimal writes a number in the precision in which networks compute.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 32) }
