package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"synpool/internal/disk"
	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/interop"
	"synpool/milbench/mil"
)

// partsName is the file of the folds beside the split files of CLAM.
const partsName = "folds.csv"

// foldsOf is the subcommand that writes folds for other programs.
func (p *program) foldsOf() *cobra.Command {
	var (
		open           readFlags
		out, format    string
		instances      string
		folds, repeats int
		file           string
		seed           uint64
	)
	c := &cobra.Command{
		Use:   "folds NAME|FILE",
		Short: "Write the folds of a set for models that you train elsewhere",
		Long: `The folds are those of milbench run with the same --folds, --repeats and --seed. They are stratified
by label, and bags of one group stay in one part. For each fold, train your model on the other bags
of the repeat and score the bags of the fold. Then give the scores to milbench score.

The file is a CSV table with one line per bag and repeat. Its columns:
  bag, group, repeat
  fold          the one that tests the bag; empty if an official split only trains on it
  the target    as in the file: label and class; label of numbers; time and event of survival
  all others    the same on every line: the set, its checksum, the kind of target, the protocol,
                folds, folds_run and the seed

--format clam writes a folder instead. It has one file per fold of each repeat, as CLAM reads them:
splits_0.csv, splits_1.csv and so on, with a fifth of the training part as val. The table above is
beside them, in ` + partsName + `. docs/judge.md goes through an example.

--folds-file takes given folds, such as those of a paper, and writes them in either format.` + filesHelp,
		Example: `  milbench folds bags.csv --out folds.csv
  milbench folds musk1 --repeats 2 --out folds.csv --bags bags.csv
  milbench folds features --labels slides.csv --folds 5 --format clam --out splits`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if format != "csv" && format != "clam" {
				return fmt.Errorf("--format %q: no such format; use csv or clam", format)
			}
			sets, err := p.open(&open, args)
			if err != nil {
				return err
			}
			set := sets[0]
			protocol := cv.Protocol{Name: cv.HonestProtocol, Repeats: repeats}
			if c.Flags().Changed("folds") {
				if protocol.Folds = folds; folds < 2 {
					return protocol.Validate()
				}
			}
			if err := checkFolds(c.Flags(), set.HasSplit()); err != nil {
				return err
			}
			if protocol, err = p.given(protocol, file, c.Flags(), set); err != nil {
				return err
			}
			protocol = protocol.On(set)
			parts, err := milbench.Folds(set, protocol, seed)
			if err != nil {
				return err
			}
			if instances != "" {
				if err := writeNew("--bags", instances, writeBags(set)); err != nil {
					return err
				}
			}
			if format == "csv" {
				err = writeNew("--out", out, parts.Write)
			} else {
				var splits []interop.Split
				if splits, err = interop.Splits(set, protocol, seed); err == nil {
					err = writeCLAM(out, splits, parts)
				}
			}
			if err != nil && instances != "" {
				err = errors.Join(err, os.Remove(instances))
			}
			if err != nil {
				return err
			}
			p.noteFormulas(set)
			written := out
			if format == "clam" {
				written = filepath.Join(out, partsName)
			}
			repeated := "1 repeat"
			if n := len(parts.Tested); n > 1 {
				repeated = fmt.Sprintf("%d repeats", n)
			}
			fmt.Fprintf(p.out, "%d bags, %s of %d folds in %s; give the scores of the test bags to: milbench score SCORES.csv --folds %s --name NAME --out RESULTS\n",
				len(parts.Bags), repeated, parts.Run, out, written)
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&out, "out", "", "`file` of the folds or, with --format clam, their folder (required); never overwrites")
	f.StringVar(&instances, "bags", "", "`file` to write the instances of the bags to, without instance labels: a CSV table with a header")
	f.StringVar(&format, "format", "csv", "`format` of the folds: csv, or clam for split files as CLAM reads them")
	f.IntVar(&folds, "folds", 0, "folds per repeat, for sets without an official split (default 10, fewer for few bags; ucsb 4)")
	f.StringVar(&file, "folds-file", "", foldsFileHelp)
	f.IntVar(&repeats, "repeats", cv.Honest().Repeats, "repeats with other folds")
	f.Uint64Var(&seed, "seed", 1, "seed of the folds")
	inGroup(f, fileFlags, func() { open.addSources(f) })
	required(c, "out")
	return c
}

// writeBags returns a function that writes the instances of a set as a table with a header, for programs that cannot read its file.
func writeBags(s *mil.Set) func(io.Writer) error {
	plain := *s
	plain.InstanceLabels = nil // which no model may see
	if plain.Features == nil {
		for k := range plain.NumFeatures() {
			plain.Features = append(plain.Features, fmt.Sprint("f", k+1))
		}
	}
	return func(w io.Writer) error { return dataset.WriteCSV(w, &plain) }
}

// writeCLAM writes a split file for each fold, and the table of the folds beside them.
func writeCLAM(dir string, splits []interop.Split, parts *interop.Parts) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for k, split := range splits {
		if err := writeNew("--out", filepath.Join(dir, fmt.Sprintf("splits_%d.csv", k)), split.Write); err != nil {
			return err
		}
	}
	return writeNew("--out", filepath.Join(dir, partsName), parts.Write)
}

// writeNew writes the file of a flag, whole or not at all. The file must not exist yet.
func writeNew(flag, path string, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %s is there already; name another file or remove it", flag, path)
	}
	if err := disk.Write(path, write); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// score is the subcommand that adds the scores of a model from another program to results.
func (p *program) score() *cobra.Command {
	var folds, name, out string
	c := &cobra.Command{
		Use:   "score SCORES.csv",
		Short: "Judge a model trained elsewhere by its scores on the folds",
		Long: `SCORES.csv has the columns bag, repeat and fold, and by the kind of target:
  two labels   score: a logit, or any number that is larger for positive bags (accuracy and
               log-loss read it as a logit); or probability, of the positive label; or the
               columns of classes
  classes      probability_WORD for each class, with sum 1 within 0.001; or score_WORD: logits
  numbers      value or prediction
  survival     risk: the larger, the earlier the event
Columns may stand in any order, with others beside them. Commas, semicolons or tabs separate them.

Every test bag of every fold must be there once, for the folds of --folds, which milbench folds
wrote. Otherwise nothing is stored. Probabilities are stored as logarithms, and those below 1e-12 as
the logarithm of 1e-12.

The results in --out stand beside those of milbench run with the same folds and seed, in tables,
figures and tests, under --name. They are marked declared: milbench has not seen the training.`,
		Example: `  milbench score scores.csv --folds folds.csv --name my-clam --out results`,
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if folds == "" || name == "" {
				return errors.New("--folds and --name are needed: the file that milbench folds wrote, and the name of the model in tables")
			}
			parts, err := readWith(folds, interop.Read)
			if err != nil {
				return err
			}
			f, err := disk.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			added, all, err := milbench.Score(parts, f, args[0], name, out)
			if err != nil {
				return err
			}
			p.note("%d results of %s added to %s, %d were there already", added, name, out, all-added)
			return p.writeTable(out, "md")
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&folds, "folds", "", "`file` that milbench folds wrote (required)")
	f.StringVar(&name, "name", "", "`name` of the model in tables (required)")
	f.StringVar(&out, "out", "", "`folder` of the results, made if it is missing (required)")
	required(c, "out")
	return c
}

// readWith reads a file.
func readWith[T any](path string, read func(io.Reader, string) (T, error)) (T, error) {
	f, err := disk.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f, path)
}
