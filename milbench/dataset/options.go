package dataset

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/mil"
)

// Options controls how a file is read. With the zero value, the columns of a table are found by their usual names.
type Options struct {
	// Column names in a CSV file, a Parquet file or labels.csv: the bag's id, its label, its group and its part of
	// the official split. With "", the first usual name that exists is used:
	//
	//	bag    bag, bag_id, slide_id, slide, image_id, image, document_id, document, molecule_id, molecule, sample_id, sample,
	//	       case_id, case, patient_id, patient
	//	label  label, class, target, diagnosis, grade
	//	group  group, case_id, case, patient_id, patient, subject_id, subject
	//	split  split
	//
	// Case does not matter, nor does the separator: "slide id", "slide-id" and "slide_id" are equal. Split may also
	// be a CSV file of bag ids with the columns train, test and optionally val, as CLAM writes for each fold, or
	// [NoSplit], which ignores the split of a table or a named set.
	Bag, Label, Group, Split string

	// Labels is the CSV or TSV file that lists the bags of a folder or an HDF5 file. With "", it is labels.csv in the
	// folder or the folder's only table.
	Labels string

	// Array names the array of the features in HDF5, .npz and .pt files. With "" it is features or, if there is none, the
	// only array of two dimensions besides coordinates, floating-point before integers.
	Array string

	// Categorical names columns of words in a CSV or Parquet file. Each word becomes a feature column=word that is 1
	// where the word occurs and 0 elsewhere; the features are in the order of the words. A fit ignores words that are
	// missing from its training part ([mil.Preparation]).
	Categorical []string

	// AsFeatures names columns of a table to take as features although their names or values say that they are none: a
	// fold, a time, a second label, another id, coordinates, or numbers that only count the rows or the bags. In a CSV
	// file without a header they are numbers of columns, from 1. Without it such columns are left out, with a note, or
	// refused if the file has no header.
	AsFeatures []string

	// Ignore names columns of a table to leave out, such as dates and names.
	Ignore []string

	// Coordinates names the two columns of a CSV or Parquet file with the position of each instance
	// ([mil.Bag.Coordinates]). They are not features. With nil they are x and y, if both exist along with other
	// features and there is no z. Use "none" alone for no coordinates.
	Coordinates []string

	// Median allows missing values in a table: fields that are empty or contain ?, NA, N/A, NaN, nil, none or null,
	// in any case. Without it, missing values are an error.
	//
	// A feature x with missing values gets an indicator x=missing, after all other features, that is 1 where the
	// value is missing. Each fit fills in the median of its training part ([mil.Missing]). In a categorical
	// column, missing is a word; nil and none are words too.
	Median bool

	// Numbers treats all labels as a real target, for example counts. By default a few different integers are classes.
	Numbers bool

	// Order makes [Options.Open] number three or more classes in this order, which matters for quadratic kappa and
	// the confusion matrix. It must list all labels as spelt in the file. By default numbers are ordered by value and
	// words alphabetically.
	Order []string

	// Features, if not nil, has the names of a model's features. From a Parquet file, or a CSV file with a header,
	// they are read in this order and other columns are ignored. If no column is called column=word, the feature is
	// made from the words of that column. An empty list stands for a model whose features have no names.
	Features []string

	// Centre, if not nil, has a model's centre: the numbers that are subtracted from the features before they are rounded
	// ([mil.Set.Centre]). With nil, a set gets a centre if it needs one.
	Centre []float64

	// Unlabelled reads bags only for a model to score. It ignores labels, groups and the split, and sets every Label
	// to 0. The bags may be of one class or of unknown class.
	//
	// Labels may have any value or be absent: a Parquet file, or a CSV file with a header, needs only the bags and
	// the features. A CSV file without a header has a label, "?" or nothing before the bag. A cell array may be N x
	// 1. The Columbia form needs no labels, and a folder of bags needs no table.
	Unlabelled bool

	// Judged reads bags for a trained model to be judged on: they may be of one class, all of one value, or all
	// censored. Classes has the names of the model's classes, if any; every label that is a word must be one of them.
	Judged  bool
	Classes []string

	// Subset leaves out bags without a label, without a file or without a line in the table, and bags that cannot be
	// read, and notes how many. Without it they are an error that names all of them.
	Subset bool

	// Rest, if not nil, gets that error, and the other bags are read.
	Rest func(error)

	// Note, if not nil, receives one line for each choice that the file leaves open.
	Note func(string)

	moves    Column    // for a model: the column that is moved after reading
	rounding *rounding // while a set is read
}

// For returns the options for reading bags for a model with these names of features, or nil, and this centre. If the file
// has no names, [Source.Set] will move column c.
func (o Options) For(features []string, centre []float64, c Column) Options {
	o.Features, o.Centre, o.moves = append([]string{}, features...), append([]float64{}, centre...), c
	return o
}

// note reports a choice to Note.
func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// named returns an error if an option names a column but the file is not a table.
func (o Options) named() error {
	for _, c := range []struct{ flag, column string }{{"bag", o.Bag}, {"label", o.Label}, {"group", o.Group}, {"split", o.Split}, {"categorical", strings.Join(o.Categorical, ",")}, {"coordinates", strings.Join(o.Coordinates, ",")}, {"as-features", strings.Join(o.AsFeatures, ",")}, {"ignore", strings.Join(o.Ignore, ",")}, {"missing", o.missing()}} {
		if c.column != "" {
			return fmt.Errorf("no columns with names; --%s %s is for tables", c.flag, c.column)
		}
	}
	return nil
}

// NoSplit is the value of [Options.Split] that ignores an official split.
const NoSplit = "none"

// noCoordinates is the value of [Options.Coordinates] that means none.
const noCoordinates = "none"

// missing returns the value for the flag --missing.
func (o Options) missing() string {
	if o.Median {
		return "median"
	}
	return ""
}

// role is a use of a column other than as a feature.
type role struct {
	name  string // name of the flag, and the preferred name of the column
	usual []string
}

// Roles with the usual names of their columns, the preferred name first.
var (
	bagRole = role{bagColumn, []string{bagColumn, "bag_id", "slide_id", "slide", "image_id", "image", "document_id", "document", "molecule_id", "molecule",
		"sample_id", "sample", "case_id", "case", "patient_id", "patient"}}
	labelRole = role{labelColumn, []string{labelColumn, "class", "target", "diagnosis", "grade"}}
	groupRole = role{groupColumn, []string{groupColumn, "case_id", "case", "patient_id", "patient", "subject_id", "subject"}}
	splitRole = role{splitColumn, []string{splitColumn}}
)

// bookkeeping matches the names, as [plainName] writes them, of columns that say something about rows, bags or the study
// and measure nothing: row numbers, ids and files, folds and parts, labels, survival, positions.
var bookkeeping = regexp.MustCompile(`^(` + strings.Join([]string{
	`unnamed:.*|level_0|index|idx|id|u?uid|rows?|rownames?|barcode|.+_u?uid|.+_id`,
	`(` + things + `)_?(id|uid|uuid|nr|no|num|number|index|idx|name|names)?`,
	`file|path|names?|(` + things + `)_?(file|path)|file_?(name|path)`,
	`(k|cv|outer|inner)?_?folds?(_?(\d+|id|nr|no|number|index))?|kfold|cv|partition|subset|set|dataset|cohort`,
	`((old|new|official|original|data)_)?splits?(_?(\d+|copy|old|new|name))?|(is|in)_(train|val|valid|test|holdout)|(is_|in_)?(train|training|val|valid|validation|test|testing|holdout)(_?(set|part|split|mask))?`,
	`((` + things + `|class|true|target|gt|binary|original|old|new)_?)?labels?(_?(\d+|id|name|text|number|code|bin|binary|copy|old|new|true))?`,
	`class(es)?(_?(id|name|label|code))?|targets?|y_true|ground_?truth|gt|outcomes?|diagnos[ie]s|grades?|subtypes?`,
	`(time|event|survival|follow_?up|overall_survival|os|pfs|dfs|rfs|dss|efs|vital)(_?(time|days|weeks|months|years|event|status|observed|indicator|censor.*))?`,
	`status|censor(ed|ing|ship)?|deceased|died|dead|death|(time|days|months|years)_to_(event|death|.*follow_?up|recurrence|progression)`,
	`((coords?|coordinates?|pos|position|centroid|cent(er|re)|loc|location|tile|patch|cell|slide|nucleus|pixel)_?)[xyz](_(um|µm|px|mm|pixels?))?`,
	`[xyz]_?(coords?|coordinates?|pos|position|centroid|cent(er|re)|loc|location|tile|patch|um|µm|px|pixels?)|(coords?|coordinates?)(_?\d+)?`,
	`((tile|patch|grid)_?)?(row|col|column)`,
}, "|") + `)(\.\d+)?$`) // pandas writes .1 behind the name of a second column

// things are what ids and numbers of columns may be of.
const things = `bag|slide|image|document|molecule|sample|case|patient|subject|group|instance|tile|patch|cell|object|row|specimen|block`

// plainName normalises a column name to the spelling of the usual names.
func plainName(column string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(column)))
}

// find returns the index of the column with the role, or -1. Column taken already has another role. chosen is the
// name given by an option.
func (r role) find(columns []string, chosen string, taken int) (int, error) {
	if chosen != "" {
		if i := slices.Index(columns, chosen); i >= 0 {
			return i, nil
		}
		if i := slices.IndexFunc(columns, func(c string) bool { return plainName(c) == plainName(chosen) }); i >= 0 {
			return i, nil
		}
		return -1, noColumn(r.name, chosen, columns)
	}
	for _, usual := range r.usual {
		if i := slices.IndexFunc(columns, func(c string) bool { return plainName(c) == usual }); i >= 0 && i != taken {
			return i, nil
		}
	}
	return -1, nil
}

// noColumn is the error for a flag that names a column that does not exist.
func noColumn(flag, column string, columns []string) error {
	if near := spelling.Nearest(column, columns); near != "" {
		return fmt.Errorf("--%s: no column %q; did you mean %q?", flag, column, near)
	}
	return fmt.Errorf("--%s: no column %q; the columns are %s", flag, column, few(columns))
}

// mostNamed is the number of columns that a message lists.
const mostNamed = 12

// few lists names, up to a limit.
func few(names []string) string {
	var shown []string
	for _, name := range names[:min(mostNamed, len(names))] {
		if name == "" || !plain(name) {
			name = strconv.Quote(name)
		}
		shown = append(shown, name)
	}
	if more := len(names) - len(shown); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), more)
	}
	return strings.Join(shown, ", ")
}

// mostWords is the maximum number of words in a categorical column.
const mostWords = 100

// wordsToo has spellings of missing numbers that count as words in a categorical column.
var wordsToo = []string{"nil", "none"}

// missingWord stands for a missing value in the names of features.
const missingWord = "missing"

// vocabulary numbers the words in a categorical column.
type vocabulary struct {
	number map[string]int
	words  []string
}

// of returns the number of a word.
func (v *vocabulary) of(word string) (int, error) {
	word = strings.TrimSpace(word)
	switch n, known := v.number[word]; {
	case known:
		return n, nil
	case !plain(word):
		return 0, fmt.Errorf("%q; write words without line breaks and other control characters", word)
	case len(v.words) == mostWords:
		return 0, fmt.Errorf("more than %d words; --categorical is for columns of few", mostWords)
	}
	word = strings.Clone(word)
	v.number[word] = len(v.words)
	v.words = append(v.words, word)
	return len(v.words) - 1, nil
}

// reads is a column of the file that features are made from.
type reads struct {
	column int
	name   string      // "" without a header
	words  *vocabulary // for a categorical column
	counts bool        // it only counts the rows or the bags

	missing int    // number of missing values
	first   string // bag with the first missing value
}

// value parses a field: a number, or the number of a word. A missing number is NaN.
func (r *reads) value(bag, text string) (float64, error) {
	lacks := func() {
		if r.missing++; r.missing == 1 {
			r.first = bag
		}
	}
	if r.words != nil {
		switch {
		case isMissing(text) && !slices.Contains(wordsToo, strings.ToLower(strings.TrimSpace(text))):
			lacks()
			text = missingWord
		case strings.TrimSpace(text) == missingWord:
			return 0, fmt.Errorf("the word %s, which is that of values that are missing; rename it", missingWord)
		}
		n, err := r.words.of(text)
		return float64(n), err
	}
	v, err := parseValue(text)
	if err != nil && isMissing(text) {
		lacks()
		return math.NaN(), nil
	}
	return v, err
}

// holdWords adds to the error of a word in a column what to do about this and all other columns of a record that hold words.
func holdWords(list []reads, record []string, err error) error {
	var names []string
	for k := range list {
		r := &list[k]
		if text := record[r.column]; r.words == nil && r.name != "" && !isMissing(text) {
			if _, err := parseValue(text); errors.As(err, new(noNumber)) {
				names = append(names, strconv.Quote(r.name))
			}
		}
	}
	switch {
	case len(names) == 1:
		return fmt.Errorf("%w; --categorical %s makes a feature of each word, --ignore %[2]s leaves the column out, and --bag %[2]s takes the words for the bags", err, names[0])
	case len(names) > 1:
		return fmt.Errorf("%w, and so in the columns %s; --categorical makes a feature of each word of a column, --ignore leaves it out, and --bag takes the words for the bags", err, few(names))
	}
	return err
}

// called returns a name for the k-th column that is read.
func (r *reads) called(k int) string {
	if r.name != "" {
		return "feature " + r.name
	}
	return fmt.Sprintf("feature %d", k+1)
}

// made is a feature made from a column of the file: its value, or 1 if it holds a given word or has no value.
type made struct {
	name    string
	at      int    // index among the columns that are read
	word    string // for a categorical column
	missing bool
}

// choose returns the columns to read and, for a model, the features to make from them.
func (o Options) choose(l *layout) (list []reads, wanted []made, err error) {
	names := l.names(l.features)
	for _, c := range o.AsFeatures {
		if !slices.Contains(names, c) {
			return nil, nil, noColumn("as-features", c, l.header)
		}
	}
	for _, c := range o.Categorical {
		if !slices.Contains(names, c) {
			return nil, nil, noColumn("categorical", c, names)
		}
	}
	add := func(k int, categorical bool) {
		r := reads{column: l.features[k], name: names[k]}
		if categorical {
			r.words = &vocabulary{number: map[string]int{}}
		}
		list = append(list, r)
	}
	if len(o.Features) == 0 {
		for k, name := range names {
			add(k, slices.Contains(o.Categorical, name))
		}
		return list, nil, nil
	}
	at := make(map[string]int, len(names)) // index in list
	read := func(name string, categorical bool) (int, bool) {
		if k, known := at[name]; known {
			return k, (list[k].words != nil) == categorical
		}
		k := slices.Index(names, name)
		if k < 0 {
			return 0, false
		}
		at[name] = len(list)
		add(k, categorical)
		return at[name], true
	}
	for _, feature := range o.Features {
		if k, there := read(feature, false); there {
			wanted = append(wanted, made{name: feature, at: k})
			continue
		}
		m := made{name: feature}
		column, is := strings.CutSuffix(feature, "="+missingWord)
		if m.missing = is && slices.Contains(o.Features, column); !m.missing {
			column, m.word, is = strings.Cut(feature, "=")
		}
		k, there := read(column, !m.missing)
		if !is || !there {
			return nil, nil, fmt.Errorf("no column %q; give the file the columns that the model was trained on", feature)
		}
		m.at = k
		wanted = append(wanted, m)
	}
	return list, wanted, nil
}

// refuse returns an error for missing values. For a model it covers columns where the model does not know how to
// replace them.
func (o Options) refuse(list []reads, wanted []made) error {
	knows := func(k int) bool {
		return slices.ContainsFunc(wanted, func(m made) bool { return m.at == k && (m.missing || m.word == missingWord) })
	}
	total, named := 0, list != nil
	var columns []string
	for k, r := range list {
		if r.missing > 0 && !(o.Features == nil && o.Median && r.name != "") && !(o.Features != nil && knows(k)) {
			total += r.missing
			columns = append(columns, fmt.Sprintf("%s (%d, the first in bag %s)", strings.TrimPrefix(r.called(k), "feature "), r.missing, r.first))
			named = named && r.name != ""
		}
	}
	if total == 0 {
		return nil
	}
	most := len(columns)
	if most > 5 {
		columns = append(columns[:5], fmt.Sprintf("and %d more", most-5))
	}
	what := fmt.Sprintf("%s missing, in %s", values(total), strings.Join(columns, ", "))
	switch {
	case o.Unlabelled && !named:
		return fmt.Errorf("%s; give them, or a header with the names of the features", what)
	case o.Features != nil || o.Unlabelled:
		return fmt.Errorf("%s; the model was trained without missing values there: give them", what)
	case !named:
		return fmt.Errorf("%s; give them, or write a header and take --missing median", what)
	}
	return fmt.Errorf("%s; --missing median takes the median of each training part for them, and adds features that say where they are", what)
}

// values returns the number of values and the matching verb.
func values(n int) string {
	if n == 1 {
		return "1 value is"
	}
	return fmt.Sprintf("%d values are", n)
}

// tellMissing reports how missing values were treated.
func (o Options) tellMissing(name string, list []reads) {
	var numbers, words []string
	total := 0
	for _, r := range list {
		total += r.missing
		switch {
		case r.missing > 0 && r.words != nil:
			words = append(words, r.name)
		case r.missing > 0:
			numbers = append(numbers, r.name)
		}
	}
	part := "each training part"
	if o.Unlabelled || o.Judged {
		part = "what the model was trained on"
	}
	text := ""
	if len(numbers) > 0 {
		text += fmt.Sprintf("; in %s the median of %s stands for them, and features such as %s=%s say where", few(numbers), part, numbers[0], missingWord)
	}
	if len(words) > 0 {
		text += fmt.Sprintf("; in %s they are the word %s", few(words), missingWord)
	}
	switch {
	case text != "":
		o.note("%s: %s missing%s", name, values(total), text)
	case o.Median && !o.Unlabelled && o.Features == nil:
		o.note("%s: no value is missing, so --missing median changes nothing", name)
	}
}

// expand makes the features of a set from the columns that were read. If each feature is one column, in the same
// position, the instances do not change.
func (o Options) expand(s *mil.Set, list []reads, wanted []made) error {
	if wanted == nil {
		var indicators []made
		for k, r := range list {
			if r.counts {
				continue
			}
			if r.words == nil {
				wanted = append(wanted, made{name: r.name, at: k})
				if r.missing > 0 {
					indicators = append(indicators, made{name: r.name + "=" + missingWord, at: k, missing: true})
				}
				continue
			}
			for _, word := range slices.SortedFunc(slices.Values(r.words.words), mil.CompareNatural) {
				wanted = append(wanted, made{name: r.name + "=" + word, at: k, word: word})
			}
		}
		wanted = append(wanted, indicators...)
	}
	same, centred := len(wanted) == len(list), o.rounding.centred()
	seen := make(map[string]bool, len(wanted))
	for k, m := range wanted {
		if seen[m.name] {
			return fmt.Errorf("feature %s occurs twice; give every column a name of its own", m.name)
		}
		seen[m.name] = true
		s.Features = append(s.Features, m.name)
		same = same && m.at == k && list[k].words == nil
		if m.missing {
			feature := slices.IndexFunc(wanted, func(of made) bool { return of.at == m.at && !of.missing })
			s.Missing = append(s.Missing, mil.Missing{Feature: feature, Indicator: k})
		}
		if list[m.at].words != nil {
			s.Words = append(s.Words, k)
		}
		if centred {
			centre := 0.0
			if !m.missing && m.at < len(o.rounding.centre) {
				centre = o.rounding.centre[m.at]
			}
			s.Centre = append(s.Centre, centre)
		}
	}
	if same {
		return nil
	}
	for i := range s.Bags {
		var err error
		s.Bags[i].Instances, err = remade(s.Bags[i].Instances, len(wanted), func(_ int, row, wide []float32) {
			for k, m := range wanted {
				v := row[m.at]
				switch words := list[m.at].words; {
				case words != nil:
					number, known := words.number[m.word]
					wide[k] = one(known && int(v) == number)
				case m.missing:
					wide[k] = one(v != v)
				case v != v:
					wide[k] = 0
				default:
					wide[k] = v
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// one returns 1 for true and 0 for false.
func one(is bool) float32 {
	if is {
		return 1
	}
	return 0
}
