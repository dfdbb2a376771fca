// Package intake opens sets for training and checks files first. It rejects a file that leaks its labels, notes what
// looks odd, and groups duplicate bags.
package intake

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

// Options controls how a set is opened. Its Note also receives anything odd about the set.
type Options struct {
	dataset.Options
	Column   dataset.Column // for a file: the column with instance labels
	Positive string         // for a file with two labels: the positive one; "" means the larger number, a known word, or the rarer one
	KeepLeak bool           // for a file: keep a column that leaks the labels, and mark the set as leaked
}

// LeakError is the error for a file with columns that leak its labels.
type LeakError struct {
	File   string
	Leaks  []audit.Leak
	column dataset.Column
	known  bool // the file has instance labels
}

// Leaked returns the error for the leaks in a file.
func Leaked(file string, set *mil.Set, leaks []audit.Leak) *LeakError {
	e := &LeakError{File: file, Leaks: leaks, column: dataset.Column(leaks[0].Column), known: set.InstanceLabels != nil}
	if leaks[0].Column == set.NumFeatures() {
		e.column = dataset.LastColumn
	}
	return e
}

// Error says what to do, using the flags of milbench.
func (e *LeakError) Error() string {
	others := ""
	if n := len(e.Leaks) - 1; n > 0 {
		others = fmt.Sprintf(", and so do %d other columns (milbench audit %s)", n, e.File)
	}
	cure := fmt.Sprintf("--instance-label-column %v moves it out of the features", e.column)
	if e.known {
		cure = "remove it from the file"
	}
	return fmt.Sprintf("%s: %v%s; if it is a label, %s; if it is a measurement, --keep-leak trains with it and marks every result", e.File, e.Leaks[0], others, cure)
}

// Open opens a named set or a file. It returns the entry of a named set, and nil for a file. If a file leaks its
// labels, the error is a [*LeakError].
func (o Options) Open(nameOrFile string) (*mil.Set, *dataset.Entry, error) {
	source, err := o.Options.Open(nameOrFile)
	if err == nil && source.Entry == nil && o.Positive != "" {
		err = dataset.SetPositive(source.Stored, o.Positive)
	}
	if err != nil {
		return nil, nil, err
	}
	if source.Entry != nil {
		set, err := source.Set(dataset.NoColumn)
		if err == nil {
			set, err = o.grouped(nameOrFile, set, audit.GroupDuplicates)
		}
		return set, source.Entry, err
	}
	o.noteClasses(nameOrFile, source.Stored)
	set, err := o.audited(nameOrFile, source)
	return set, nil, err
}

// Take audits a set made by a program, as [Options.Open] audits a file. It returns an error if the set leaks its
// labels, unless it is already marked as leaked or the leak is kept.
func (o Options) Take(set *mil.Set) (*mil.Set, error) {
	taken := *set
	report, err := audit.Inspect(&taken)
	if err != nil {
		return nil, err
	}
	o.KeepLeak = o.KeepLeak || taken.Leaked
	if err := o.judge(taken.Name, &taken, &taken, report.Leaks, report); err != nil {
		return nil, err
	}
	return o.grouped(taken.Name, &taken, grouping(report, len(report.Leaks) == 0))
}

// grouping returns what groups duplicates: the report knows those of the set without the columns that leak.
func grouping(report audit.Report, lacksLeaks bool) func(*mil.Set) (*mil.Set, []audit.Duplicate, error) {
	if lacksLeaks {
		return report.GroupDuplicates
	}
	return audit.GroupDuplicates
}

// grouped puts duplicate bags into one group.
func (o Options) grouped(nameOrFile string, set *mil.Set, group func(*mil.Set) (*mil.Set, []audit.Duplicate, error)) (*mil.Set, error) {
	set, duplicates, err := group(set)
	if err != nil {
		return nil, err
	}
	if len(duplicates) > 0 {
		o.note("%s: the same instances stand in the bags %s; these are never split between training and test", nameOrFile, listed(duplicates))
	}
	if conflicts := slices.DeleteFunc(slices.Clone(duplicates), func(d audit.Duplicate) bool { return !d.Conflict }); len(conflicts) > 0 {
		o.note("%s: bags of the same instances have different labels: %s; no learner can be right on all of them", nameOrFile, listed(conflicts))
	}
	return set, nil
}

// noteClasses notes how the labels are interpreted.
func (o Options) noteClasses(file string, set *mil.Set) {
	if set.Kind == mil.ClassTarget && integers(set.Classes) {
		o.note("%s: the labels are integers, which are taken for %d classes; --numbers takes them for numbers", file, len(set.Classes))
	}
	if c := set.Classes; o.Positive == "" && len(c) == 2 {
		why := "the second of the two labels in order"
		switch {
		case integers(c):
			why = "the larger of the two numbers"
		case dataset.KnownPositive(c[0], c[1]) != 0:
			why = "as the words say"
		case set.NumLabelled(1) < set.NumLabelled(0):
			why = fmt.Sprintf("the rarer label, of %d in %d bags", set.NumLabelled(1), len(set.Bags))
		}
		o.note("%s: positive is %s, %s; --positive %q takes the other", file, c[1], why, c[0])
	}
}

// integers reports whether all words are integers.
func integers(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { _, err := mil.ParseNumber(word); return err != nil })
}

// audited audits a file as stored and returns its set, with duplicates in one group. The set is marked if a column that leaks the labels is kept.
func (o Options) audited(file string, source *dataset.Source) (*mil.Set, error) {
	set, err := source.Set(o.Column)
	if err != nil {
		return nil, err
	}
	report, err := audit.Inspect(source.Stored)
	if err != nil {
		return nil, err
	}
	moved := int(o.Column)
	if o.Column == dataset.LastColumn {
		moved = source.Stored.NumFeatures()
	}
	leaks := slices.DeleteFunc(slices.Clone(report.Leaks), func(l audit.Leak) bool { return l.Column == moved })
	if err := o.judge(file, set, source.Stored, leaks, report); err != nil {
		return nil, err
	}
	// The bags were compared without the columns that leak. The set lacks the column of instance labels, if there is one.
	lacksLeaks := len(leaks) == 0 && (len(report.Leaks) == 1) == (o.Column != dataset.NoColumn)
	return o.grouped(file, set, grouping(report, lacksLeaks))
}

// judge rejects a set with leaks, or marks it if they are kept, and notes what looks odd.
func (o Options) judge(file string, set, stored *mil.Set, leaks []audit.Leak, report audit.Report) error {
	switch {
	case set.NumClasses() == 0:
		o.note("%s: leaking columns are looked for in classes; the target is of kind %v", file, set.Kind)
	case report.Blind:
		o.note("%s: too few bags to tell a column that leaks the labels from chance", file)
	case len(leaks) > 0 && o.KeepLeak:
		set.Leaked = true
		o.note("%s: %v; kept, every result is marked leaked", file, leaks[0])
	case len(leaks) > 0:
		return Leaked(file, stored, leaks)
	case len(report.Strong) > 0:
		more := ""
		if n := len(report.Strong) - 1; n > 0 {
			more = fmt.Sprintf(", and %d more columns are as strong", n)
		}
		o.note("%s: %s%s; see whether it is measured or made from the labels", file, report.Strong[0].Strength(), more)
	}
	return nil
}

func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// listed names the duplicate bags.
func listed(duplicates []audit.Duplicate) string {
	const most = 5
	var groups []string
	for _, d := range duplicates[:min(most, len(duplicates))] {
		groups = append(groups, strings.Join(d.Bags, ", "))
	}
	more := ""
	if n := len(duplicates) - most; n > 0 {
		more = fmt.Sprintf("; and %d more times", n)
	}
	return strings.Join(groups, "; ") + more
}
