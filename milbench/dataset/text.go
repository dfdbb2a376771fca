package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"synpool/internal/disk"
	"synpool/milbench/mil"
)

// textBags collects the bags of a text file. Rows may come in any order.
type textBags struct {
	unlabelled bool
	index      map[string]int
	bags       []mil.Bag
	words      []string // labels as written; nil if unlabelled

	sparse       bool // whether rows are stored as [mil.Sparse]
	size, stored int  // values so far, and those that are not 0

	last  int          // bag of the row before
	apart map[int]bool // bags whose rows are not together
	first string       // the first of them
}

// tell notes bags whose rows are not together: two bags may have one id. It also notes bags without a group, if there
// is a column of groups.
func (t *textBags) tell(name string, o Options, groups bool) {
	if len(t.apart) > 0 {
		o.note("%s: rows of %s are not together in the table, those of %s, say; is an id used twice?", name, howMany(len(t.apart), "bag"), t.first)
	}
	alone := 0
	for _, b := range t.bags {
		if groups && b.Group == "" {
			alone++
		}
	}
	if alone > 0 {
		o.note("%s: %d of %s have no group; each of them is a group of its own", name, alone, howMany(len(t.bags), "bag"))
	}
}

// howMany counts things.
func howMany(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// of returns the index of the bag for a row, or an error if the row contradicts earlier rows of that bag.
func (t *textBags) of(id, word, group string, split mil.Split) (int, error) {
	switch {
	case id == "":
		return 0, errors.New("no bag id; give every row the id of its bag")
	case !plain(group):
		return 0, fmt.Errorf("bag %s: group %q; write it without line breaks and other control characters", id, group)
	}
	i, ok := t.index[id]
	if !ok {
		if t.index == nil {
			t.index = make(map[string]int)
		}
		i = len(t.bags)
		t.last = i
		id = strings.Clone(id) // do not keep the whole line
		t.index[id] = i
		if !t.unlabelled {
			t.words = append(t.words, strings.Clone(word))
		}
		t.bags = append(t.bags, mil.Bag{ID: id, Group: strings.Clone(group), Split: split, Instances: new(mil.Dense)})
		if t.sparse {
			t.bags[i].Instances = &mil.Sparse{RowStart: []int{0}}
		}
		return i, nil
	}
	if i != t.last {
		if t.last = i; t.apart == nil {
			t.apart, t.first = map[int]bool{}, id
		}
		t.apart[i] = true
	}
	switch b := t.bags[i]; {
	case !t.unlabelled && !mil.SameWord(t.words[i], word):
		return 0, fmt.Errorf("bag %s has label %s here and %s before; a bag has one label: is its id used twice?", id, shown(word), shown(t.words[i]))
	case b.Group != group:
		return 0, fmt.Errorf("bag %s is in group %q here and in %q before; a bag has one group: is its id used twice?", id, group, b.Group)
	case b.Split != split:
		return 0, fmt.Errorf("bag %s is in split %q here and in %q before; a bag is in one part", id, split, b.Split)
	}
	return i, nil
}

// plain reports whether text is valid and fits on one line.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// shown returns a label as shown in messages.
func shown(word string) string {
	return strings.ReplaceAll(strings.TrimPrefix(word, survivalMark), survivalMark, " and event ")
}

// firstSize is the number of values after which a table is first stored sparse, if it is.
const firstSize = 1 << 20

// appendTo adds an instance to bag i. Rows are dense until few values are not 0; the set is packed in the end ([mil.Pack]).
func (t *textBags) appendTo(i int, values []float32) {
	for _, v := range values {
		if v != 0 {
			t.stored++
		}
	}
	before := t.size
	if t.size += len(values); !t.sparse && before/firstSize < t.size/firstSize && float64(t.stored) < mil.SparseBelow*float64(t.size) {
		t.sparse = true
		for k := range t.bags {
			t.bags[k].Instances, _ = mil.ToSparse(t.bags[k].Instances) // in memory there is no error
		}
	}
	switch m := t.bags[i].Instances.(type) {
	case *mil.Dense:
		m.Rows, m.Cols, m.Values = m.Rows+1, len(values), append(m.Values, values...)
	case *mil.Sparse:
		m.Cols = len(values)
		m.Append(values)
	}
}

// forms are files that are no tables, by the beginning of their text.
var forms = []struct {
	begin *regexp.Regexp
	cure  string
}{
	{regexp.MustCompile(`^PK\x03\x04(?s:.{26})(\[Content_Types\]|_rels/|docProps/|xl/)|^\xd0\xcf\x11\xe0`), "an Excel file: save it as CSV"},
	{regexp.MustCompile(`^PK\x03\x04(?s:.{26}.{0,4})mimetype`), "an OpenDocument spreadsheet: save it as CSV"},
	{regexp.MustCompile(`^PK\x03\x04`), "an archive; give a table, or a folder of bags"},
	{regexp.MustCompile(`^(\xff\xfe|\xfe\xff)`), "text in UTF-16: save it as CSV in UTF-8"},
	{regexp.MustCompile(`^SQLite format 3`), "an SQLite database: write its table as CSV"},
	{regexp.MustCompile(`^(ARROW1|FEA1)`), "an Arrow or Feather file: write it as Parquet or CSV"},
	{regexp.MustCompile(`(?i)^\s*(<\?xml|<!doctype|<html|<table)`), "XML or HTML, as some programs save tables: save it as CSV"},
	{regexp.MustCompile(`(?i)^(\s|%.*\n)*@relation\s`), "an ARFF file of Weka: save it as CSV with the columns bag and label"},
	{regexp.MustCompile(`^\s*[\[{]\s*["{\[]`), "JSON: write it as CSV with the columns bag and label"},
	{regexp.MustCompile(`^(#.*\n)*[-+.0-9eE]+([ \t]+qid:\S+)?([ \t]+[0-9]+:[-+.0-9eE]+)+[ \t\r]*(#.*)?(\n|$)`), "an svmlight file (label qid:bag index:value): load it with sklearn.datasets.load_svmlight_file and write CSV with the columns bag, label and one for each feature"},
}

// foreign returns an error for a file that is no table but another form that people take for one.
func foreign(first []byte) error {
	text := make([]rune, len(first)) // a regular expression reads characters, one for each byte here
	for i, b := range first {
		text[i] = rune(b)
	}
	for _, f := range forms {
		if f.begin.MatchString(string(text)) {
			return errors.New(f.cure)
		}
	}
	if line, _, whole := bytes.Cut(first, []byte("\n")); whole && bytes.IndexByte(line, 0) < 0 && !utf8.Valid(line) {
		return errors.New("text that is not in UTF-8: save it as CSV in UTF-8")
	}
	return nil
}

// decimalComma matches a number with a decimal comma.
var decimalComma = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?$`)

// parseValue parses a finite number.
func parseValue(text string) (float64, error) {
	v, err := mil.ParseNumber(strings.TrimSpace(text))
	switch {
	case err != nil && decimalComma.MatchString(strings.TrimSpace(text)):
		return 0, fmt.Errorf("%q has a decimal comma; write decimal points", text)
	case errors.Is(err, strconv.ErrSyntax):
		if odd, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && odd-odd != 0 { // NaN or infinite
			_, err := mil.Float32(odd)
			return 0, err
		}
		return 0, noNumber(text)
	case err != nil:
		return 0, errors.New(noNumber(text).Error())
	}
	return v, nil
}

// noNumber is the error for a word in the place of a number.
type noNumber string

func (text noNumber) Error() string {
	return fmt.Sprintf("%q is not a number in the range of a double", string(text))
}

// eachRecordOf is [eachRecord] for the table in a file.
func eachRecordOf(path string, f func(line int, record []string) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := separated(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return eachRecord(in, path, f)
}

// eachRecord calls f with every record of r and its line. All records must be as wide as the first. A record is valid
// only during the call. Errors name the file and the line.
func eachRecord(r *csv.Reader, name string, f func(line int, record []string) error) error {
	r.ReuseRecord = true
	r.TrimLeadingSpace = true
	width := 0
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			if errors.Is(err, csv.ErrFieldCount) {
				return fmt.Errorf("%s: line %d has %d fields, the lines before have %d; give every line as many", name, bad.Line, len(record), width)
			}
			return fmt.Errorf("%s: line %d: %w", name, bad.Line, bad.Err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, readError(err))
		}
		width = len(record)
		line, _ := r.FieldPos(0)
		if err := f(line, record); err != nil {
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
}
