package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/learner/neural"
)

// predict is the subcommand that scores bags with a trained model.
func (p *program) predict() *cobra.Command {
	var (
		column         columnValue
		instances      bool
		format         string
		asJSON         bool
		formats        = []string{"csv", "json"}
		usage          = "one of " + strings.Join(formats, ", ")
		instancesUsage = "one row per instance, with its attention weights"
	)
	c := &cobra.Command{
		Use:   "predict MODEL FILE|NAME",
		Short: "Score bags with a trained model, and say which instances won",
		Long: `Score bags with a trained model, and say which instances won.

Prints for each bag its score (the logit of positive), the probability and, if the pooling has attention, the winner of each
head: the instance with the largest weight, counted from 0 in the order of the file. --instances prints for each instance
its weight, averaged over the heads, and that of each head.

The features are those that the model was trained on, in the same order. The file needs no labels; labels in it are ignored.
A CSV file without a header must have a label column before the bags.` + filesHelp + ` Without
labels.csv every array is a bag, by name.`,
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
			source, err := dataset.OpenUnlabelled(args[1])
			if err != nil {
				return err
			}
			set, err := source.Set(column.Column)
			if err != nil {
				return err
			}
			choice, err := p.chooseBackend()
			if err != nil {
				return err
			}
			defer choice.Backend.Finalize()
			model, err := neural.Load(choice.Backend, args[0])
			if err != nil {
				return err
			}
			if err := fits(model, args[0], set, args[1]); err != nil {
				return err
			}
			if model.Leaked() {
				p.note("note: %s was trained with a column that leaks the labels; its scores mean nothing without it", args[0])
			}
			predictions, err := model.Predict(c.Context(), set.Instances())
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], withID(set, err))
			}
			rows := scoredBags(model, set, predictions, instances)
			switch {
			case format == "json":
				return p.writeJSON(rows)
			case instances:
				return writeWeights(p.out, rows)
			}
			return writeScores(p.out, rows)
		},
	}
	f := c.Flags()
	f.BoolVar(&instances, "instances", false, instancesUsage)
	f.StringVar(&format, "format", formats[0], usage)
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	column.addTo(f)
	return c
}

// withID names the bag that an error of a model is about as the set does.
func withID(set *milbench.Set, err error) error {
	if bad := (*neural.BagError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("bag %s: %w", set.Bags[bad.Bag].ID, bad.Err)
	}
	return err
}

// fits reports why a model cannot score the bags of a set.
func fits(model *neural.Model, modelName string, set *milbench.Set, setName string) error {
	if have, want := set.NumFeatures(), model.NumFeatures(); have != want {
		hint := "give it the columns that the model was trained on"
		if have == want+1 {
			hint += "; if one of them holds instance labels, name it with --instance-label-column"
		}
		return fmt.Errorf("%s has %d features, the model %s has %d; %s", setName, have, modelName, want, hint)
	}
	want := model.Features()
	for i, name := range set.Features {
		if want != nil && name != want[i] {
			return fmt.Errorf("%s: feature %d is %q, of the model %s it is %q; put the columns in the order that it was trained on", setName, i+1, name, modelName, want[i])
		}
	}
	return nil
}

// scoredBag is what is printed of a bag.
type scoredBag struct {
	Bag         string     `json:"bag"`
	Score       float64    `json:"score"`
	Probability float64    `json:"probability"`
	Class       string     `json:"class,omitempty"`   // where the labels that the model was trained on are words
	Winners     []int      `json:"winners,omitempty"` // none without attention
	Instances   []weighted `json:"instances,omitempty"`
}

// weighted is what is printed of an instance.
type weighted struct {
	Instance int       `json:"instance"`
	Weight   float64   `json:"weight"` // mean over the heads
	Heads    []float64 `json:"heads"`
}

func scoredBags(model *neural.Model, set *milbench.Set, predictions []neural.Prediction, instances bool) []scoredBag {
	rows := make([]scoredBag, len(predictions))
	for i, p := range predictions {
		rows[i] = scoredBag{Bag: set.Bags[i].ID, Score: p.Score, Probability: p.Probability, Winners: p.Winners}
		if classes := model.Classes(); len(classes) == 2 {
			rows[i].Class = classes[0]
			if p.Score > 0 {
				rows[i].Class = classes[1]
			}
		}
		if !instances {
			continue
		}
		for k := range set.Bags[i].Instances.Len() {
			w := weighted{Instance: k}
			for _, head := range p.Weights {
				w.Heads = append(w.Heads, head[k])
				w.Weight += head[k] / float64(len(p.Weights))
			}
			rows[i].Instances = append(rows[i].Instances, w)
		}
	}
	return rows
}

func writeScores(w io.Writer, rows []scoredBag) error {
	out := csv.NewWriter(w)
	header, classes := []string{"bag", "score", "probability", "winners"}, rows[0].Class != ""
	if classes {
		header = append(header, "class")
	}
	out.Write(header)
	for _, r := range rows {
		record := []string{r.Bag, decimal(r.Score), decimal(r.Probability), strings.Trim(fmt.Sprint(r.Winners), "[]")}
		if classes {
			record = append(record, r.Class)
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

func writeWeights(w io.Writer, rows []scoredBag) error {
	out := csv.NewWriter(w)
	header := []string{"bag", "instance", "weight"}
	for h := range rows[0].Instances[0].Heads {
		header = append(header, fmt.Sprintf("weight_%d", h+1))
	}
	out.Write(header)
	for _, r := range rows {
		for _, instance := range r.Instances {
			row := []string{r.Bag, strconv.Itoa(instance.Instance), decimal(instance.Weight)}
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
