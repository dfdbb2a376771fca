package exchange

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// line is a line of a table.
type line struct {
	at     map[string]int
	fields []string
}

func (l line) text(column string) string { return strings.TrimSpace(l.fields[l.at[column]]) }

// integer reads a whole number within bounds.
func (l line) integer(column string, least, most int) (int, error) {
	n, err := strconv.Atoi(l.text(column))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s %q; a whole number from %d to %d is needed", column, l.text(column), least, most)
	}
	return n, nil
}

// eachLine calls f with every line of a table that has some columns. Errors name the file and the line.
func eachLine(r io.Reader, name string, columns []string, f func(line) error) error {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err == io.EOF {
		return fmt.Errorf("%s: an empty file", name)
	}
	if err != nil {
		return csvError(name, err)
	}
	l := line{at: make(map[string]int)}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for i, column := range header {
		if _, twice := l.at[strings.TrimSpace(column)]; twice {
			return fmt.Errorf("%s: line 1: column %q stands twice", name, column)
		}
		l.at[strings.TrimSpace(column)] = i
	}
	for _, column := range columns {
		if _, there := l.at[column]; !there {
			return fmt.Errorf("%s: line 1: no column %s; the columns %s are needed", name, column, strings.Join(columns, ", "))
		}
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

// csvError names the file and the line.
func csvError(name string, err error) error {
	if bad := new(csv.ParseError); errors.As(err, &bad) {
		return fmt.Errorf("%s: line %d: %w", name, bad.Line, bad.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
