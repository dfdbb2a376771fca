package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"synpool/milbench"
)

// evaluate is the subcommand that judges a trained model on labelled new bags.
func (p *program) evaluate() *cobra.Command {
	var (
		read   readFlags
		seed   uint64
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "evaluate MODEL FILE|NAME",
		Short: "Judge a trained model on new bags whose labels you know",
		Long: `The figures, with 95 % intervals, depend on the kind of target:
  two classes    AUC; accuracy, balanced accuracy, sensitivity and specificity; log-loss and Brier
                 score of probabilities
  more classes   macro AUC, accuracies and kappa
  numbers        R², MAE, RMSE and Spearman's ρ
  survival       concordance, and the integrated Brier score of curves
The interval of the AUC is DeLong's. Most others are bootstrap intervals. The bootstrap draws groups
(patients, say) if the file names them, else bags. If groups have several bags, the first figure is
there for groups, too, by the mean of their scores. A figure that these bags do not have, such as
the AUC of one class, says why. If the bags have an official split, the test part is judged.

Sets and intervals:
For a model trained with --calibrate conformal the table has the coverage, the share of bags whose
target is in its set or interval, for all bags and for each class, and the mean size of the sets or
the width of the intervals. Without groups the interval of a coverage is binomial (Clopper-Pearson).

Labels of instances:
If the file has labels of instances and a bag has both kinds, the scores that milbench predict
--instances prints are judged, too: weights of a network, or scores of another model. A label above
0 is positive. A table has the labels in a column instance_label, or in the column of the flag
--instance-label-column, and positions in x and y. Files of one bag (HDF5, .npz, .pt) have labels in
an array instance_labels or tile_labels, and positions in coords.
  instance AUC, AP, Dice   in each bag with both kinds; the mean over these bags
  pooled                   the same of the instances of all bags as one list
  FROC sensitivity         if instances have positions: the share of lesions found with 1/4, 1/2, 1,
                           2, 4 and 8 false positives per bag, and the mean of the six
Dice is that of the instances above Otsu's threshold, which knows no label. A lesion is a group of
positive instances whose tiles touch, also at corners. Its highest score finds it; every negative
instance with at least that score is a false positive. Weights are shares of their bag. Pooled
figures and FROC compare them between bags, and are low for that reason, too. The intervals are of
the bootstrap.

Operating points:
The thresholds were chosen by milbench train --results on held-out bags and are only applied here.
The new bags do not change them.

Warnings:
One warning names features that are unlike those of training. Either their mean differs by more than
chance between bags, and by at least a fifth of a standard deviation; or more bags than by chance
have 1 % of their values outside the range of training. A fresh sample of the same source gets this
warning in about 1 of 100 cases. Another warning names bags that are among the training bags.

Files:
MODEL is a folder of milbench train, or a file of milbench export that ends in .onnx.
Labels must be spelled as those of the model. Features are matched as in milbench predict. A FILE is
a table, a folder of arrays or a MATLAB file: milbench help files.`,
		Example: `  milbench evaluate model new.csv
  milbench evaluate model slides --labels slides.csv --group case_id --json`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			machine := p.machine(0, 0)
			defer machine.Close()
			model, err := milbench.Load(args[0], machine)
			if err != nil {
				return err
			}
			how := read.reading(p)
			if how.Coordinates != nil && model.About().Features != nil {
				return errors.New("--coordinates: the features are taken by the names that the model knows; leave the flag out")
			}
			labelled, err := model.OpenLabelled(args[1], how)
			if err != nil {
				return err
			}
			report, err := model.Evaluate(c.Context(), labelled, seed)
			if s := stoppedBy(c.Context()); s != nil && err != nil {
				return s
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			return p.report(asJSON, report)
		},
	}
	f := c.Flags()
	read.addLabels(f)
	read.addColumn(f)
	f.Uint64Var(&seed, "seed", 1, "seed of the bootstrap")
	addJSON(c, &asJSON)
	return c
}
