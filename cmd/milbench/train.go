package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/neural"
	"synpool/milbench/stats"
)

// train is the subcommand that trains one model on all bags of a set.
func (p *program) train() *cobra.Command {
	var (
		open  sources
		set   settings
		dir   string
		seed  uint64
		cores int
	)
	set.grid.Pooling = []string{"syn"}
	c := &cobra.Command{
		Use:   "train NAME|FILE --out MODEL",
		Short: "Train a model on all bags of a set, for milbench predict",
		Long: `Train a model on all bags of a set, for milbench predict.

A setting that is not given has the pooling's default, that of the published code. How well the model will do on new
bags is what milbench run tells with the same settings, not the figures on the training bags that this command prints.`,
		Example: `  milbench train musk1 --pooling syn --iterations=-3 --out model
  milbench train bags.csv --pooling attention --width 64 --batch 8 --out model`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if cores < 1 {
				return fmt.Errorf("--cores %d: at least 1 is needed", cores)
			}
			configs, err := set.configs()
			if err != nil {
				return err
			}
			config := configs[0]
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
			if err := savable(choice.Backend, dir); err != nil {
				return err
			}

			bar, loss := p.progress(), 0.0
			trainer := neural.Trainer{Backend: choice.Backend, Workers: cores}
			model, err := trainer.Train(c.Context(), config, bags, seed, func(epoch int, l float64) {
				loss = l
				bar.show("epoch %d of %d, loss %.4f", epoch, config.Epochs, l)
			})
			bar.clear()
			if err != nil {
				return err
			}
			var matrices []milbench.Matrix
			var labels []int
			for _, b := range bags.Bags {
				matrices, labels = append(matrices, b.Instances), append(labels, b.Label)
			}
			predictions, err := model.Predict(c.Context(), matrices)
			if err != nil {
				return fmt.Errorf("%s: %w", bags.Name, err)
			}
			var scores []float64
			for _, p := range predictions {
				scores = append(scores, p.Score)
			}
			auc, err := stats.AUC(labels, scores)
			if err != nil {
				return fmt.Errorf("%s: %w", bags.Name, err)
			}
			if err := model.Save(dir); err != nil {
				return err
			}
			leaked := ""
			if bags.Leaked {
				leaked = "; LEAKED: a column that gives the labels away is among the features"
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
	f.IntVar(&cores, "cores", runtime.NumCPU(), "cores to use")
	open.addTo(f)
	required(c, "out")
	return c
}

// savable reports, before a training that may be long, why its model could not be saved.
func savable(b compute.Backend, dir string) error {
	if parent := filepath.Dir(filepath.Clean(dir)); !isFolder(parent) {
		return fmt.Errorf("--out %q: there is no folder %s", dir, parent)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err == nil {
		_, err = neural.Load(b, dir)
	}
	if err != nil {
		return fmt.Errorf("--out %q: it is there and holds no model; remove it or name another: %w", dir, err)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
