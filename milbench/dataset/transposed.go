package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench/mil"
)

// ReadTransposed reads a set from three text files, the form of Pevny's MIProblems. Each line of the file data has
// one feature of all instances, separated by tabs. Line i of the files bags and labels has the bag id of instance i
// and the label of that bag. The features have no names. Bags are in the order of their first instances.
//
// An error names the file and the line.
func ReadTransposed(data, bags, labels string) (*mil.Set, error) {
	var in [3]io.Reader
	for i, path := range []string{data, bags, labels} {
		f, err := disk.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in[i] = f
	}
	again := func() (err error) {
		for _, r := range in {
			_, seek := r.(io.Seeker).Seek(0, io.SeekStart)
			err = errors.Join(err, seek)
		}
		return err
	}
	return Options{}.rounded(data, again, func(o Options) (*mil.Set, error) { return o.readTransposed(in, [3]string{data, bags, labels}) })
}

// readTransposed reads the data, bags and labels, in this order, from files with these names.
func (o Options) readTransposed(in [3]io.Reader, names [3]string) (*mil.Set, error) {
	ids, err := lines(in[1], names[1])
	if err != nil {
		return nil, err
	}
	words, err := lines(in[2], names[2])
	if err != nil {
		return nil, err
	}
	if len(words) != len(ids) {
		return nil, fmt.Errorf("%s: %d labels, and %s has %d bag ids; give one of each per instance", names[2], len(words), names[1], len(ids))
	}
	var t textBags
	bagOf := make([]int, len(ids))
	for i, id := range ids {
		if bagOf[i], err = t.of(id, words[i], "", mil.NoSplit); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", names[2], i+1, err)
		}
	}

	var columns [][]float32
	err = eachRecord(tabs(in[0]), names[0], func(_ int, record []string) error {
		if len(record) != len(ids) {
			return fmt.Errorf("%d values, and %s has %d bag ids; give one value per instance", len(record), names[1], len(ids))
		}
		column := make([]float32, len(record))
		for i, text := range record {
			v, err := parseValue(text)
			if err == nil {
				column[i], err = o.rounding.of(len(columns), v)
			}
			if err != nil {
				return fmt.Errorf("instance %d: %w", i+1, err)
			}
		}
		columns = append(columns, column)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: no features; give one line per feature", names[0])
	}
	row := make([]float32, len(columns))
	for i, bag := range bagOf {
		for j, column := range columns {
			row[j] = column[i]
		}
		t.appendTo(bag, row)
	}
	return o.assemble(&mil.Set{Name: names[0], Bags: t.bags}, t.words)
}

// tabs returns a reader for tab-separated fields.
func tabs(r io.Reader) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma = '\t'
	return c
}

// lines reads one word per line.
func lines(r io.Reader, name string) ([]string, error) {
	var out []string
	err := eachRecord(tabs(r), name, func(_ int, record []string) error {
		word := strings.TrimSpace(record[0])
		switch {
		case len(record) > 1:
			return fmt.Errorf("%d fields; give one word per line", len(record))
		case word == "":
			return errors.New("no word; give one word per line")
		case !plain(word):
			return fmt.Errorf("%q; write it without control characters", word)
		}
		out = append(out, strings.Clone(word))
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: %w", name, errEmpty)
	}
	return out, err
}

var errEmpty = errors.New("the file is empty")
