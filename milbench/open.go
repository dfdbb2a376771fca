package milbench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

// Reading says how a file is read and what of it is refused. The zero value finds the columns of a table by their usual names.
// Its Note receives one line for each choice that the file leaves open, and for all that looks odd.
type Reading struct {
	dataset.Options
	Column   dataset.Column // for a file: the column with instance labels, which is no feature
	Positive string         // for a file with two labels: the positive one; "" means the larger number, a known word, or the rarer one
	KeepLeak bool           // for a file: keep a column that leaks the labels, and mark the set as leaked
}

// ForNames returns an error if a field is set that says how a file is read: the columns of a named set are known.
func (how Reading) ForNames() error {
	for _, c := range []struct {
		flag  string
		given bool
	}{{"labels", how.Labels != ""}, {"bag", how.Bag != ""}, {"label", how.Label != ""}, {"group", how.Group != ""}, {"split", how.Split != "" && how.Split != dataset.NoSplit}, {"categorical", len(how.Categorical) > 0}, {"as-features", len(how.AsFeatures) > 0}, {"ignore", len(how.Ignore) > 0}, {"coordinates", len(how.Coordinates) > 0}, {"features", how.Array != ""}, {"subset", how.Subset}, {"missing", how.Median}, {"numbers", how.Numbers}, {"order", how.Order != nil}, {"instance-label-column", how.Column != dataset.NoColumn}, {"positive", how.Positive != ""}, {"keep-leak", how.KeepLeak}} {
		switch {
		case !c.given:
		case c.flag == "positive":
			return errors.New("--positive is for files; the positive label of a named set is known")
		case c.flag == "keep-leak":
			return errors.New("--keep-leak is for files; a named set has no column that leaks the labels")
		default:
			return fmt.Errorf("--%s is for files; the columns of a named set are known", c.flag)
		}
	}
	return nil
}

// forNames refuses what is for files where a set is named.
func (how Reading) forNames(nameOrFile string) error {
	if dataset.Named(nameOrFile) {
		return how.ForNames()
	}
	return nil
}

// LeakError is the error for a file with columns that leak its labels.
type LeakError struct {
	File   string
	Leaks  []audit.Leak
	column dataset.Column
	known  bool   // the file has instance labels
	why    string // instead of what to do
}

// leaked returns the error for the leaks in a file.
func leaked(file string, set *mil.Set, leaks []audit.Leak) *LeakError {
	e := &LeakError{File: file, Leaks: leaks, column: dataset.Column(leaks[0].Column), known: set.InstanceLabels != nil}
	if leaks[0].Column == set.NumFeatures() {
		e.column = dataset.LastColumn
	}
	return e
}

// Error says what to do, using the flags of milbench.
func (e *LeakError) Error() string {
	if e.why != "" {
		return fmt.Sprintf("%s: %v; %s", e.File, e.Leaks[0], e.why)
	}
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

// Open opens a named set or a file to learn from. Files are audited first: one that leaks its labels is refused with a
// [*LeakError], unless Reading keeps the leak. Bags with the same instances become one group.
func Open(nameOrFile string, how Reading) (*mil.Set, error) {
	if err := how.forNames(nameOrFile); err != nil {
		return nil, err
	}
	how.Unlabelled, how.Judged, how.Classes = false, false, nil // for models
	source, err := how.Options.Open(nameOrFile)
	if err == nil && source.Entry == nil && how.Positive != "" {
		err = dataset.SetPositive(source.Stored, how.Positive)
	}
	if err != nil {
		return nil, err
	}
	if source.Entry != nil {
		set, err := source.Set(dataset.NoColumn)
		if err != nil {
			return nil, err
		}
		return how.grouped(nameOrFile, set, audit.GroupDuplicates)
	}
	how.noteClasses(nameOrFile, source.Stored)
	return how.audited(nameOrFile, source)
}

// Check audits a set made by a program, as [Open] audits a file. It returns an error if the set leaks its labels, unless
// it is already marked as leaked or the leak is kept.
func Check(set *mil.Set, how Reading) (*mil.Set, error) {
	checked := *set
	if err := checked.Seal(); err != nil { // a program may have changed it in the meantime
		return nil, err
	}
	report, err := audit.Inspect(&checked)
	if err != nil {
		return nil, err
	}
	how.KeepLeak = how.KeepLeak || checked.Leaked
	if err := how.judge(checked.Name, &checked, &checked, report.Leaks, report); err != nil {
		return nil, err
	}
	return how.grouped(checked.Name, &checked, grouping(report, len(report.Leaks) == 0))
}

// Audit describes a named set or a file and finds columns that leak the bag labels, and bags that are there twice. If a
// column leaks the labels, the error says what to do, and the report is complete.
func Audit(nameOrFile string, how dataset.Options) (audit.Report, error) {
	if err := (Reading{Options: how}).forNames(nameOrFile); err != nil {
		return audit.Report{}, err
	}
	source, err := how.Open(nameOrFile)
	if err != nil {
		return audit.Report{}, err
	}
	report, err := audit.Inspect(source.Stored)
	if err != nil {
		return report, err
	}
	if source.Entry != nil { // the column that the catalogue declares
		report.Known = int(source.Entry.InstanceLabels)
		if source.Entry.InstanceLabels == dataset.LastColumn {
			report.Known = report.Features
		}
	}
	switch {
	case report.OK():
		return report, nil
	case report.Leaks[0].Column == report.Known && len(report.Leaks) == 1:
		return report, &LeakError{File: nameOrFile, Leaks: report.Leaks, why: "it is known as the instance labels of this set and never used as a feature"}
	case source.Entry != nil && source.Entry.Generated:
		return report, &LeakError{File: nameOrFile, Leaks: report.Leaks, why: "this generated set is meant to be so: its concept is that simple"}
	}
	return report, leaked(nameOrFile, source.Stored, report.Leaks)
}

// grouping returns what groups duplicates: the report knows those of the set without the columns that leak.
func grouping(report audit.Report, lacksLeaks bool) func(*mil.Set) (*mil.Set, []audit.Duplicate, error) {
	if lacksLeaks {
		return report.GroupDuplicates
	}
	return audit.GroupDuplicates
}

// grouped puts duplicate bags into one group.
func (how Reading) grouped(nameOrFile string, set *mil.Set, group func(*mil.Set) (*mil.Set, []audit.Duplicate, error)) (*mil.Set, error) {
	set, duplicates, err := group(set)
	if err != nil {
		return nil, err
	}
	if len(duplicates) > 0 {
		how.note("%s: the same instances stand in the bags %s; these are never split between training and test", nameOrFile, listed(duplicates))
	}
	if conflicts := slices.DeleteFunc(slices.Clone(duplicates), func(d audit.Duplicate) bool { return !d.Conflict }); len(conflicts) > 0 {
		how.note("%s: bags of the same instances have different labels: %s; no learner can be right on all of them", nameOrFile, listed(conflicts))
	}
	return set, nil
}

// noteClasses notes how the labels are interpreted.
func (how Reading) noteClasses(file string, set *mil.Set) {
	if set.Kind == mil.ClassTarget && integers(set.Classes) {
		how.note("%s: the labels are integers, which are taken for %d classes; --numbers takes them for numbers", file, len(set.Classes))
	}
	if c := set.Classes; how.Positive == "" && len(c) == 2 {
		why := "the second of the two labels in order"
		switch {
		case integers(c):
			why = "the larger of the two numbers"
		case dataset.KnownPositive(c[0], c[1]) != 0:
			why = "as the words say"
		case set.NumLabelled(1) < set.NumLabelled(0):
			why = fmt.Sprintf("the rarer label, of %d in %d bags", set.NumLabelled(1), len(set.Bags))
		}
		how.note("%s: positive is %s, %s; --positive %q takes the other", file, c[1], why, c[0])
	}
}

// integers reports whether all words are integers.
func integers(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { _, err := mil.ParseNumber(word); return err != nil })
}

// audited audits a file as stored and returns its set, with duplicates in one group. The set is marked if a column that leaks the labels is kept.
func (how Reading) audited(file string, source *dataset.Source) (*mil.Set, error) {
	set, err := source.Set(how.Column)
	if err != nil {
		return nil, err
	}
	report, err := audit.Inspect(source.Stored)
	if err != nil {
		return nil, err
	}
	moved := int(how.Column)
	if how.Column == dataset.LastColumn {
		moved = source.Stored.NumFeatures()
	}
	leaks := slices.DeleteFunc(slices.Clone(report.Leaks), func(l audit.Leak) bool { return l.Column == moved })
	if err := how.judge(file, set, source.Stored, leaks, report); err != nil {
		return nil, err
	}
	// The bags were compared without the columns that leak. The set lacks the column of instance labels, if there is one.
	lacksLeaks := len(leaks) == 0 && (len(report.Leaks) == 1) == (how.Column != dataset.NoColumn)
	return how.grouped(file, set, grouping(report, lacksLeaks))
}

// judge rejects a set with leaks, or marks it if they are kept, and notes what looks odd.
func (how Reading) judge(file string, set, stored *mil.Set, leaks []audit.Leak, report audit.Report) error {
	switch {
	case set.NumClasses() == 0:
		how.note("%s: leaking columns are looked for in classes; the target is of kind %v", file, set.Kind)
	case report.Blind:
		how.note("%s: too few bags to tell a column that leaks the labels from chance", file)
	case len(leaks) > 0 && how.KeepLeak:
		set.Leaked = true
		how.note("%s: %v; kept, every result is marked leaked", file, leaks[0])
	case len(leaks) > 0:
		return leaked(file, stored, leaks)
	case len(report.Strong) > 0:
		more := ""
		if n := len(report.Strong) - 1; n > 0 {
			more = fmt.Sprintf(", and %d more columns are as strong", n)
		}
		how.note("%s: %s%s; see whether it is measured or made from the labels", file, report.Strong[0].Strength(), more)
	}
	return nil
}

func (how Reading) note(format string, args ...any) {
	if how.Note != nil {
		how.Note(fmt.Sprintf(format, args...))
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
