package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"synpool/milbench"
)

// Options says how a file is to be read. The zero value takes the columns of a table by their usual names.
type Options struct {
	// The columns of a CSV or Parquet file or of labels.csv that hold the id of the bag, its label, its group and its part of the official split.
	// "" is the first of the usual names that is there:
	//
	//	bag    bag, bag_id, slide_id, slide, image_id, image, document_id, document, molecule_id, molecule, sample_id, sample,
	//	       case_id, case, patient_id, patient
	//	label  label, class, target, diagnosis, grade
	//	group  group, case_id, case, patient_id, patient, subject_id, subject
	//	split  split
	//
	// Capital and small letters are the same, and so are "slide id", "slide-id" and "slide_id". Split may also be a CSV file with the columns train,
	// test and maybe val of ids of bags, as CLAM writes one for each fold.
	Bag, Label, Group, Split string

	// Labels is the table of the bags of a folder or of an HDF5 file, a CSV or TSV file; "" is labels.csv in the folder, or its only table.
	Labels string

	// Categorical are columns of words of a CSV or Parquet file. Each word of such a column becomes a feature, called column=word, that is 1 where
	// it stands and 0 elsewhere, in the order of the words. A fit whose training part lacks a word does not see it ([milbench.Preparation]).
	Categorical []string

	// Coordinates are the two columns of a CSV or Parquet file that say where an instance is, [milbench.Bag.Coordinates], and are no features; nil is x and y, if
	// there are these two, no z and other features, and "none" alone is none.
	Coordinates []string

	// Median takes a table with missing values: fields that are empty or hold ?, NA, N/A, NaN, nil, none or null, in capital or small letters. A feature x that
	// lacks some gets a second one, x=missing, behind all others, that is 1 where the value is missing, and each fit puts the median of its training part there
	// ([milbench.Missing]). In a categorical column missing is a word, and nil and none are words, too. Without it missing values are an error.
	Median bool

	// Numbers has [Options.Open] take labels that are integers for a real target, counts say, where there are few different ones; else they are classes. Of labels -1 and 1 the numbers are 0 and 1.
	Numbers bool

	// Order has [Options.Open] number the classes of a target with three or more in this order, which quadratic kappa and the confusion matrix
	// take: all of their labels, as the file writes them. Else numbers stand by value, and words by alphabet.
	Order []string

	// Features, if not nil, are the names of the features that a model takes. Of a Parquet file, or a CSV file with a header, they are read in this order;
	// other columns are not looked at, and a feature column=word that no column has is made of the words of that column.
	Features []string

	// Unlabelled bags are read for a model to score: no label, group or split is looked at, so that they may be of one class or of none that is
	// known. A Parquet file or a CSV file with a header needs no column but that of the bags and the features, one without a header has a label, "?" or nothing in front
	// of the bag, a cell array may be N x 1, the Columbia form may lack its labels, and elsewhere a label may be
	// anything; a folder of bags needs no table. Every Label is 0.
	Unlabelled bool

	// Note, if not nil, is told in a line what was taken for what where the file does not say so itself.
	Note func(string)
}

// note tells what was taken for what.
func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// named reports an option that names columns, which a file of another form than a table does not have.
func (o Options) named() error {
	for _, c := range []struct{ flag, column string }{{"bag", o.Bag}, {"label", o.Label}, {"group", o.Group}, {"split", o.Split}, {"categorical", strings.Join(o.Categorical, ",")}, {"coordinates", strings.Join(o.Coordinates, ",")}, {"missing", o.missing()}} {
		if c.column != "" {
			return fmt.Errorf("no columns with names; --%s %s is for tables", c.flag, c.column)
		}
	}
	return nil
}

// noCoordinates is the value of [Options.Coordinates] for none.
const noCoordinates = "none"

// missing returns the value of the flag --missing.
func (o Options) missing() string {
	if o.Median {
		return "median"
	}
	return ""
}

// role is what a column of a table holds beside features.
type role struct {
	name  string // of the flag, and the plainest name of the column
	usual []string
}

// The roles, with the usual names of their columns, the plainest first.
var (
	bagRole = role{bagColumn, []string{bagColumn, "bag_id", "slide_id", "slide", "image_id", "image", "document_id", "document", "molecule_id", "molecule",
		"sample_id", "sample", "case_id", "case", "patient_id", "patient"}}
	labelRole = role{labelColumn, []string{labelColumn, "class", "target", "diagnosis", "grade"}}
	groupRole = role{groupColumn, []string{groupColumn, "case_id", "case", "patient_id", "patient", "subject_id", "subject"}}
	splitRole = role{splitColumn, []string{splitColumn}}
)

// plainName returns the name of a column as usual names are written.
func plainName(column string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(column)))
}

// find returns which of the columns has the role, -1 where none has. taken is a column that has another one. chosen is the name that an option gives.
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

// noColumn says that a flag names a column that is not there.
func noColumn(flag, column string, columns []string) error {
	if near := milbench.Nearest(column, columns); near != "" {
		return fmt.Errorf("--%s: no column %q; did you mean %q?", flag, column, near)
	}
	return fmt.Errorf("--%s: no column %q; the columns are %s", flag, column, few(columns))
}

// few lists names, not too many of them.
func few(names []string) string {
	const most = 12
	var shown []string
	for _, name := range names[:min(most, len(names))] {
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

// mostWords is the number of words of a categorical column.
const mostWords = 100

// wordsToo stand for missing values of numbers, and are words in a categorical column.
var wordsToo = []string{"nil", "none"}

// missingWord is what missing values of a column are called in names of features.
const missingWord = "missing"

// vocabulary numbers the words of a categorical column.
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

// reads is a column of the file that features are made of.
type reads struct {
	column int
	name   string      // "" without a header
	words  *vocabulary // of a categorical one

	missing int    // how many values are
	first   string // the bag of the first of them
}

// value reads a field of a bag: a number, or the number of a word. A missing number is NaN.
func (r *reads) value(bag, text string) (float32, error) {
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
		return float32(n), err
	}
	v, err := parseValue(text)
	if err != nil && isMissing(text) {
		lacks()
		return float32(math.NaN()), nil
	}
	if err != nil && r.name != "" && strings.ContainsFunc(text, unicode.IsLetter) {
		if _, notNumber := strconv.ParseFloat(strings.TrimSpace(text), 64); errors.Is(notNumber, strconv.ErrSyntax) {
			return 0, fmt.Errorf("%w; --categorical %s makes a feature of each word", err, strconv.Quote(r.name))
		}
	}
	return v, err
}

// called names the k-th column that is read.
func (r *reads) called(k int) string {
	if r.name != "" {
		return "feature " + r.name
	}
	return fmt.Sprintf("feature %d", k+1)
}

// made is a feature of the set, made of a column of the file: its value, or 1 where a word stands in it or its value is missing.
type made struct {
	name    string
	at      int    // the column, among those that are read
	word    string // of a categorical one
	missing bool
}

// errFeature is wrapped by errors about a feature of a model that a file does not have.
var errFeature = errors.New("give the file the columns that the model was trained on")

// choose returns the columns that are read and, where the model says so, what is made of them.
func (o Options) choose(columns []string, features []int) (list []reads, wanted []made, err error) {
	for _, c := range o.Categorical {
		if !slices.ContainsFunc(features, func(i int) bool { return columns[i] == c }) {
			var names []string
			for _, i := range features {
				names = append(names, columns[i])
			}
			return nil, nil, noColumn("categorical", c, names)
		}
	}
	if o.Features == nil {
		for _, i := range features {
			r := reads{column: i, name: columns[i]}
			if slices.Contains(o.Categorical, columns[i]) {
				r.words = &vocabulary{number: map[string]int{}}
			}
			list = append(list, r)
		}
		return list, nil, nil
	}
	at := make(map[string]int, len(features)) // in list
	read := func(name string, categorical bool) (int, bool) {
		if k, known := at[name]; known {
			return k, (list[k].words != nil) == categorical
		}
		i := slices.IndexFunc(features, func(i int) bool { return columns[i] == name })
		if i < 0 {
			return 0, false
		}
		r := reads{column: features[i], name: name}
		if categorical {
			r.words = &vocabulary{number: map[string]int{}}
		}
		at[name] = len(list)
		list = append(list, r)
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
			return nil, nil, fmt.Errorf("no column %q; %w", feature, errFeature)
		}
		m.at = k
		wanted = append(wanted, m)
	}
	return list, wanted, nil
}

// refuse reports missing values: all of them, or of a model those of columns that it knows none of.
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

// values counts values, with their verb.
func values(n int) string {
	if n == 1 {
		return "1 value is"
	}
	return fmt.Sprintf("%d values are", n)
}

// tellMissing notes missing values that were taken, and what is made of them.
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
	if o.Unlabelled {
		part = "what the model was trained on"
	}
	text := ""
	if len(numbers) > 0 {
		text += fmt.Sprintf("; in %s the median of %s stands for them, and features such as %s=%s say where", few(numbers), part, numbers[0], missingWord)
	}
	if len(words) > 0 {
		text += fmt.Sprintf("; in %s they are the word %s", few(words), missingWord)
	}
	if text != "" {
		o.note("%s: %s missing%s", name, values(total), text)
	}
}

// expand makes the features of a set whose instances have the columns that were read. Where every feature is such a column, in its place, the
// instances stay as they are.
func expand(s *milbench.Set, list []reads, wanted []made) error {
	if wanted == nil {
		var indicators []made
		for k, r := range list {
			if r.words == nil {
				wanted = append(wanted, made{name: r.name, at: k})
				if r.missing > 0 {
					indicators = append(indicators, made{name: r.name + "=" + missingWord, at: k, missing: true})
				}
				continue
			}
			for _, word := range slices.SortedFunc(slices.Values(r.words.words), milbench.CompareNatural) {
				wanted = append(wanted, made{name: r.name + "=" + word, at: k, word: word})
			}
		}
		wanted = append(wanted, indicators...)
	}
	same := len(wanted) == len(list)
	seen := make(map[string]bool, len(wanted))
	for k, m := range wanted {
		if seen[m.name] {
			return fmt.Errorf("feature %s stands twice; give every column a name of its own", m.name)
		}
		seen[m.name] = true
		s.Features = append(s.Features, m.name)
		same = same && m.at == k && list[k].words == nil
		if m.missing {
			feature := slices.IndexFunc(wanted, func(of made) bool { return of.at == m.at && !of.missing })
			s.Missing = append(s.Missing, milbench.Missing{Feature: feature, Indicator: k})
		}
		if list[m.at].words != nil {
			s.Words = append(s.Words, k)
		}
	}
	if same {
		return nil
	}
	wide := make([]float32, len(wanted))
	for i := range s.Bags {
		rows := &milbench.Sparse{Cols: len(wanted), RowStart: []int{0}}
		err := milbench.EachRow(s.Bags[i].Instances, func(_ int, row []float32) {
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
			rows.Append(wide)
		})
		if err != nil {
			return err
		}
		s.Bags[i].Instances = rows
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
