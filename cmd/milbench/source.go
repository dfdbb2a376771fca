package main

import (
	"errors"

	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/mil"
)

// fileForms says in help texts what a file may be; filesHelp says it under a heading.
const (
	fileForms = `
A FILE is a table, a folder of arrays or a MATLAB file: milbench help files.`
	filesHelp = "\n\nFiles:" + fileForms
)

// readFlags say how a file is read.
type readFlags struct{ how milbench.Reading }

// addBags adds flags that say where the bags of a file or folder are, labelled or not.
func (f *readFlags) addBags(flags *pflag.FlagSet) {
	flags.StringVar(&f.how.Labels, "labels", "", "`table` of the bags, CSV or TSV, for a folder of bags or an HDF5 file (default labels.csv in the folder, or its only table)")
	flags.StringVar(&f.how.Array, "features", "", "`array` of the features in HDF5, .npz and .pt files (default features, or the only one besides coordinates)")
	flags.StringVar(&f.how.Bag, "bag", "", "`column` of the bags' ids in a table (default the first of bag, slide_id, image_id, ...); for a folder, the column of patients, say, whose files become one bag")
	flags.BoolVar(&f.how.Subset, "subset", false, "leave out bags without a label, without a file or without a line in the table, and bags that cannot be read")
	flags.StringSliceVar(&f.how.Coordinates, "coordinates", nil, "two `columns` of a table that say where instances are, or none (default x,y if both are there and z is not)")
}

// addLabels adds the flags of subcommands that read labels, too.
func (f *readFlags) addLabels(flags *pflag.FlagSet) {
	o := &f.how
	f.addBags(flags)
	flags.StringVar(&o.Label, "label", "", "`column` of the labels in a table (default the first of label, class, target, diagnosis, grade)")
	flags.StringVar(&o.Group, "group", "", "`column` of the groups in a table, say patients; a group is never split between training and test (default the first of group, case_id, patient_id, ...)")
	flags.StringVar(&o.Split, "split", "", "`column` of the official split in a table: train, val or test; val counts as train (default split). Or a CSV file with the columns train, val and test that list the bags, as CLAM writes it. Or none: ignore the split")
}

func (f *readFlags) addTo(flags *pflag.FlagSet) {
	o := &f.how
	f.addLabels(flags)
	flags.BoolVar(&o.Numbers, "numbers", false, "read integer labels as numbers (counts, say), not as classes")
	flags.StringSliceVar(&o.Order, "order", nil, "all `labels` of three or more classes in their order, say low,middle,high, for quadratic kappa and the confusion matrix (default numbers by value, words by alphabet)")
	flags.StringSliceVar(&o.Categorical, "categorical", nil, "`columns` of words in a table; each word becomes a feature")
	flags.StringSliceVar(&o.AsFeatures, "as-features", nil, "`columns` of a table to take as features although they look like bookkeeping: folds, times, row numbers, other labels and ids")
	flags.StringSliceVar(&o.Ignore, "ignore", nil, "`columns` of a table to leave out: dates, names")
	flags.Var(&parsed{kind: "way", read: func(text string) error {
		if o.Median = text == "median"; !o.Median && text != "refuse" {
			return errors.New("give refuse or median")
		}
		return nil
	}}, "missing", "`way` to treat missing values of a table: refuse (default), or median: take that of each training part and add a feature x=missing that marks where x is missing")
}

// addSources adds the flags of subcommands that learn from the bags, whose files are audited first.
func (f *readFlags) addSources(flags *pflag.FlagSet) {
	f.addTo(flags)
	f.addColumn(flags)
	flags.StringVar(&f.how.Positive, "positive", "", "positive `label` of two, as the file writes it (default the larger number, a known word such as tumour or mut, else the rarer label)")
	flags.BoolVar(&f.how.KeepLeak, "keep-leak", false, "train although a column of the file leaks the labels, and mark every result leaked")
}

// addColumn adds the flag --instance-label-column.
func (f *readFlags) addColumn(flags *pflag.FlagSet) {
	flags.Var(&parsed{kind: "column", read: func(text string) (err error) {
		if f.how.Column, err = dataset.ParseColumn(text); err == nil && f.how.Column == dataset.NoColumn {
			err = errors.New("give last or the number of a column, from 1")
		}
		return err
	}}, "instance-label-column", "stored `column` of a file that holds instance labels, not a feature: last, or its number from 1")
}

// parsed is the value of a flag that a function reads.
type parsed struct {
	kind string // for help
	text string
	read func(text string) error
}

func (p *parsed) Set(text string) error {
	p.text = text
	return p.read(text)
}

func (p *parsed) String() string { return p.text }

func (p *parsed) Type() string { return p.kind }

// reading returns how one name or file is read.
func (f *readFlags) reading(p *program) milbench.Reading {
	f.how.Note = p.remark
	return f.how
}

// open opens all names and files.
func (p *program) open(read *readFlags, namesOrFiles []string) (sets []*mil.Set, err error) {
	how, files := read.reading(p), 0
	for _, nameOrFile := range namesOrFiles {
		one, named := how, dataset.Named(nameOrFile)
		if named { // what is for files is for the others
			one = milbench.Reading{Options: dataset.Options{Note: how.Note}}
			if how.Split == dataset.NoSplit {
				one.Split = how.Split
			}
		}
		set, err := milbench.Open(nameOrFile, one)
		if errors.As(err, new(*milbench.LeakError)) {
			err = finding{err}
		}
		if err != nil {
			return nil, err
		}
		if !named {
			files++
			if how.KeepLeak && !set.Leaked {
				how.Note(nameOrFile + ": no column leaks the labels, so --keep-leak changes nothing")
			}
		}
		sets = append(sets, set)
	}
	if files == 0 {
		err = how.ForNames()
	}
	return sets, err
}
