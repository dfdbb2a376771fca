package corpus

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"synpool/internal/disk"
)

// loadTable reads a file that [readTable] reads.
func loadTable[T any](path string, header []string, parse func(record []string) (T, string, error)) ([]T, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readTable(f, path, header, parse)
}

// readTable reads comma-separated rows with a header. A quoted field may have commas, line ends and doubled quotes. parse
// returns what a record says, and its id; the record has as many fields as the header and is reused. The file may be
// gzipped; errors call it name, and name the line where the row starts.
func readTable[T any](r io.Reader, name string, header []string, parse func(record []string) (T, string, error)) ([]T, error) {
	in, err := inflated(r)
	if err != nil {
		return nil, fmt.Errorf("%s: line 1: %w", name, err)
	}
	counted := &lineCounter{r: in, line: 1}
	rows := csv.NewReader(counted)
	rows.ReuseRecord = true
	var all []T
	ids := make(map[string]bool)
	for first := true; ; first = false {
		record, err := rows.Read()
		if err == io.EOF {
			break
		}
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			if errors.Is(err, csv.ErrFieldCount) {
				return nil, fmt.Errorf("%s: line %d has %d columns, not %d", name, bad.StartLine, len(record), len(header))
			}
			return nil, fmt.Errorf("%s: line %d: %w", name, bad.StartLine, bad.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, counted.line, readError(err))
		}
		line, _ := rows.FieldPos(0)
		if first {
			if !slices.Equal(record, header) {
				return nil, fmt.Errorf("%s: line %d is not the header %s", name, line, strings.Join(header, ","))
			}
			continue
		}
		row, id, err := parse(record)
		if err == nil && ids[id] {
			err = errors.New("the id of an earlier line")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		ids[id] = true
		all = append(all, row)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no rows below the header", name)
	}
	return all, nil
}

// lineCounter counts the lines that pass through it; if the input ends early, line is the last one.
type lineCounter struct {
	r    io.Reader
	line int
}

func (c *lineCounter) Read(to []byte) (int, error) {
	n, err := c.r.Read(to)
	c.line += bytes.Count(to[:n], []byte("\n"))
	return n, err
}
