package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench/learners/neural"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/paper"
	"synpool/paper/report"
)

// study is the subcommand that runs an experiment.
func (p *program) study() *cobra.Command {
	var (
		dir    string
		quick  bool
		sets   []string
		seed   uint64
		cores  int
		memory memorySize
		part   string
	)
	c := &cobra.Command{
		Use:   "study NAME --out DIR",
		Short: "Run an experiment of the Syn paper or of this project",
		Long: `milbench study list shows the experiments and how long they take. Raw scores are kept in DIR/NAME. A
stopped experiment resumes when you run the same command again.

--quick runs a part of it, in under two minutes, in DIR/NAME-quick. Sets that have not been fetched
are left out and named. --sets chooses some.

Unless an experiment varies it, Syn has gamma 0.5 and a layer norm, as in the released program.
milbench run --preset paper has the setting of the paper: gamma 1, no layer norm.` + shardHelp,
		Example: `  milbench study ablation --quick --out results
  milbench study list
  milbench study poolings --out results
  milbench study poolings --out results --shard 3/12`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkCores(cores); err != nil {
				return err
			}
			which, err := run.ParseShard(part)
			if err != nil {
				return err
			}
			e, err := paper.FindExperiment(args[0])
			if err != nil {
				return err
			}
			form, folder := e.Full, e.Name
			if quick {
				form, folder = e.Quick, e.Name+"-quick"
			}
			if sets != nil {
				if form, err = form.Only(sets...); err != nil {
					return fmt.Errorf("--sets: %w", err)
				}
			}
			machine := p.fleet(cores, memory.bound())
			defer machine.Close()
			runs, missing, err := form.Runs(filepath.Join(dir, folder), nil, seed) // equip sets the learner
			if err != nil {
				return err
			}
			trainer, err := p.equip(runs, machine, runs[0].Dir)
			if err != nil {
				return err
			}
			if err := p.gather(c.Context(), which, runs[0].Dir, runs, false, true); err != nil {
				return err
			}
			plans, err := p.plan(runs)
			if err != nil { // a set that memory cannot hold
				return err
			}
			for _, m := range missing {
				p.note("note: left out: %v", m.Err)
			}
			if which != nil {
				return p.trainShard(c.Context(), runs, newEstimate(runs[0].Backend, trainer, plans).Total)
			}
			p.note("%s (%s)", e.Question, form.Scope)
			err = p.do(c.Context(), runs)
			if err == nil && form.Spaces {
				err = p.keepSpaces(c.Context(), runs, trainer)
			}
			return p.tabulated(err, runs[0].Dir, results.Formats[0])
		},
	}
	f := c.Flags()
	f.StringVar(&dir, "out", "", "`folder` of the results, made if it is missing (required)")
	f.BoolVar(&quick, "quick", false, "take the quick form: see milbench study list")
	f.StringSliceVar(&sets, "sets", nil, "`names` of the sets of the experiment to run (default all)")
	f.Uint64Var(&seed, "seed", 1, "seed of folds, weights, order, dropout, noise, drawings and shuffles")
	coresFlag(f, &cores)
	f.Var(&memory, "memory", "memory limit, say 500MB, 2GB or 1.5GiB (default half of the free memory)")
	shardFlag(f, &part)
	required(c, "out")
	c.AddCommand(p.studyList(), p.studyArchive(), p.studyReport())
	return c
}

// sameMaker reports a result of another version or backend than a run's. The results of an experiment, or of shards, go into
// one table and must have the same maker.
func sameMaker(path string, was results.Result, r run.Run) error {
	if was.Version == r.Version && was.Backend == r.Backend {
		return nil
	}
	return fmt.Errorf("%s holds results of version %s on backend %s, and this is version %s on %s; choose another --out, or use that version and backend",
		path, was.Version, was.Backend, r.Version, r.Backend)
}

// keepSpaces stores the spaces of runs: the places of instances and bags.
func (p *program) keepSpaces(ctx context.Context, runs []run.Run, trainer neural.Trainer) error {
	bar := p.progress()
	defer bar.clear()
	for _, r := range runs {
		err := paper.KeepSpaces(ctx, r, trainer, func(set string, setting json.RawMessage) {
			bar.show(func() string { return fmt.Sprintf("%s: training what pools %s", set, setting) })
		})
		if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w: finished work is kept in %s; run the same command again to resume", s, r.Dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listedStudy is an experiment as milbench study list --json writes it.
type listedStudy struct {
	Name     string     `json:"name"`
	Question string     `json:"question"`
	Paper    string     `json:"paper,omitempty"`
	Figures  []string   `json:"figures"`
	Full     listedForm `json:"full"`
	Quick    listedForm `json:"quick"`
}

type listedForm struct {
	Sets    []string `json:"sets"`
	Scope   string   `json:"scope"`
	Seconds float64  `json:"about_seconds"`
}

// studyList is the subcommand that shows the experiments.
func (p *program) studyList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the experiments with their question, scope and running time",
		Long:    `The scope and the time on two cores with XLA are those of the full form and of --quick.`,
		Example: "  milbench study list\n  milbench study list --json",
		Args:    arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			var list []listedStudy
			form := func(f paper.Form) listedForm { return listedForm{f.Sets(), f.Scope, f.Time.Seconds()} }
			for _, e := range paper.Experiments {
				list = append(list, listedStudy{e.Name, e.Question, e.Paper, e.Figures, form(e.Full), form(e.Quick)})
			}
			return p.print(asJSON, list, func(w io.Writer) {
				for i, e := range list {
					if i > 0 {
						fmt.Fprintln(w)
					}
					paper := ""
					if e.Paper != "" {
						paper = " (paper: " + e.Paper + ")"
					}
					fmt.Fprintf(w, "%s: %s%s\n", e.Name, e.Question, paper)
					fmt.Fprintf(w, "  in full: %s; %s\n", e.Full.Scope, about(e.Full.Seconds))
					fmt.Fprintf(w, "  --quick: %s; %s\n", e.Quick.Scope, about(e.Quick.Seconds))
				}
			})
		},
	}
	addJSON(c, &asJSON)
	return c
}

// studyArchive is the subcommand that writes the results of an experiment in compact form.
func (p *program) studyArchive() *cobra.Command {
	var (
		out string
		add bool
	)
	c := &cobra.Command{
		Use:   "archive DIR/NAME --out ARCHIVES",
		Short: "Archive the results of an experiment as compact JSON",
		Long: `ARCHIVES/NAME.json.gz holds scores, curves and spaces with five significant digits. The same results
give the same bytes. ARCHIVES/times/NAME.jsonl holds how long the runs took.

--add keeps the sets that the archive has and DIR/NAME lacks. An archive is not replaced if fits
would be lost, say fits of the full form when DIR/NAME holds the quick one.`,
		Example: "  milbench study archive results/ablation --out archives\n  milbench study report archives",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			archive, err := p.archiveOf(args[0])
			if err != nil {
				return err
			}
			if archive.Experiment == "" {
				return fmt.Errorf("%s is not a folder of milbench study; its name is not in milbench study list", args[0])
			}
			if archive, err = replaced(out, archive, add); err != nil {
				return err
			}
			path, err := archive.Save(out)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			p.note("%d fits in %s", len(archive.Results), path)
			form, quick, err := paper.FormOf(archive)
			if err != nil {
				return err
			}
			size, command := "full", "milbench study "+archive.Experiment
			if quick {
				size, command = "quick", command+" --quick"
				p.note("note: all are of the quick form: %s", form.Scope)
			}
			absent, lacks, err := paper.Lacking(archive, form)
			if len(absent) > 0 {
				p.note("note: the %s form lacks the sets %s; fetch them with milbench data fetch and run them with %s --sets", size, strings.Join(absent, ", "), command)
			}
			for _, l := range lacks {
				p.note("note: the %s form lacks %s; to complete it run %s", size, l, command)
			}
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "`folder` of the archives, made if it is missing (required)")
	c.Flags().BoolVar(&add, "add", false, "keep what ARCHIVES/NAME.json.gz holds of other sets")
	required(c, "out")
	return c
}

// replaced returns the new archive of an experiment in dir: next, or with add the old archive and next together. It refuses to lose
// fits of the old archive, say of the full form when next is the quick one.
func replaced(dir string, next results.Archive, add bool) (results.Archive, error) {
	path := filepath.Join(dir, results.ArchiveName(next.Experiment))
	old, err := results.OpenArchive(os.DirFS(dir), results.ArchiveName(next.Experiment))
	switch {
	case errors.Is(err, fs.ErrNotExist) && add:
		return results.Archive{}, fmt.Errorf("--add: %s has no archive of %s; leave the flag out", dir, next.Experiment)
	case errors.Is(err, fs.ErrNotExist):
		return next, nil
	case err != nil:
		return results.Archive{}, fmt.Errorf("%s: %w; choose another --out, or remove %s", dir, err, path)
	case add:
		_, was, err1 := paper.FormOf(old)
		_, is, err2 := paper.FormOf(next)
		if err := errors.Join(err1, err2); err != nil {
			return results.Archive{}, err
		}
		if was != is {
			return results.Archive{}, fmt.Errorf("--add: an archive cannot hold both the full and the quick form of %s, as %s would; choose another --out", next.Experiment, path)
		}
		if next, err = old.Add(next); err != nil {
			return results.Archive{}, err
		}
	}
	lost := make(map[string]bool)
	for _, r := range old.Results {
		lost[r.Fit] = true
	}
	for _, r := range next.Results {
		delete(lost, r.Fit)
	}
	switch {
	case len(lost) > 0 && add:
		return results.Archive{}, fmt.Errorf("%s has %d fits on the same sets that would be lost; choose another --out", path, len(lost))
	case len(lost) > 0:
		return results.Archive{}, fmt.Errorf("%s has %d fits that would be lost; use --add to keep those on other sets, choose another --out, or remove it", path, len(lost))
	}
	return next, nil
}

// unmerged notes results of shards that are not merged in a folder, or that it cannot tell.
func (p *program) unmerged(dir string) {
	err := results.Unmerged(dir)
	switch {
	case errors.Is(err, results.ErrUnmerged):
		p.note("note: left out: %v", err)
	case err != nil:
		p.note("note: cannot tell whether results of shards are left out: %v", err)
	}
}

// archiveOf reads a results folder. The experiment has the name of the folder; it is "" if there is none of that name.
func (p *program) archiveOf(dir string) (results.Archive, error) {
	rs, err := results.Read(dir)
	if err != nil {
		return results.Archive{}, err
	}
	p.unmerged(dir)
	a := results.Archive{Results: rs}
	if e, err := paper.FindExperiment(strings.TrimSuffix(filepath.Base(filepath.Clean(dir)), "-quick")); err == nil {
		a.Experiment = e.Name
	}
	curves, err := results.ReadCurves(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return results.Archive{}, err
	}
	if a.Times, err = results.ReadTimes(filepath.Join(dir, results.TimesName)); err != nil {
		return results.Archive{}, err
	}
	if a.Spaces, err = results.ReadSpaces(dir); err != nil {
		return results.Archive{}, err
	}
	if a.Curves, err = results.MeanCurves(curves); err != nil {
		return results.Archive{}, fmt.Errorf("%s: %w", dir, err)
	}
	return a, nil
}

// studyReport is the subcommand that writes RESULTS.md.
func (p *program) studyReport() *cobra.Command {
	var (
		tables, times bool
		out           string
	)
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Write verdicts, tables and figures from archived results",
		Long: `It reads the archives of milbench study archive in a folder and prints the page of verdicts as
Markdown. --out writes RESULTS.md and, below docs/, all tables and the figures.

Sentences on these pages were written about the committed results. A sentence that does not hold for
your results is left out, and a line says so. If your archive is as large, it is an error, too.`,
		Example: "  milbench study report paper/results --out .\n  milbench study report paper/results --tables",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			archives, err := results.ReadArchives(os.DirFS(args[0]))
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			switch {
			case out != "":
				return report.WriteFiles(out, archives)
			case tables:
				return report.WriteTables(p.out, archives)
			case times:
				return report.WriteTimes(p.out, archives)
			}
			return report.Write(p.out, archives)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`folder` for the page, the tables and the figures, which are replaced")
	c.Flags().BoolVar(&tables, "tables", false, "print the tables of all experiments instead")
	c.Flags().BoolVar(&times, "times", false, "print how long the runs took instead; times differ from run to run")
	c.MarkFlagsMutuallyExclusive("out", "tables", "times")
	return c
}
