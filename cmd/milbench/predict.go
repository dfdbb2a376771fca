package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"synpool/internal/spelling"
	"synpool/milbench"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
)

// predict is the subcommand that scores bags with a trained model.
func (p *program) predict() *cobra.Command {
	var (
		read           readFlags
		instances      bool
		fdr            float64
		format         string
		asJSON         bool
		formats        = []string{"csv", "json"}
		instancesUsage = "print one row per instance, with its attention weights or its score"
	)
	c := &cobra.Command{
		Use:   "predict MODEL FILE|NAME",
		Short: "Score bags with a trained model and name the winning instances",
		Long: `For each bag it prints:
  two classes    score, probability of positive, winners, and how the probability is calibrated
  more classes   score and probability of each class, and the predicted class
  numbers        the value
  survival       the logarithm of the risk or, of auto, a number: the larger, the earlier the event.
                 Networks that learn hazards (--loss hazards) add the survival curve, the
                 probability that the bag lives after each of up to seven times, and the median,
                 the first of these times with a probability of 1/2 at most, empty if none has.

Winners:
For each head of a network with attention, the winner is the instance with the largest weight. For
the learner instance, it is the instance with the largest score. Instances are counted from 0 in the
order of the file.

Probabilities:
The calibration is temperature, platt or isotonic if the model was trained with --calibrate, else
none. A note says the same. Without calibration the probability is 1/(1+exp(-score)) where the score
is a logit: of networks, auto, statistics-trees, linear-probe and instance. It is often too near 0
or 1. Scores of other learners rank bags but are no logits; without calibration they have no
probability, and the column is empty.

Sets and intervals:
If the model was trained with --calibrate conformal, the column set has the classes that the bag may
be of, with | between them, and JSON the p-value of each class. For numbers, low and high are the
ends of the interval. A note has the level.

Instances:
--instances prints one row per instance:
  networks            the weight, averaged over the heads, and the weight of each head
  classical models    a score: the larger, the more the instance counts in its bag
  auto                the weighted mean of its members' scores, each with mean 0 and standard
                      deviation 1 within the bag
Do not compare scores across bags. If the file has places (coords of HDF5, x and y of a table), the
columns x and y come first, then tile, the side of a tile, if the file says it (patch_size_level0,
say).

With more than two classes, the column score_CLASS says how much the instance says for a class. For
a network it is the weight times what the instance adds, by itself, to the logit of the class. For
other models it is how much the score of the class falls without the instance. The column score has
the value for the predicted class. Most classical models score a bag once more without each of its
instances. That takes long for large bags with earth mover's distances.

Lists of instances:
--instances --fdr 0.1 adds the columns p_value and discovery, for a model of two classes trained
with --calibrate instances. The p-value is the share of instances of held-out negative bags with a
score as large, each scored as a bag of its own. A discovery is 1 if the instance is selected, by
the procedure of Benjamini and Hochberg over all bags of the file: about 10 % of the selected
instances are expected to be like those of negative bags. This takes for granted that instances do
not depend on each other; where those of a bag do, as tiles of a slide, the rate is only rough.

Files:
MODEL is a folder of milbench train, or a file of milbench export that ends in .onnx.
Features are matched by name if the file has names, else by order. The file needs no labels; labels
and other columns are ignored. A CSV file without a header must have a label column before the bags.
In a folder without labels.csv every array is a bag. If the model was trained with missing values,
those of the file become the medians of its training set. See milbench help files.`,
		Example: `  milbench predict model new.csv
  milbench predict model musk1 --instances --format json`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON {
				format = "json"
			}
			if c.Flags().Changed("fdr") && !instances {
				return errors.New("--fdr: selects instances; add --instances")
			}
			if c.Flags().Changed("fdr") && !(fdr > 0 && fdr < 1) {
				return fmt.Errorf("--fdr %v: give a rate above 0 and below 1", fdr)
			}
			if format != "csv" && format != "json" {
				return fmt.Errorf("--format %q: no such format; %s", format, spelling.Hint(format, formats))
			}
			machine := p.machine(0, 0)
			defer machine.Close()
			model, err := milbench.Load(args[0], machine)
			if err != nil {
				return err
			}
			how := read.reading(p)
			var bad error
			how.Rest = func(err error) { bad = finding{fmt.Errorf("not scored: %w", err)} }
			if how.Coordinates != nil && model.About().Features != nil && !instances {
				return errors.New("--coordinates: without --instances no place is printed, and the features are taken by name; leave the flag out")
			}
			set, err := model.Open(args[1], how)
			if err != nil {
				return err
			}
			score := model.Predict
			switch {
			case c.Flags().Changed("fdr"):
				score = func(ctx context.Context, set *mil.Set) (*milbench.Predictions, error) {
					return model.Discover(ctx, set, fdr)
				}
			case instances:
				score = model.Explain
			}
			scored, err := score(c.Context(), set)
			if s := stoppedBy(c.Context()); s != nil && err != nil {
				return s
			}
			if errors.Is(err, learners.ErrNoInstances) {
				return fmt.Errorf("--instances: %s: %w", args[0], err)
			}
			if errors.Is(err, predict.ErrNoPValues) {
				return fmt.Errorf("--fdr: %s: %w", args[0], err)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			if scored.Leaked != "" {
				p.note("note: %s", scored.Leaked)
			}
			unlike, err := scored.Unlike()
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			if unlike != "" {
				p.note("warning: %s", unlike)
			}
			for _, note := range []string{scored.Calibration, scored.Conformal} {
				if note != "" && (format == "json" || !instances) {
					p.note("note: %s", note)
				}
			}
			if c.Flags().Changed("fdr") {
				p.note("note: %d of %d instances are selected; about %g %% of those selected are expected to be like instances of negative bags",
					scored.Discoveries, set.NumInstances(), 100*fdr)
			}
			if format != "json" {
				p.noteFormulas(set)
			}
			switch {
			case format == "json":
				err = p.print(true, scored.Bags, nil)
			case instances:
				err = predict.WriteInstances(p.out, scored.About, scored.Bags)
			default:
				err = predict.Write(p.out, scored.About, scored.Bags)
			}
			return cmp.Or(err, bad)
		},
	}
	f := c.Flags()
	f.BoolVar(&instances, "instances", false, instancesUsage)
	f.Float64Var(&fdr, "fdr", 0, "with --instances, select instances at this false discovery `rate`, say 0.1 (default none)")
	f.StringVar(&format, "format", formats[0], "`format` of the output: "+strings.Join(formats, ", "))
	f.BoolVar(&asJSON, "json", false, "write JSON, like --format json")
	c.MarkFlagsMutuallyExclusive("format", "json")
	read.addBags(f)
	read.addColumn(f)
	return c
}

// noteFormulas says that a CSV file has ids of bags that a spreadsheet would compute.
func (p *program) noteFormulas(set *mil.Set) {
	for _, b := range set.Bags {
		if formula(b.ID) {
			p.note("note: bag ids such as %s are formulas to a spreadsheet; import their column as text", b.ID)
			return
		}
	}
}

// formula reports whether a spreadsheet computes a text of a CSV file instead of showing it.
func formula(text string) bool {
	if text == "" || !strings.Contains("=+-@", text[:1]) {
		return false
	}
	_, err := mil.ParseNumber(text)
	return err != nil
}
