package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench"
	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/plotting"
)

// demoSeed is the seed of the demo.
const demoSeed = 1

// demo is the subcommand that compares learners on the embedded set.
func (p *program) demo() *cobra.Command {
	var out string
	var cores int
	var asJSON bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Compare learners on the built-in set Musk 1 and draw the result",
		Long: `It compares the learners of milbench run without flags by 10-fold cross-validation. It prints a
table, says which learners cannot be told apart, and draws the AUC of each learner with its interval
over the folds. It downloads nothing.`,
		Example: "  milbench demo\n  milbench demo --out figures/demo.svg",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkFigure(out); err != nil {
				return err
			}
			if err := checkCores(cores); err != nil {
				return err
			}
			machine := p.fleet(cores, memorySize(0).bound())
			defer machine.Close()
			d, err := p.runDemo(c.Context(), nil, machine)
			if err != nil {
				return err
			}
			d.Figure = out
			err = p.print(asJSON, d, d.table)
			if !asJSON && err == nil {
				err = p.writeConclusion(d)
			}
			return errors.Join(err, d.draw(out))
		},
	}
	c.Flags().StringVar(&out, "out", "milbench-demo.png", "`file` of the figure: .png, .svg or .pdf")
	coresFlag(c.Flags(), &cores)
	addJSON(c, &asJSON)
	return c
}

// demonstration is the outcome of the demo.
type demonstration struct {
	Set        string      `json:"set"`
	Bags       int         `json:"bags"`
	Protocol   cv.Protocol `json:"protocol"`
	Seed       uint64      `json:"seed"`
	Backend    string      `json:"backend"`
	WallS      float64     `json:"wall_s"`
	Figure     string      `json:"figure"`
	Rows       []demoRow   `json:"rows"`
	Conclusion string      `json:"conclusion"`
}

// demoRow is one learner: the row of the table, and its AUC over the folds.
type demoRow struct {
	results.Row
	FoldAUCs []float64 `json:"fold_aucs"`
}

// runDemo trains and tests the demo's settings by a learner, nil for those of the machine.
func (p *program) runDemo(ctx context.Context, by learner.Learner, machine *milbench.Machine) (*demonstration, error) {
	set, err := dataset.Musk1()
	if err != nil {
		return nil, err
	}
	b, start, bar, folds := readBuild(), time.Now(), p.progress(), foldAUCs{}
	comparison := milbench.Comparison{Sets: []*mil.Set{set}, Protocol: cv.Protocol{Repeats: 1}, Seed: demoSeed, Learner: by, Version: b.Version, Revision: b.Revision,
		Progress: func(now run.Progress) {
			bar.showFits(now, start)
			if known := folds.row(now.Result); known != "" {
				bar.clear()
				fmt.Fprintln(p.err, known)
			}
		}}
	compared, err := milbench.Compare(ctx, comparison, machine)
	bar.clear()
	if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
		return nil, s
	}
	if errors.As(err, new(*milbench.FailedError)) {
		return nil, finding{err}
	}
	if err != nil {
		return nil, err
	}
	table, rs := compared.Table, compared.Results
	d := &demonstration{Set: set.Name, Bags: len(set.Bags), Protocol: cv.Protocol{Name: cv.HonestProtocol, Folds: rs[0].Folds, Repeats: 1}, Seed: demoSeed,
		Backend: rs[0].Backend, WallS: time.Since(start).Seconds()}
	table.Rank()
	slices.SortFunc(rs, func(a, b results.Result) int { return a.Fold - b.Fold })
	for _, row := range table.Rows {
		one := demoRow{Row: row}
		for _, r := range rs {
			if string(r.Config) != string(row.Config) {
				continue
			}
			auc, err := r.Figure()
			if err != nil {
				return nil, err
			}
			one.FoldAUCs = append(one.FoldAUCs, auc)
		}
		d.Rows = append(d.Rows, one)
	}
	d.Conclusion = strings.Join(table.Verdicts, " ")
	return d, nil
}

// foldAUCs has the AUCs of the folds so far, by setting.
type foldAUCs map[string][]float64

// row adds a result and returns a line about its setting if it was the last fold.
func (f foldAUCs) row(r *results.Result) string {
	if r == nil {
		return ""
	}
	auc, err := r.Figure()
	labels, wrong := results.Labels([]json.RawMessage{r.Config})
	if err != nil || wrong != nil {
		return "" // the table says why
	}
	all := append(f[string(r.Config)], auc)
	f[string(r.Config)] = all
	if len(all) < r.FoldsRun {
		return ""
	}
	return fmt.Sprintf("%-16s  AUC %.3f", labels[0], stat.Mean(all, nil))
}

// table writes the table of the demo.
func (d *demonstration) table(w io.Writer) {
	fmt.Fprintln(w, "LEARNER\tAUC\t95 % INTERVAL\tPOOLED AUC\tBAL. ACCURACY")
	for _, r := range d.Rows {
		interval := ""
		if r.Low != nil {
			interval = fmt.Sprintf("%.3f to %.3f", *r.Low, *r.High)
		}
		fmt.Fprintf(w, "%s\t%.3f\t%s\t%.3f\t%.3f\n", r.Setting, r.Mean, interval, r.Figures["auc_pooled"], r.Figures["balanced_accuracy"])
	}
}

// writeConclusion says what the table of the demo shows, and how it was made.
func (p *program) writeConclusion(d *demonstration) error {
	_, err := fmt.Fprintf(p.out, `
%s
%s, %d bags; protocol %s: %d folds, %d repeat, seed %d; the test part is looked at once
AUC: mean over the folds, with an interval corrected for the training bags that folds share; pooled AUC and balanced
accuracy: all folds together
backend %s, %.1f s; figure %s
`, d.Conclusion, d.Set, d.Bags, d.Protocol.Name, d.Protocol.Folds, d.Protocol.Repeats, d.Seed, d.Backend, d.WallS, d.Figure)
	return err
}

// draw draws the figure of the demo.
func (d *demonstration) draw(path string) error {
	var rows []plotting.IntervalRow
	for _, r := range d.Rows {
		row := charts.Row(r.Row, r.Setting, "Musk 1")
		row.Over, row.N, row.Points = "", len(r.FoldAUCs), r.FoldAUCs // folds
		rows = append(rows, row)
	}
	figure, err := plotting.AUCIntervals("Learners on Musk 1, 10-fold cross-validation", rows)
	if err != nil {
		return err
	}
	return figure.Save(path)
}

// checkFigure reports a file of --out where no figure can be saved.
func checkFigure(path string) error {
	if !slices.Contains([]string{".png", ".svg", ".pdf"}, filepath.Ext(path)) {
		return fmt.Errorf("--out %q: end the name with .png, .svg or .pdf", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("--out %q: there is no folder %s", path, filepath.Dir(path))
	}
	return nil
}
