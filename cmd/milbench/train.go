package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"synpool/milbench/judge"
	"synpool/milbench/learner/neural"
)

// train is the subcommand that trains one model on all bags of a set.
func (p *program) train() *cobra.Command {
	var (
		open sources
		set  settings
		dir  string
		seed uint64
	)
	set.grid.Pooling = []string{"syn"}
	c := &cobra.Command{
		Use:   "train NAME|FILE --out MODEL",
		Short: "Train a model on all bags of a set, for milbench predict",
		Long: `Train a model on all bags of a set, for milbench predict.

Settings that you leave out have the pooling's default, that of the published code. This command prints figures on the
training bags; milbench run with the same settings says how well the model will do on new ones.` + filesHelp,
		Example: `  milbench train musk1 --pooling syn --iterations=-3 --out model
  milbench train bags.csv --pooling attention --width 64 --batch 8 --out model`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			configs, err := set.configs()
			if err != nil {
				return err
			}
			config := configs[0]
			if err := neural.CanSave(dir); err != nil { // a training may be long
				return fmt.Errorf("--out %q: %w", dir, err)
			}
			sources, err := p.open(open, args)
			if err != nil {
				return err
			}
			bags := sources[0].set
			choice, err := p.chooseBackend()
			if err != nil {
				return err
			}
			defer choice.Backend.Finalize()

			bar, loss := p.progress(), 0.0
			trainer := neural.Trainer{Backend: choice.Backend}
			model, err := trainer.Train(c.Context(), config, bags, seed, func(epoch int, l float64) {
				loss = l
				bar.show(func() string { return fmt.Sprintf("epoch %d of %d, loss %.4f", epoch, config.Epochs, l) })
			})
			bar.clear()
			if errors.Is(err, neural.ErrDiverged) {
				return finding{err}
			}
			if err != nil {
				return err
			}
			var labels []int
			for _, b := range bags.Bags {
				labels = append(labels, b.Label)
			}
			predictions, err := model.Predict(c.Context(), bags.Instances())
			if bad := (*neural.BagError)(nil); errors.As(err, &bad) {
				return finding{fmt.Errorf("%s: %w; lower --lr, or standardise the features", bags.Name, withID(bags, err))}
			}
			if err != nil {
				return err
			}
			var scores []float64
			for _, p := range predictions {
				scores = append(scores, p.Score)
			}
			auc, err := judge.AUC(labels, scores)
			if err != nil {
				return fmt.Errorf("%s: %w", bags.Name, err)
			}
			if err := model.Save(dir); err != nil {
				return err
			}
			leaked := ""
			if bags.Leaked {
				leaked = "; LEAKED: a column that leaks the labels is among the features"
			}
			fmt.Fprintf(p.out, "%s: %s trained on %d bags for %d epochs: loss %.4f, AUC %.3f on the training bags themselves, which says nothing about new bags%s\n",
				bags.Name, config.Pooling, len(bags.Bags), config.Epochs, loss, auc, leaked)
			fmt.Fprintf(p.out, "model in %s\n", dir)
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&dir, "out", "", "folder of the model (required)")
	set.addTo(f, true)
	f.Uint64Var(&seed, "seed", 1, "seed of initial weights, order and dropout")
	open.addTo(f)
	required(c, "out")
	return c
}
