package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"synpool/milbench/dataset"
	"synpool/milbench/dataset/intake"
	"synpool/milbench/mil"
)

// fileForms says in help texts what a file may be; filesHelp says it under a heading.
const (
	fileForms = `
A FILE is a table, a folder of arrays or a MATLAB file: milbench help files.`
	filesHelp = "\n\nFiles:" + fileForms
)

// columnFlags name the columns of a table.
type columnFlags struct {
	options dataset.Options
	column  columnValue
}

// addBags adds flags that say where the bags of a file or folder are, labelled or not.
func (f *columnFlags) addBags(flags *pflag.FlagSet) {
	flags.StringVar(&f.options.Labels, "labels", "", "`table` of the bags, CSV or TSV, for a folder of bags or an HDF5 file (default labels.csv in the folder, or its only table)")
	flags.StringVar(&f.options.Array, "features", "", "`array` of the features in HDF5, .npz and .pt files (default features, or the only one besides coordinates)")
	flags.StringVar(&f.options.Bag, "bag", "", "`column` of the bags' ids in a table (default the first of bag, slide_id, image_id, ...); for a folder, the column of patients, say, whose files become one bag")
	flags.BoolVar(&f.options.Subset, "subset", false, "leave out bags without a label, without a file or without a line in the table, and bags that cannot be read")
	flags.StringSliceVar(&f.options.Coordinates, "coordinates", nil, "two `columns` of a table that say where instances are, or none (default x,y if both are there and z is not)")
}

// addLabels adds the flags of subcommands that read labels, too.
func (f *columnFlags) addLabels(flags *pflag.FlagSet) {
	o := &f.options
	f.addBags(flags)
	flags.StringVar(&o.Label, "label", "", "`column` of the labels in a table (default the first of label, class, target, diagnosis, grade)")
	flags.StringVar(&o.Group, "group", "", "`column` of the groups in a table, say patients; a group is never split between training and test (default the first of group, case_id, patient_id, ...)")
	flags.StringVar(&o.Split, "split", "", "`column` of the official split in a table: train, val or test; val counts as train (default split). Or a CSV file with the columns train, val and test that list the bags, as CLAM writes it. Or none: ignore the split")
}

func (f *columnFlags) addTo(flags *pflag.FlagSet) {
	o := &f.options
	f.addLabels(flags)
	flags.BoolVar(&o.Numbers, "numbers", false, "read integer labels as numbers (counts, say), not as classes")
	flags.StringSliceVar(&o.Order, "order", nil, "all `labels` of three or more classes in their order, say low,middle,high, for quadratic kappa and the confusion matrix (default numbers by value, words by alphabet)")
	flags.StringSliceVar(&o.Categorical, "categorical", nil, "`columns` of words in a table; each word becomes a feature")
	flags.StringSliceVar(&o.AsFeatures, "as-features", nil, "`columns` of a table to take as features although they look like bookkeeping: folds, times, row numbers, other labels and ids")
	flags.Var((*missingValue)(&o.Median), "missing", "`way` to treat missing values of a table: refuse (default), or median: take that of each training part and add a feature x=missing that marks where x is missing")
}

// given returns the first flag that is given.
func (f *columnFlags) given() string {
	for _, c := range []struct {
		flag  string
		given bool
	}{{"labels", f.options.Labels != ""}, {"bag", f.options.Bag != ""}, {"label", f.options.Label != ""}, {"group", f.options.Group != ""}, {"split", f.options.Split != "" && f.options.Split != dataset.NoSplit}, {"categorical", len(f.options.Categorical) > 0}, {"as-features", len(f.options.AsFeatures) > 0}, {"coordinates", len(f.options.Coordinates) > 0}, {"features", f.options.Array != ""}, {"subset", f.options.Subset}, {"missing", f.options.Median}, {"numbers", f.options.Numbers}, {"order", f.options.Order != nil}, {"instance-label-column", f.column.Column != dataset.NoColumn}} {
		if c.given {
			return c.flag
		}
	}
	return ""
}

// missingValue is the value of the flag --missing: whether medians are taken.
type missingValue bool

func (m *missingValue) String() string {
	if *m {
		return "median"
	}
	return ""
}

func (m *missingValue) Set(text string) error {
	if text != "median" && text != "refuse" {
		return errors.New("give refuse or median")
	}
	*m = text == "median"
	return nil
}

func (m *missingValue) Type() string { return "way" }

// open opens a name or file.
func (f *columnFlags) open(p *program, nameOrFile string) (*dataset.Source, error) {
	o := f.options
	o.Note = func(text string) { p.note("note: %s", text) }
	source, err := o.Open(nameOrFile)
	if err == nil && source.Entry != nil {
		err = f.check()
	}
	return source, err
}

// check reports a flag for files, given for a named set.
func (f *columnFlags) check() error {
	if flag := f.given(); flag != "" {
		return fmt.Errorf("--%s is for files; the columns of a named set are known", flag)
	}
	return nil
}

// openNew opens bags with the features of a model.
func (f *columnFlags) openNew(p *program, features []string, centre []float64, nameOrFile string) (*mil.Set, error) {
	f.options = f.options.For(features, centre, f.column.Column)
	source, err := f.open(p, nameOrFile)
	if err != nil {
		return nil, err
	}
	if column := f.column.Column; features != nil && source.Stored.Features != nil && column != dataset.NoColumn {
		return nil, fmt.Errorf("--instance-label-column %v: the features are taken by the names that the model knows; leave the flag out", column)
	}
	return source.Set(f.column.Column)
}

// sources opens the sets to learn from. Files are audited first.
type sources struct {
	columns  columnFlags
	positive string
	keepLeak bool
}

func (s *sources) addTo(flags *pflag.FlagSet) {
	s.columns.addTo(flags)
	s.columns.column.addTo(flags)
	flags.StringVar(&s.positive, "positive", "", "positive `label` of two, as the file writes it (default the larger number, a known word such as tumour or mut, else the rarer label)")
	flags.BoolVar(&s.keepLeak, "keep-leak", false, "train although a column of the file leaks the labels, and mark every result leaked")
}

// source is a set and the entry of its name, nil for a file.
type source struct {
	set   *mil.Set
	entry *dataset.Entry
}

// open opens all names and files. They must hold different bags.
func (p *program) open(s sources, namesOrFiles []string) ([]source, error) {
	var opened []source
	files := 0
	for _, nameOrFile := range namesOrFiles {
		one, err := p.openOne(s, nameOrFile)
		if err != nil {
			return nil, err
		}
		if one.entry == nil {
			files++
		}
		for i, other := range opened {
			if other.set.Checksum == one.set.Checksum {
				return nil, fmt.Errorf("%s holds the same bags as %s; name one of them", nameOrFile, namesOrFiles[i])
			}
		}
		opened = append(opened, one)
	}
	return opened, s.check(files)
}

// check reports a flag for files if there are no files.
func (s *sources) check(files int) error {
	if files == 0 {
		if err := s.columns.check(); err != nil {
			return err
		}
	}
	if files == 0 && s.positive != "" {
		return errors.New("--positive is for files; the positive label of a named set is known")
	}
	if files == 0 && s.keepLeak {
		return errors.New("--keep-leak is for files; a named set has no column that leaks the labels")
	}
	return nil
}

// openOne opens a name or file.
func (p *program) openOne(s sources, nameOrFile string) (source, error) {
	o := intake.Options{Options: s.columns.options, Column: s.columns.column.Column, Positive: s.positive, KeepLeak: s.keepLeak}
	o.Note = func(text string) { p.note("note: %s", text) }
	set, entry, err := o.Open(nameOrFile)
	if err == nil && entry == nil && s.keepLeak && !set.Leaked {
		o.Note(nameOrFile + ": no column leaks the labels, so --keep-leak changes nothing")
	}
	if errors.As(err, new(*intake.LeakError)) {
		err = finding{err}
	}
	return source{set, entry}, err
}

// columnValue is the value of the flag --instance-label-column.
type columnValue struct{ dataset.Column }

func (c *columnValue) addTo(flags *pflag.FlagSet) {
	flags.Var(c, "instance-label-column", "stored `column` of a file that holds instance labels, not a feature: last, or its number from 1")
}

func (c *columnValue) Set(text string) error {
	column, err := dataset.ParseColumn(text)
	if err == nil && column == dataset.NoColumn {
		err = errors.New("give last or the number of a column, from 1")
	}
	c.Column = column
	return err
}

func (c *columnValue) Type() string { return "column" }
