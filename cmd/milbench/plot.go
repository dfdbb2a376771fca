package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench/results"
	"synpool/milbench/study"
	"synpool/milbench/study/report"
	"synpool/plotting"
)

// plot is the subcommand that draws results.
func (p *program) plot() *cobra.Command {
	var name, file string
	c := &cobra.Command{
		Use:   "plot DIR|ARCHIVE --out FILE",
		Short: "Draw the results of a folder or an archive",
		Long: `Draw the results of a folder that milbench run or milbench study filled, as PNG, SVG or PDF by the ending of the file's
name: the AUC of every setting on every set with its interval or, for a folder of milbench study, one of
the figures of the experiment. So it does of an archive (milbench study archive), ARCHIVES/NAME.json.gz.`,
		Example: "  milbench plot results --out auc.png\n  milbench plot results/iterations --figure sweep --out sweep.svg\n  milbench plot milbench/study/results/iterations.json.gz --out sweep.svg",
		Args:    arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := args[0]
			a, err := p.readResults(dir)
			if err != nil {
				return err
			}
			if len(a.Results) == 0 {
				return fmt.Errorf("%s: %w", dir, results.ErrNoResults)
			}
			var figure *plotting.Figure
			switch {
			case c.Flags().Changed("figure") && a.Experiment == "":
				return fmt.Errorf("--figure %s: %s is no folder of milbench study; leave the flag out", name, dir)
			case a.Experiment == "":
				figure, err = report.PlotTable(a.Results)
			default:
				if !c.Flags().Changed("figure") {
					e, err := study.FindExperiment(a.Experiment)
					if err != nil {
						return err
					}
					name = e.Figures[0]
				}
				figure, err = report.Plot(a, name)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			if err := figure.Save(file); err != nil {
				return err
			}
			p.note("drawn: %s", filepath.Clean(file))
			return nil
		},
	}
	var lists []string
	for _, e := range study.Experiments {
		lists = append(lists, e.Name+": "+strings.Join(e.Figures, ", "))
	}
	c.Long += "\n\nThe figures of each experiment, the first one the default: " + strings.Join(lists, "; ") + "."
	c.Flags().StringVar(&name, "figure", "", "figure of an experiment")
	c.Flags().StringVar(&file, "out", "", "file to draw into, .png, .svg or .pdf (required)")
	required(c, "out")
	return c
}

// readResults reads a results folder, or the archive in a file.
func (p *program) readResults(path string) (results.Archive, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return p.archiveOf(path)
	}
	dir, name := filepath.Split(path)
	a, err := results.OpenArchive(os.DirFS(cmp.Or(dir, ".")), name)
	if err != nil && dir != "" {
		return results.Archive{}, fmt.Errorf("%s: %w", filepath.Clean(dir), err)
	}
	return a, err
}
