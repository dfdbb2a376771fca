package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench/charts"
	"synpool/milbench/results"
	"synpool/paper"
	"synpool/paper/report"
	"synpool/plotting"
)

// plot is the subcommand that draws results.
func (p *program) plot() *cobra.Command {
	var name, file, setting string
	var sets []string
	maps := charts.Heatmaps{Extremes: 10}
	c := &cobra.Command{
		Use:   "plot DIR|ARCHIVE|SCORES|MODEL --out FILE",
		Short: "Draw results, heat maps of slides, or the reliability of probabilities",
		Long: `The name of --out ends with the format: .png, .svg or .pdf.

What you can draw:
  DIR       a folder of milbench run: the main figure of each setting on each set with its
            interval; or a folder of milbench study: a figure of the experiment
  ARCHIVE   a file NAME.json.gz of milbench study archive: a figure of the experiment
  SCORES    a CSV file of milbench predict --instances: heat maps
  MODEL     a folder of milbench train --calibrate: the reliability of its probabilities
The main figure is the AUC for two classes, the macro AUC for more, R² for numbers and the
concordance for survival. If the sets have several kinds of target, choose some with --set.

Few training bags:
  --figure shots       the main figure of each setting against the number of training bags of each
                       class, of milbench run --shots

Test bags:
These show one setting on one set, named by --setting and --set as in milbench table. The default
setting is the one with the best figure.
  --figure confusion   how many bags of each class are called which class, averaged over repeats;
                       shades are shares of a row
  --figure scatter     predicted against true numbers, averaged over repeats, with pooled R², MAE
                       and Spearman's ρ as in the table
  --figure survival    Kaplan-Meier curves of the thirds by risk (mean rank over repeats), with
                       the numbers at risk and the p-value of the log-rank test

Heat maps:
--figure heatmap needs SCORES with the columns x and y. --out is a folder that gets:
  BAG.png        for each bag, its tiles in their places, coloured by rank within the bag: 0 for the
                 lowest weight or score, 1 for the highest
  BAG.geojson    the same tiles for QuPath
  extremes.csv   the first and the last instances of all bags
--thumbnails names a folder of BAG.png or BAG.jpg to draw on. --scale says how many pixels of the
slide, along a side, make one pixel of the thumbnail.
The column tile of SCORES says how large the tiles are, if the files of the bags said so.

Reliability:
--figure reliability shows the share of positives among held-out bags of about the same probability,
before and after the calibration, with 95 % intervals and the number of bags. Calibrated
probabilities lie on the diagonal.

Figures of each experiment, the default first:
`,
		Example: "  milbench plot results --out auc.png\n  milbench plot results --figure confusion --setting gated --out confusion.png\n  milbench plot results/iterations --figure sweep --out sweep.svg\n  milbench plot paper/results/iterations.json.gz --out sweep.svg\n  milbench plot scores.csv --figure heatmap --out maps\n  milbench plot model --figure reliability --out reliability.png",
		Args:    arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := args[0]
			bags, shots := slices.Contains(charts.BagNames, name), name == charts.ShotsName
			if setting != "" && !bags {
				return fmt.Errorf("--setting is for the figures %s; leave it out", strings.Join(charts.BagNames, ", "))
			}
			if len(sets) > 0 && c.Flags().Changed("figure") && !bags && !shots {
				return fmt.Errorf("--set is for tables and for the figures %s; leave it out", strings.Join(append([]string{charts.ShotsName}, charts.BagNames...), ", "))
			}
			if len(sets) > 1 && bags {
				return fmt.Errorf("--figure %s draws one set; name one with --set", name)
			}
			for _, flag := range []string{"thumbnails", "scale", "tile", "column", "extremes"} {
				if c.Flags().Changed(flag) && name != heatmapFigure {
					return fmt.Errorf("--%s is for --figure %s; leave it out", flag, heatmapFigure)
				}
			}
			if name == heatmapFigure {
				return p.drawHeatmaps(maps, dir, file)
			}
			if name == reliabilityFigure {
				return p.drawReliability(dir, file)
			}
			a, err := p.readResults(dir)
			if err != nil {
				return err
			}
			if len(a.Results) == 0 {
				return fmt.Errorf("%s: %w", dir, results.ErrNoResults)
			}
			var figure *plotting.Figure
			switch {
			case bags:
				figure, err = charts.Bags(a.Results, name, strings.Join(sets, ""), setting)
			case shots:
				figure, err = charts.Shots(a.Results, sets...)
			case c.Flags().Changed("figure") && a.Experiment == "":
				return fmt.Errorf("--figure %s: %s is not a folder of milbench study; leave the flag out or take one of %s",
					name, dir, strings.Join(append([]string{charts.ShotsName}, charts.BagNames...), ", "))
			case a.Experiment == "" || len(sets) > 0:
				figure, err = charts.Table(a.Results, sets...)
			default:
				if !c.Flags().Changed("figure") {
					e, err := paper.FindExperiment(a.Experiment)
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
			return p.save(figure, file)
		},
	}
	var lists []string
	for _, e := range paper.Experiments {
		lists = append(lists, fmt.Sprintf("  %-19s%s", e.Name, strings.Join(e.Figures, ", ")))
	}
	c.Long += strings.Join(lists, "\n")
	c.Flags().StringVar(&name, "figure", "", "`name` of the figure: one of the experiment, "+charts.ShotsName+", "+strings.Join(charts.BagNames, ", ")+", "+heatmapFigure+" or "+reliabilityFigure)
	c.Flags().StringVar(&setting, "setting", "", "`name` in the table of the setting whose bags to draw (default the best)")
	c.Flags().StringArrayVar(&sets, "set", nil, "`name` in the table of a set to draw; repeat the flag for more (default all)")
	c.Flags().StringVar(&file, "out", "", "`file` to draw into: .png, .svg or .pdf; for heat maps a folder (required)")
	c.Flags().StringVar(&maps.Thumbnails, "thumbnails", "", "`folder` of pictures of the slides to draw heat maps on")
	c.Flags().Float64Var(&maps.Scale, "scale", 0, "pixels of a slide per pixel of its thumbnail, along a side")
	c.Flags().StringSliceVar(&maps.Tile, "tile", nil, "`side` of a tile in pixels of the slide, of all bags or, as BAG=SIDE, of one; or the column of SCORES that has the sides (default the column tile, or else a guess from the distances of tiles)")
	c.Flags().StringVar(&maps.Column, "column", "", "`column` of SCORES that heat maps show, such as score_CLASS (default weight, or else score)")
	c.Flags().IntVar(&maps.Extremes, "extremes", maps.Extremes, "`number` of instances that extremes.csv lists at either end of a slide")
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

// heatmapFigure is the name of the figure of instance scores.
const heatmapFigure = "heatmap"

// drawHeatmaps draws the heat maps of a file of scores into a folder.
func (p *program) drawHeatmaps(maps charts.Heatmaps, scores, dir string) error {
	switch {
	case (maps.Thumbnails == "") != (maps.Scale == 0):
		return errors.New("--thumbnails and --scale go together; give both")
	case maps.Scale < 0 || maps.Extremes < 0:
		return errors.New("--scale and --extremes: no negative number makes sense")
	}
	count, err := maps.Write(scores, dir, p.note)
	if err != nil {
		return err
	}
	p.note("drawn: %d heat maps in %s, with GeoJSON and extremes.csv", count, filepath.Clean(dir))
	return nil
}
