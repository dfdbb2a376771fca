package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/predict"
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
probability that the bag lives after each of up to seven times, and the median: the first of them after which it lives with 1/2 at most, empty if
there is none.

Winners are, for each head of a network with attention, the instance with the largest
weight; of the instance classifier, that with the largest score. They are counted from 0 in the order of the file.

--instances prints for each instance of a network its weight, averaged over the heads, and that of each head. Where the file
says where instances are (dataset coords of HDF5, columns x and y of a table), x and y come before them. Of a classical model it
prints a score: the more the instance counts in its bag, the larger. Of auto that is the weighted mean over its members, each with mean 0 and
standard deviation 1 within the bag. Scores of different bags do not compare.

Of several classes there is a column score_CLASS for each: how much the instance says for it. Of a network that is its weight times what
it adds, by itself, to the logit of the class; of other models by how much the score of the class falls without it. The column score has
that of the class which the model finds. Most classical models score a bag once more
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
			nets := p.networks(true, 0, 0, "")
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
			if err := predict.Fits(about, args[0], set, args[1]); err != nil {
				return err
			}
			if set, err = set.Impute(about.Missing); err != nil {
				return err
			}
			if about.Leaked {
				p.note("note: %s was trained with a column that leaks the labels; its scores mean nothing without it", args[0])
			}
			calibration, err := predict.Calibration(args[0])
			if err != nil {
				return err
			}
			rows, err := predict.Bags(c.Context(), model, set, calibration, instances)
			if s := stoppedBy(c.Context()); s != nil && err != nil {
				return s
			}
			if errors.Is(err, learner.ErrNoInstances) {
				return fmt.Errorf("--instances: %s: %w", args[0], err)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			if format == "json" || !instances {
				if note := predict.CalibrationNote(about, calibration); note != "" {
					p.note("note: %s", note)
				}
			}
			switch {
			case format == "json":
				return p.writeJSON(rows)
			case instances:
				return predict.WriteInstances(p.out, about, rows)
			}
			return predict.Write(p.out, about, rows)
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
