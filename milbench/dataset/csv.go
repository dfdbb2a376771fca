package dataset

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/delimited"
	"synpool/milbench/mil"
)

// Names of the columns that are not features.
const (
	bagColumn           = "bag"
	labelColumn         = "label"
	instanceLabelColumn = "instance_label"
	groupColumn         = "group"
	splitColumn         = "split"
	timeColumn          = "time"
	eventColumn         = "event"
)

var reservedColumns = []string{bagColumn, labelColumn, instanceLabelColumn, groupColumn, splitColumn}

// Tests of a first line that is not a header.
var (
	errNoHeader    = errors.New("neither a header with the columns bag and label (--bag and --label name others) nor an instance")
	errNoBagHeader = errors.New("neither a header with the column bag (--bag names another) nor an instance")
)

// layout maps the columns of a CSV file; -1 stands for a column that does not exist.
type layout struct {
	bag, label, instanceLabel, group, split int
	time, event                             int // for survival, instead of label
	x, y                                    int // position of an instance

	features []int    // columns with features
	leftOut  []int    // columns of bookkeeping
	header   []string // names of all columns; nil without a header
}

// ReadCSV reads a table with one line per instance, in either of two forms. Commas, semicolons or tabs separate its
// fields; the first line decides which.
//
// With a header, the table has a column for the bag and one for its label, or time and event instead of label. It may
// also have instance_label, group and split (train, val or test; val counts as train). Columns x and y hold the
// position of an instance if there is no z and there are other features ([Options.Coordinates]). All other columns
// are features, named by the header, except bookkeeping ([Options.AsFeatures]). [Options] lists the usual names of
// these columns. Spaces around a name, an id, a label or a number are ignored.
//
// Without a header, the columns are label, bag and the features, in this order.
//
// Labels are numbers or words. Together they determine the kind of target (see the package).
//
// The lines of a bag need not be adjacent. Bags are in the order of their first lines. Column instance_label is
// stored in InstanceLabels.
func ReadCSV(r io.Reader, name string) (*mil.Set, error) { return Options{}.ReadCSV(r, name) }

// ReadCSV is the function [ReadCSV] with options.
func (o Options) ReadCSV(r io.Reader, name string) (*mil.Set, error) {
	return o.from(r, name, Options.readCSV)
}

// readCSV reads a table without looking for centres.
func (o Options) readCSV(r io.Reader, name string) (*mil.Set, error) {
	in, err := separated(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return o.readTable(name, func(f func(record []string) error) error {
		return eachRecord(in, name, func(_ int, record []string) error { return f(record) })
	})
}

// readTable makes a set from the records of a table. The first record may be a header. each must call its argument
// with every record in turn, and its errors must say where the record is.
func (o Options) readTable(name string, each func(func(record []string) error) error) (*mil.Set, error) {
	t := textBags{unlabelled: o.Unlabelled}
	var columns *layout
	var list []reads
	var wanted []made
	var values []float32
	var instanceLabels [][]float64
	var places [][][2]float64
	err := each(func(record []string) error {
		if columns == nil {
			var err error
			if columns, err = readLayout(record, o); err != nil {
				return err
			}
			if columns.header == nil {
				for _, i := range columns.features {
					list = append(list, reads{column: i})
				}
			} else {
				columns.tell(name, o)
				list, wanted, err = o.choose(columns)
				o.rounding.choose(list, wanted, o.Centre)
				return err
			}
		}
		i, err := columns.bagOf(&t, record)
		if err != nil {
			return err
		}
		id := t.bags[i].ID
		values = values[:0]
		for k := range list {
			r := &list[k]
			v, err := r.value(id, record[r.column])
			if errors.As(err, new(noNumber)) {
				err = holdWords(list, record, err)
			}
			if err != nil {
				return fmt.Errorf("bag %s, %s: %w", id, r.called(k), err)
			}
			narrow := float32(v) // NaN if it is missing
			if v == v {
				if narrow, err = o.rounding.of(k, v); err != nil {
					return fmt.Errorf("bag %s, %s: %w", id, r.called(k), err)
				}
			}
			values = append(values, narrow)
		}
		t.appendTo(i, values)
		if columns.x >= 0 {
			at, err := columns.place(record)
			if err != nil {
				return fmt.Errorf("bag %s, %w", id, err)
			}
			if i == len(places) {
				places = append(places, nil)
			}
			places[i] = append(places[i], at)
		}
		if columns.instanceLabel >= 0 {
			v, err := parseValue(record[columns.instanceLabel])
			narrow, large := mil.Float32(v)
			if err = cmp.Or(err, large); err != nil {
				return fmt.Errorf("bag %s, instance_label: %w", id, err)
			}
			if i == len(instanceLabels) {
				instanceLabels = append(instanceLabels, nil)
			}
			instanceLabels[i] = append(instanceLabels[i], float64(narrow))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.tell(name, o, columns != nil && columns.group >= 0)
	if err := o.refuse(list, wanted); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if columns != nil && len(o.Features) == 0 {
		if err := o.tellFeatures(name, columns, list, t.bags); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i, all := range places {
		t.bags[i].Coordinates = func() ([][2]float64, error) { return all, nil }
	}
	s := &mil.Set{Name: name, Bags: t.bags, InstanceLabels: instanceLabels}
	if columns != nil && columns.header != nil {
		if err := o.expand(s, list, wanted); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.tellMissing(name, list)
	}
	return o.assemble(s, t.words)
}

// separated returns a CSV reader with the separator used in the first line.
func separated(r io.Reader) (*csv.Reader, error) {
	text := bufio.NewReader(r)
	if first, _ := text.Peek(text.Size()); foreign(first) != nil {
		return nil, foreign(first)
	}
	in, err := delimited.NewReader(text)
	if err != nil {
		return nil, readError(err)
	}
	return in, nil
}

// bagOf returns the index in t of a record's bag.
func (l *layout) bagOf(t *textBags, record []string) (int, error) {
	id := strings.TrimSpace(record[l.bag])
	if !plain(id) {
		return 0, fmt.Errorf("bag id %q; write it without line breaks and other control characters", id)
	}
	label, group, split := "", "", mil.NoSplit
	var err error
	switch {
	case l.label >= 0:
		if label = strings.TrimSpace(record[l.label]); !plain(label) {
			return 0, fmt.Errorf("bag %s: label %q; write it without line breaks and other control characters", id, label)
		}
	case l.time >= 0:
		label = survivalWord(strings.TrimSpace(record[l.time]), strings.TrimSpace(record[l.event]))
	}
	if l.group >= 0 {
		if group = strings.TrimSpace(record[l.group]); noGroup(group) {
			group = ""
		}
	}
	if l.split >= 0 {
		if split, err = parseSplit(record[l.split]); err != nil {
			return 0, fmt.Errorf("bag %s: %w", id, err)
		}
	}
	i, err := t.of(id, label, group, split)
	if err != nil && l.header == nil {
		err = fmt.Errorf("%w (without a header, column 1 is the label and column 2 the bag)", err)
	}
	return i, err
}

// readLayout reads the first record. In an unlabelled file only bag and features count.
func readLayout(record []string, o Options) (*layout, error) {
	columns, err := readHeader(record, o)
	if err != nil {
		return nil, err
	}
	if columns != nil {
		if len(o.Features) == 0 {
			columns.leaveOut(o)
		}
		if len(columns.features) == 0 {
			return nil, fmt.Errorf("no column of features beside bag and label%s", columns.left(nil))
		}
		return columns, nil
	}
	if len(record) < 3 {
		return nil, fmt.Errorf("%d fields; a file without a header holds label, bag and features", len(record))
	}
	if !slices.ContainsFunc(record, func(text string) bool { return !startsName.MatchString(text) }) {
		label := ", and --label that of the labels"
		if o.Unlabelled {
			label = ""
		}
		return nil, fmt.Errorf("no column bag among %s; --bag names it%s", few(record), label)
	}
	columns = &layout{bag: 1, label: 0, instanceLabel: -1, group: -1, split: -1, time: -1, event: -1, x: -1, y: -1}
	for i := 2; i < len(record); i++ {
		columns.features = append(columns.features, i)
	}
	missing := errNoHeader
	if o.Unlabelled {
		columns.label, missing = -1, errNoBagHeader
		if text := strings.TrimSpace(record[0]); text != "" && text != "?" && text != "0" && text != "1" && text != "-1" { // bags could be mistaken for labels
			return nil, fmt.Errorf("%w, which begins with its label (0, 1 or -1), ? or nothing: %q", missing, text)
		}
	}
	for _, i := range columns.features {
		if _, err := parseValue(record[i]); err != nil && !isMissing(record[i]) {
			return nil, fmt.Errorf("%w: %w", missing, err)
		}
	}
	for _, c := range o.AsFeatures {
		if n, err := strconv.Atoi(c); err != nil || n < 3 || n > len(record) {
			return nil, fmt.Errorf("--as-features %s: without a header, give numbers of columns, from 3 to %d", c, len(record))
		}
	}
	o.AsFeatures = nil
	if err := o.named(); err != nil {
		return nil, fmt.Errorf("no header, and so %w", err)
	}
	return columns, nil
}

// startsName matches the beginning of what can only be the name of a column.
var startsName = regexp.MustCompile(`^\s*[\pL_]`)

// leaveOut moves the columns of bookkeeping out of the features.
func (l *layout) leaveOut(o Options) {
	l.features = slices.DeleteFunc(l.features, func(i int) bool {
		out := bookkeeping.MatchString(plainName(l.header[i])) && !slices.Contains(o.AsFeatures, l.header[i]) && !slices.Contains(o.Categorical, l.header[i])
		if out {
			l.leftOut = append(l.leftOut, i)
		}
		return out
	})
}

// names returns the names of columns.
func (l *layout) names(columns []int) (names []string) {
	for _, i := range columns {
		names = append(names, l.header[i])
	}
	return names
}

// left says which columns are left out: those of bookkeeping, and those that only count.
func (l *layout) left(counts []string) string {
	var parts []string
	names := l.names(l.leftOut)
	if len(names) > 0 {
		parts = append(parts, few(names)+" (bookkeeping by name)")
	}
	if len(counts) > 0 {
		parts = append(parts, few(counts)+" (only counts rows or bags)")
	}
	if len(parts) == 0 {
		return ""
	}
	survival := ""
	if is := func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return plainName(n) == name })
	}; is(timeColumn) && is(eventColumn) {
		survival = fmt.Sprintf("; --label %s learns survival", timeColumn)
	}
	return fmt.Sprintf("; left out: %s; --as-features %s makes it a feature%s", strings.Join(parts, ", "), strconv.Quote(append(names, counts...)[0]), survival)
}

// tellFeatures says which columns are features, and marks those that only count the rows or the bags. Without a header
// it refuses them, because a model finds its features by position.
func (o Options) tellFeatures(name string, columns *layout, list []reads, bags []mil.Bag) error {
	if err := findCounts(list, bags); err != nil {
		return err
	}
	var features, counts []string
	for k := range list {
		r := &list[k]
		title := r.name
		if columns.header == nil {
			title = strconv.Itoa(r.column + 1)
		}
		if r.counts = r.counts && !slices.Contains(o.AsFeatures, title); r.counts {
			counts = append(counts, title)
		} else {
			features = append(features, title)
		}
	}
	switch {
	case columns.header == nil && (o.Unlabelled || o.Features != nil): // a model takes all
		return nil
	case columns.header == nil && len(counts) > 0:
		return fmt.Errorf("column %s only counts rows or bags; remove it, or take it as a feature by --as-features %[1]s", counts[0])
	case len(features) == 0:
		return fmt.Errorf("no column of features beside bag and label%s", columns.left(counts))
	case columns.header == nil:
		features = []string{fmt.Sprintf("columns %s to %s", features[0], features[len(features)-1])}
	case len(features) > mostNamed:
		features = []string{fmt.Sprintf("%d columns from %s to %s", len(features), features[0], features[len(features)-1])}
	}
	o.note("%s: features: %s%s", name, strings.Join(features, ", "), columns.left(counts))
	return nil
}

// readHeader reads the first record if it is a header, and returns nil if not. A header has a column for the bags.
// Unless unlabelled, it must have a label. It may have no features.
func readHeader(record []string, o Options) (*layout, error) {
	var header []string
	for _, text := range record {
		header = append(header, strings.Clone(strings.TrimSpace(text)))
	}
	if header[0] == "" {
		header[0] = "Unnamed: 0" // as pandas calls the index that it wrote
	}
	columns := &layout{header: header, instanceLabel: -1, group: -1, split: -1, time: -1, event: -1, x: -1, y: -1}
	seen := slices.Clone(header) // without the names to ignore
	used := slices.Concat([]string{o.Bag, o.Label, o.Group, o.Split}, o.Coordinates, o.Categorical, o.AsFeatures)
	for i, name := range header {
		if slices.Contains(o.Ignore, name) {
			if slices.Contains(used, name) {
				return nil, fmt.Errorf("--ignore leaves column %s out, and another flag uses it; choose one", name)
			}
			seen[i] = ""
		}
	}
	var err error
	if columns.bag, err = bagRole.find(seen, o.Bag, -1); err != nil || columns.bag < 0 {
		return nil, err
	}
	for _, name := range o.Ignore {
		if !slices.Contains(header, name) {
			return nil, noColumn("ignore", name, header)
		}
	}
	if columns.label, err = labelRole.find(seen, o.Label, columns.bag); err != nil {
		return nil, err
	}
	exactly := func(name string) int {
		return slices.IndexFunc(seen, func(c string) bool { return plainName(c) == name })
	}
	usual := columns.label < 0 || columns.label == exactly(timeColumn) || o.Label == "" && !strings.EqualFold(header[columns.label], labelColumn) // or no label
	survival := usual && exactly(timeColumn) >= 0 && exactly(eventColumn) >= 0
	if columns.group, err = groupRole.find(seen, o.Group, columns.bag); err == nil {
		named := o.Split
		if named == NoSplit {
			named = ""
		}
		columns.split, err = splitRole.find(seen, named, columns.bag)
	}
	switch {
	case err != nil:
		return nil, err
	case columns.label < 0 && !survival && !o.Unlabelled:
		return nil, fmt.Errorf("a header with the column %s and without label; name the column of labels with --label, or rename those of survival times to time and event; there are %s", header[columns.bag], few(header))
	case survival:
		columns.label, columns.time, columns.event = -1, exactly(timeColumn), exactly(eventColumn)
	}
	columns.instanceLabel = slices.IndexFunc(seen, func(c string) bool { return strings.EqualFold(c, instanceLabelColumn) })
	for _, at := range []*int{&columns.group, &columns.split, &columns.instanceLabel} {
		if *at >= 0 && slices.Contains(o.AsFeatures, header[*at]) {
			*at = -1
		}
	}
	beside := []int{columns.bag, columns.label, columns.group, columns.split, columns.instanceLabel, columns.time, columns.event}
	if o.Split == NoSplit {
		if columns.split < 0 {
			return nil, fmt.Errorf("--split %s: there is no column split; leave the flag out", NoSplit)
		}
		columns.split = -1
	}
	if o.Unlabelled {
		if len(o.Features) > 0 {
			beside = []int{columns.bag} // a model's column is a feature, whatever its name
		}
		columns.label, columns.group, columns.split, columns.instanceLabel, columns.time, columns.event = -1, -1, -1, -1, -1, -1
	}
	position := make(map[string]int, len(header))
	for i, column := range header {
		name := column
		if slices.Contains(reservedColumns, strings.ToLower(name)) {
			name = strings.ToLower(name)
		}
		switch first, twice := position[name]; {
		case column == "":
			return nil, fmt.Errorf("column %d has no name; name every column", i+1)
		case !plain(column):
			return nil, fmt.Errorf("column %d is called %q; write names without line breaks and other control characters", i+1, column)
		case twice:
			return nil, fmt.Errorf("column %s occurs twice, as number %d and %d; give every column a name of its own", name, first+1, i+1)
		}
		position[name] = i
		if !slices.Contains(beside, i) && seen[i] != "" {
			columns.features = append(columns.features, i)
		}
	}
	return columns, columns.locate(o)
}

// locate moves the coordinate columns out of the features.
func (l *layout) locate(o Options) error {
	feature := func(name string) int {
		i := slices.IndexFunc(l.features, func(i int) bool {
			return strings.EqualFold(l.header[i], name) && !slices.Contains(o.Features, l.header[i]) && !slices.Contains(o.AsFeatures, l.header[i])
		})
		if i < 0 {
			return i
		}
		return l.features[i]
	}
	var x, y int
	switch c := o.Coordinates; {
	case len(c) == 1 && c[0] == noCoordinates:
		if feature("x") < 0 || feature("y") < 0 {
			return fmt.Errorf("--coordinates %s: there are no columns x and y; leave the flag out", noCoordinates)
		}
		return nil
	case len(c) == 0:
		if x, y = feature("x"), feature("y"); x < 0 || y < 0 || feature("z") >= 0 || len(l.features) < 3 {
			return nil
		}
	case len(c) != 2 || c[0] == c[1]:
		return fmt.Errorf("--coordinates %s: name two columns, x and y, or none", strings.Join(c, ","))
	default:
		x, y = feature(c[0]), feature(c[1])
		for k, i := range []int{x, y} {
			if i < 0 {
				return noColumn("coordinates", c[k], l.header)
			}
		}
	}
	l.x, l.y = x, y
	l.features = slices.DeleteFunc(l.features, func(i int) bool { return i == x || i == y })
	return nil
}

// place reads the position of an instance.
func (l *layout) place(record []string) (at [2]float64, err error) {
	for k, i := range []int{l.x, l.y} {
		if at[k], err = mil.ParseNumber(strings.TrimSpace(record[i])); err != nil {
			return at, fmt.Errorf("column %s: %q is not a coordinate; write a finite number, or take --coordinates none", l.header[i], record[i])
		}
	}
	return at, nil
}

// tell notes columns that were recognised by a name other than the preferred one, unless an option chose them.
func (l *layout) tell(name string, o Options) {
	var parts []string
	for _, c := range []struct {
		role   role
		at     int
		chosen string
	}{{bagRole, l.bag, o.Bag}, {labelRole, l.label, o.Label}, {groupRole, l.group, o.Group}, {splitRole, l.split, o.Split}} {
		if c.at >= 0 && c.chosen == "" && !strings.EqualFold(l.header[c.at], c.role.name) {
			parts = append(parts, fmt.Sprintf("%s is the column %q (--%s)", c.role.name, l.header[c.at], c.role.name))
		}
	}
	if len(parts) > 0 {
		o.note("%s: %s", name, strings.Join(parts, ", "))
	}
	if l.x >= 0 && o.Coordinates == nil {
		o.note("%s: the columns %s and %s say where instances are, and are no features; --coordinates %s makes them features", name, l.header[l.x], l.header[l.y], noCoordinates)
	}
}

// splitWords has the words for the parts of a split. Validation bags belong to the training part, because choices are
// made by inner folds within it.
var splitWords = map[string]mil.Split{
	"": mil.NoSplit, "train": mil.TrainPart, "training": mil.TrainPart, "test": mil.TestPart, "testing": mil.TestPart,
	"val": mil.TrainPart, "valid": mil.TrainPart, "validation": mil.TrainPart, "dev": mil.TrainPart,
}

// parseSplit reads the part of the official split for an instance.
func parseSplit(text string) (mil.Split, error) {
	split, known := splitWords[strings.ToLower(strings.TrimSpace(text))]
	if !known {
		return mil.NoSplit, fmt.Errorf("split %q; write train, val or test", text)
	}
	return split, nil
}

// WriteCSV writes s so that [ReadCSV] reads back the same content. It writes a header if s has feature names,
// instance labels, groups or a split. Unnamed features are then called f1, f2 and so on. Missing values are written
// as NA; read them with [Options.Median]. Words in a categorical column are written as the features made from them.
// Features with a centre are written with it, so the digits that a double has beyond float32 are those of the sum. Give the
// centre to [Options.Centre] to read them back the same: from the rounded values another one may be found.
// Features that look like bookkeeping need [Options.AsFeatures].
//
// WriteCSV returns an error, before writing anything, if ReadCSV would reject the output or read other targets.
func WriteCSV(w io.Writer, s *mil.Set) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if err := writable(s); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	group, split := false, s.HasSplit()
	for _, b := range s.Bags {
		group = group || b.Group != ""
	}
	for _, feature := range s.Features { // would be read as the group
		group = group || slices.Contains(groupRole.usual, plainName(feature))
	}

	indicators := make(map[int]int) // for a feature with missing values, the index of its indicator
	for k, m := range s.Missing {
		at := len(s.Features) - len(s.Missing) + k
		if m.Indicator != at || m.Feature >= len(s.Features)-len(s.Missing) || s.Features[at] != s.Features[m.Feature]+"="+missingWord || k > 0 && m.Feature <= s.Missing[k-1].Feature {
			return fmt.Errorf("%s: ReadCSV would not make the same features with missing values; put their indicators last, in order, and call them feature=%s", s.Name, missingWord)
		}
		indicators[m.Feature] = m.Indicator
	}
	named := s.Features[:len(s.Features)-len(s.Missing)]
	places, err := placesOf(s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	out := csv.NewWriter(w)
	header := s.Features != nil || places != nil || s.InstanceLabels != nil || group || split || s.Kind == mil.SurvivalTarget || needsHeader(s)
	var record []string
	if header {
		record = append(record, bagColumn)
		if s.Kind == mil.SurvivalTarget {
			record = append(record, timeColumn, eventColumn)
		} else {
			record = append(record, labelColumn)
		}
		if s.InstanceLabels != nil {
			record = append(record, instanceLabelColumn)
		}
		if group {
			record = append(record, groupColumn)
		}
		if split {
			record = append(record, splitColumn)
		}
		if places != nil {
			record = append(record, "x", "y")
		}
		record = append(record, named...)
		for j := len(s.Features); j < s.NumFeatures(); j++ {
			record = append(record, fmt.Sprintf("f%d", j+1))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	digits, err := digitsOf(s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	for i, b := range s.Bags {
		var failed error
		err := mil.EachRow(b.Instances, func(k int, row []float32) {
			switch {
			case s.Kind == mil.SurvivalTarget:
				record = append(record[:0], b.ID, strconv.FormatFloat(b.Value, 'g', -1, 64), strconv.FormatBool(b.Event))
			case header:
				record = append(record[:0], b.ID, labelText(s, b))
			default:
				record = append(record[:0], labelText(s, b), b.ID)
			}
			if s.InstanceLabels != nil {
				record = append(record, strconv.FormatFloat(s.InstanceLabels[i][k], 'g', -1, 64))
			}
			if group {
				record = append(record, b.Group)
			}
			if split {
				record = append(record, string(b.Split))
			}
			if places != nil {
				for _, v := range places[i][k] {
					record = append(record, strconv.FormatFloat(v, 'g', -1, 64))
				}
			}
			for j, v := range row[:len(row)-len(s.Missing)] {
				text := strconv.FormatFloat(float64(v), 'g', -1, digits[j])
				if s.Centre != nil && s.Centre[j] != 0 {
					text = strconv.FormatFloat(s.Value(j, v), 'g', -1, 64)
				}
				if at, lacks := indicators[j]; lacks && row[at] != 0 {
					text = "NA"
				}
				record = append(record, text)
			}
			failed = cmp.Or(failed, out.Write(record))
		})
		if err := cmp.Or(err, failed); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// digitsOf returns for each feature whether its values are written with the digits of a float32, 32, or of a double, 64: where
// those of a float32 would be read as doubles whose digits float32 loses.
func digitsOf(s *mil.Set) ([]int, error) {
	read := rounding{columns: make(map[int]*measured)}
	for _, b := range s.Bags {
		if err := mil.EachRow(b.Instances, func(_ int, row []float32) {
			for j, v := range row {
				text, _ := strconv.ParseFloat(formatValue(v), 64) // a number in any case
				read.measure(j, text, 1)
			}
		}); err != nil {
			return nil, err
		}
	}
	digits := make([]int, s.NumFeatures())
	for j, m := range read.first {
		digits[j] = 32
		if _, spread, loses := m.around(); loses && spread > 0 {
			digits[j] = 64
		}
	}
	return digits, nil
}

// placesOf returns the positions of the instances in each bag, or nil if unknown. It returns an error if a feature's
// name would be read as that of a coordinate.
func placesOf(s *mil.Set) ([][][2]float64, error) {
	bare := func(b mil.Bag) bool { return b.Coordinates == nil }
	located := !slices.ContainsFunc(s.Bags, bare)
	named := func(name string) bool {
		return slices.ContainsFunc(s.Features, func(f string) bool { return strings.EqualFold(f, name) })
	}
	switch {
	case located && (named("x") || named("y") || named("z")):
		return nil, errors.New("features called x, y or z, and coordinates, which stand in columns x and y; rename the features")
	case named("x") && named("y") && !named("z") && len(s.Features) > 2:
		return nil, errors.New("features called x and y, which would be read as coordinates; rename them")
	case !located && slices.ContainsFunc(s.Bags, func(b mil.Bag) bool { return !bare(b) }):
		return nil, fmt.Errorf("bag %s has no coordinates, and others have some; give all bags some, or none", s.Bags[slices.IndexFunc(s.Bags, bare)].ID)
	case !located:
		return nil, nil
	}
	all := make([][][2]float64, len(s.Bags))
	for i, b := range s.Bags {
		var err error
		if all[i], err = b.Coordinates(); err != nil {
			return nil, err
		}
		if len(all[i]) != b.Instances.Len() {
			return nil, fmt.Errorf("bag %s has coordinates of %d instances; it has %d", b.ID, len(all[i]), b.Instances.Len())
		}
	}
	return all, nil
}

// needsHeader reports whether, without a header, [ReadCSV] would misread the label and id of the first bag as column
// names, take the first line for a comment, or split it at another separator.
func needsHeader(s *mil.Set) bool {
	label, id := labelText(s, s.Bags[0]), s.Bags[0].ID
	return strings.HasPrefix(label, "#") || slices.Contains(bagRole.usual, plainName(label)) || slices.Contains(bagRole.usual, plainName(id)) || strings.ContainsAny(label+id, delimited.Separators)
}

// writable returns an error if [ReadCSV] would reject s.
func writable(s *mil.Set) error {
	for i, b := range s.Bags {
		if b.ID == "" {
			return fmt.Errorf("bag number %d has no id", i+1)
		}
		for _, text := range []string{b.ID, b.Group} {
			if !plain(text) || text != strings.TrimSpace(text) {
				return fmt.Errorf("bag %q: %q has spaces around it or a control character", b.ID, text)
			}
		}
		if b.Group != "" && noGroup(b.Group) {
			return fmt.Errorf("bag %s: its group %q would be read as none", b.ID, b.Group)
		}
	}
	if n := len(s.Features); n > 0 && n != s.NumFeatures() {
		return fmt.Errorf("%d names for %d features", n, s.NumFeatures())
	}
	if err := readBack(s); err != nil {
		return err
	}
	seen := make(map[string]bool, len(s.Features))
	if s.Kind == mil.SurvivalTarget {
		seen[timeColumn], seen[eventColumn] = true, true
	}
	for _, feature := range s.Features {
		if feature == "" || seen[feature] || slices.Contains(reservedColumns, strings.ToLower(feature)) ||
			feature != strings.TrimSpace(feature) || !plain(feature) {
			return fmt.Errorf("feature name %q is empty, occurs twice, has spaces around it or control characters, or means something else in CSV", feature)
		}
		seen[feature] = true
	}
	if s.InstanceLabels == nil {
		return nil
	}
	if len(s.InstanceLabels) != len(s.Bags) {
		return fmt.Errorf("%d rows of instance labels for %d bags", len(s.InstanceLabels), len(s.Bags))
	}
	for i, labels := range s.InstanceLabels {
		b := s.Bags[i]
		if len(labels) != b.Instances.Len() {
			return fmt.Errorf("bag %s has %d instance labels for %d instances", b.ID, len(labels), b.Instances.Len())
		}
		for _, v := range labels {
			if _, err := mil.Float32(v); err != nil {
				return fmt.Errorf("bag %s, instance label: %w", b.ID, err)
			}
		}
	}
	return nil
}

// readBack returns an error if [ReadCSV] would read a different target.
func readBack(s *mil.Set) error {
	if s.Kind == mil.SurvivalTarget {
		return nil
	}
	read := &mil.Set{Bags: make([]mil.Bag, len(s.Bags))}
	words := make([]string, len(s.Bags))
	for i, b := range s.Bags {
		words[i] = labelText(s, b)
		read.Bags[i].ID = b.ID
		if words[i] != strings.TrimSpace(words[i]) || !plain(words[i]) {
			return fmt.Errorf("bag %s: label %q has spaces around it or a control character", b.ID, words[i])
		}
	}
	if err := (Options{}).setTargets(read, words); err != nil {
		return err
	}
	for i, b := range s.Bags {
		if read.Kind != s.Kind || read.Bags[i].Target != b.Target {
			return fmt.Errorf("bag %s: label %q would be read as another target; rename the classes", b.ID, words[i])
		}
	}
	return nil
}

// formatValue writes v with the fewest digits that reproduce v.
func formatValue(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// labelText returns the target of a bag as text.
func labelText(s *mil.Set, b mil.Bag) string {
	if s.Kind == mil.RealTarget {
		return strconv.FormatFloat(b.Value, 'g', -1, 64)
	}
	return s.ClassName(b.Label)
}
