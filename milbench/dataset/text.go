package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"synpool/milbench"
)

// textBags gathers the bags of a text file, whose rows may come in any order.
type textBags struct {
	unlabelled bool
	index      map[string]int
	bags       []milbench.Bag
	labels     []float64 // as stored; nil if unlabelled
}

// of returns the index of the bag of a row, or the reason why the row disagrees with earlier ones of that bag.
func (t *textBags) of(id string, label float64, group string, split milbench.Split) (int, error) {
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
		id = strings.Clone(id) // not the whole line
		t.index[id] = i
		if !t.unlabelled {
			t.labels = append(t.labels, label)
		}
		t.bags = append(t.bags, milbench.Bag{ID: id, Group: strings.Clone(group), Split: split, Instances: milbench.Matrix{RowStart: []int{0}}})
		return i, nil
	}
	switch b := t.bags[i]; {
	case !t.unlabelled && t.labels[i] != label:
		return 0, fmt.Errorf("bag %s has label %v here and %v before; a bag has one label", id, label, t.labels[i])
	case b.Group != group:
		return 0, fmt.Errorf("bag %s is in group %q here and in %q before; a bag has one group", id, group, b.Group)
	case b.Split != split:
		return 0, fmt.Errorf("bag %s is in split %q here and in %q before; a bag is in one part", id, split, b.Split)
	}
	return i, nil
}

// plain says whether text is valid and fits on a line.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// appendTo appends an instance to bag i.
func (t *textBags) appendTo(i int, values []float64) {
	m := &t.bags[i].Instances
	m.Cols = len(values)
	appendRow(m, values)
}

// parseLabel reads a label; -1, 0 and 1 may be written as any number of that value.
func parseLabel(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || v != 0 && v != 1 && v != -1 {
		return 0, fmt.Errorf("label %q; write labels as 0 and 1, or as -1 and 1", text)
	}
	return v, nil
}

// parseValue reads a finite number.
func parseValue(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number in the range of a double", text)
	}
	return v, finite(v)
}

// eachRecord calls f with every record of r and its line. All records are as wide as the first; a record is valid
// during the call only. Errors name the file and the line.
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
