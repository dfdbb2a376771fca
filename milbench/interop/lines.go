package interop

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"synpool/internal/delimited"
	"synpool/milbench/mil"
)

// line is one line of a table.
type line struct {
	header []string       // column names
	at     map[string]int // index of each column
	fields []string
}

func (l line) text(column string) string { return strings.TrimSpace(l.fields[l.at[column]]) }

func (l line) has(column string) bool {
	_, there := l.at[column]
	return there
}

// need returns an error if a column is missing.
func (l line) need(columns []string) error {
	for _, column := range columns {
		if !l.has(column) {
			return fmt.Errorf("no column %s; the columns %s are needed", column, strings.Join(columns, ", "))
		}
	}
	return nil
}

// integer parses a whole number within bounds. It accepts the form 2.0, which some programs write.
func (l line) integer(column string, least, most int) (int, error) {
	v, err := mil.ParseNumber(l.text(column))
	if err != nil || v < float64(least) || v > float64(most) || v != math.Trunc(v) {
		return 0, fmt.Errorf("%s %q; a whole number from %d to %d is needed", column, l.text(column), least, most)
	}
	return int(v), nil
}

// number parses a finite number.
func (l line) number(column string) (float64, error) {
	v, err := mil.ParseNumber(l.text(column))
	if err != nil {
		return 0, fmt.Errorf("%s %q; a finite number is needed", column, l.text(column))
	}
	return v, nil
}

// eachLine calls begin with the header of a table, and f with every further line. Errors name the file and the line.
func eachLine(r io.Reader, name string, begin, f func(line) error) error {
	in, err := delimited.NewReader(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	header, err := in.Read()
	if err == io.EOF {
		return fmt.Errorf("%s: an empty file", name)
	}
	if err != nil {
		return csvError(name, err)
	}
	l := line{header: slices.Clone(header), at: make(map[string]int)}
	for i, column := range l.header {
		l.header[i] = strings.TrimSpace(column)
		if l.header[i] == "" { // pandas writes its index without a name
			continue
		}
		if l.has(l.header[i]) {
			return fmt.Errorf("%s: line 1: column %q occurs twice", name, l.header[i])
		}
		l.at[l.header[i]] = i
	}
	if err := begin(l); err != nil {
		return fmt.Errorf("%s: line 1: %w", name, err)
	}
	for {
		l.fields, err = in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvError(name, err)
		}
		if err := f(l); err != nil {
			number, _ := in.FieldPos(0)
			return fmt.Errorf("%s: line %d: %w", name, number, err)
		}
	}
}

// csvError adds the file and the line to an error.
func csvError(name string, err error) error {
	if bad := new(csv.ParseError); errors.As(err, &bad) {
		return fmt.Errorf("%s: line %d: %w", name, bad.Line, bad.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
