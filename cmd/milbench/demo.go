package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/judge"
	"synpool/milbench/learner/neural"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/plotting"
)

// The demo's network is smaller than the default and its batches larger, so that it ends within a minute anywhere.
const (
	demoWidth  = 64
	demoBatch  = 8
	demoEpochs = 50
	demoSeed   = 1
)

// demoSettings are what the demo compares, from top to bottom.
var demoSettings = []struct {
	name, pooling string
	iterations    int
}{
	{"concentration (syn, I = 3)", "syn", 3},
	{"plain softmax", "softmax", 0},
	{"distraction (syn, I = -3)", "syn", -3},
}

// demo is the subcommand that shows the whole on the set that is embedded.
func (p *program) demo() *cobra.Command {
	var out string
	var cores int
	var asJSON bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Compare concentration, plain softmax and distraction on Musk 1, without network",
		Long: `Compare concentration, plain softmax and distraction on Musk 1, which is built in, under 10-fold cross-validation.

Prints a table and draws the AUC of each with its interval over the folds. Needs no network and takes under a minute.`,
		Example: "  milbench demo\n  milbench demo --out figures/demo.svg",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkCores(cores); err != nil {
				return err
			}
			if err := checkFigure("out", out); err != nil {
				return err
			}
			choice, trainer, err := p.chooseTrainer(cores, memorySize(0).bound())
			if err != nil {
				return err
			}
			defer choice.Backend.Finalize()
			d, err := p.runDemo(c.Context(), trainer, choice.Config)
			if err != nil {
				return err
			}
			d.Figure = out
			if asJSON {
				err = p.writeJSON(d)
			} else {
				err = p.writeDemo(d)
			}
			return errors.Join(err, d.draw(out))
		},
	}
	c.Flags().StringVar(&out, "out", "milbench-demo.png", "file of the figure: .png, .svg or .pdf")
	coresFlag(c.Flags(), &cores)
	addJSON(c, &asJSON)
	return c
}

// demonstration is the outcome of the demo.
type demonstration struct {
	Set        string            `json:"set"`
	Bags       int               `json:"bags"`
	Protocol   milbench.Protocol `json:"protocol"`
	Seed       uint64            `json:"seed"`
	Epochs     int               `json:"epochs"`
	Width      int               `json:"width"`
	Batch      int               `json:"batch"`
	Backend    string            `json:"backend"`
	WallS      float64           `json:"wall_s"`
	Figure     string            `json:"figure"`
	Rows       []demoRow         `json:"rows"`
	Conclusion string            `json:"conclusion"`
}

// demoRow is one setting: the row of the table, and its AUC over the folds.
type demoRow struct {
	results.Row
	Name     string    `json:"name"`
	FoldAUCs []float64 `json:"fold_aucs"`
	FoldLow  float64   `json:"fold_auc_low"` // 95 % t interval over the folds, cut at 0 and 1
	FoldHigh float64   `json:"fold_auc_high"`
}

// runDemo trains and tests the demo's settings.
func (p *program) runDemo(ctx context.Context, learner milbench.Learner, backend string) (_ *demonstration, err error) {
	set, err := dataset.Musk1()
	if err != nil {
		return nil, err
	}
	protocol := milbench.Honest()
	protocol.Repeats = 1
	d := &demonstration{
		Set: set.Name, Bags: len(set.Bags), Protocol: protocol, Seed: demoSeed,
		Epochs: demoEpochs, Width: demoWidth, Batch: demoBatch, Backend: backend,
	}
	var configs []neural.Config
	var list []json.RawMessage
	for _, s := range demoSettings {
		config, err := neural.DefaultConfig(s.pooling)
		if err != nil {
			return nil, err
		}
		config.Iterations, config.Width, config.Batch, config.Epochs = s.iterations, demoWidth, demoBatch, demoEpochs
		text, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		configs, list = append(configs, config), append(list, text)
	}
	dir, err := os.MkdirTemp("", "milbench-demo-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, start, bar := readBuild(), time.Now(), p.progress()
	sum, err := run.Run{
		Sets: []*milbench.Set{set}, Protocol: protocol, Settings: list, Seed: demoSeed, Learner: learner, Dir: dir,
		Backend: backend, Version: b.Version, Revision: b.Revision,
		Progress: func(now run.Progress) { bar.showFits(now.Summary, now.Set, start) },
	}.Do(ctx)
	bar.clear()
	if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
		return nil, s
	}
	if err != nil && sum.Failed > 0 {
		return nil, finding{shortened{err}}
	}
	if err != nil {
		return nil, err
	}
	d.WallS = time.Since(start).Seconds()
	rs, err := results.Read(dir)
	if err != nil {
		return nil, err
	}
	if d.Rows, err = demoRows(rs, configs); err != nil {
		return nil, err
	}
	d.Conclusion = conclusion(d.Rows)
	return d, nil
}

// demoRows returns a row for each of the demo's settings, given as configs.
func demoRows(rs []results.Result, configs []neural.Config) ([]demoRow, error) {
	table, err := results.Tabulate(rs)
	if err != nil {
		return nil, err
	}
	rows := make([]demoRow, len(configs))
	for _, r := range table.Rows {
		i, err := indexOf(configs, r.Config)
		if err != nil {
			return nil, err
		}
		rows[i].Row, rows[i].Name = r, demoSettings[i].name
	}
	slices.SortFunc(rs, func(a, b results.Result) int { return a.Fold - b.Fold })
	for _, r := range rs {
		i, err := indexOf(configs, r.Config)
		if err != nil {
			return nil, err
		}
		auc, err := r.AUC()
		if err != nil {
			return nil, err
		}
		rows[i].FoldAUCs = append(rows[i].FoldAUCs, auc)
	}
	for i := range rows {
		_, low, high, err := judge.MeanInterval(rows[i].FoldAUCs, results.Level)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rows[i].Name, err)
		}
		rows[i].FoldLow, rows[i].FoldHigh = max(low, 0), min(high, 1)
	}
	return rows, nil
}

// indexOf returns which of the configs a stored setting is.
func indexOf(configs []neural.Config, stored json.RawMessage) (int, error) {
	var c neural.Config
	if err := json.Unmarshal(stored, &c); err != nil {
		return 0, err
	}
	if i := slices.Index(configs, c); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("setting %s is none of the demo's", stored)
}

// conclusion says in one sentence what the intervals allow to say.
func conclusion(rows []demoRow) string {
	var apart []string
	for _, a := range rows {
		for _, b := range rows {
			if a.FoldLow > b.FoldHigh {
				apart = append(apart, fmt.Sprintf("that of %s lies above that of %s", a.Name, b.Name))
			}
		}
	}
	if len(apart) == 0 {
		return "The intervals all overlap: one cross-validation of this one small set does not tell the three apart."
	}
	return "Intervals that do not overlap: " + strings.Join(apart, ", ") +
		"; this speaks of one small set and one seed, and folds that share training bags make the intervals too short."
}

// writeDemo prints the demo as text.
func (p *program) writeDemo(d *demonstration) error {
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SETTING\tAUC\t95 % INTERVAL\tPOOLED AUC\tBAL. ACCURACY")
	for _, r := range d.Rows {
		fmt.Fprintf(t, "%s\t%.3f\t%.3f to %.3f\t%.3f\t%.3f\n", r.Name, r.AUCMean, r.FoldLow, r.FoldHigh, r.AUCPooled, r.BalancedAccuracy)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, `
%s, %d bags; protocol %s: %d folds, %d repeat, seed %d; the test part is looked at once, after the last epoch
AUC: mean over the folds, with its t interval; pooled AUC and balanced accuracy: all folds together
training: %d epochs, width %d, batch %d (milbench run: width 256, batch 1 unless told otherwise)
backend %s, %.1f s; figure %s
%s
`, d.Set, d.Bags, d.Protocol.Name, d.Protocol.Folds, d.Protocol.Repeats, d.Seed,
		d.Epochs, d.Width, d.Batch, d.Backend, d.WallS, d.Figure, d.Conclusion)
	return nil
}

// draw draws the figure of the demo.
func (d *demonstration) draw(path string) error {
	var rows []plotting.AUCRow
	for _, r := range d.Rows {
		rows = append(rows, plotting.AUCRow{
			Set: "Musk 1", Setting: r.Name, Mean: r.AUCMean, Low: r.FoldLow, High: r.FoldHigh, N: len(r.FoldAUCs), Points: r.FoldAUCs,
		})
	}
	figure, err := plotting.AUCIntervals("Does adjusting attention weights help on Musk 1?", rows)
	if err != nil {
		return err
	}
	return figure.Save(path)
}

// checkFigure reports a file, given by a flag, that no figure can be saved to.
func checkFigure(flag, path string) error {
	if e := plotting.Format(strings.TrimPrefix(filepath.Ext(path), ".")); !slices.Contains([]plotting.Format{plotting.PNG, plotting.SVG, plotting.PDF}, e) {
		return fmt.Errorf("--%s %q: end the name with .png, .svg or .pdf", flag, path)
	}
	if !isFolder(filepath.Dir(path)) {
		return fmt.Errorf("--%s %q: there is no folder %s", flag, path, filepath.Dir(path))
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
