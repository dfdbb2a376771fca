package dataset

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/parquet"
	"synpool/milbench/mil"
)

// pandasIndex matches the column in which pandas stores an unnamed index.
var pandasIndex = regexp.MustCompile(`^__index_level_[0-9]+__$`)

// readParquet opens a file for [Options.parquetTable].
func (o Options) readParquet(path string) (*mil.Set, error) {
	f, size, err := openSized(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return o.parquetTable(f, size, path)
}

// parquetTable reads an Apache Parquet table with one row per instance and the same columns as a CSV file with a
// header (see [ReadCSV]).
//
// Numbers are read as if written with the fewest digits that reproduce them, whole numbers without an exponent.
// Booleans are 1 and 0, and nulls are empty fields. A column of lists, such as embeddings, becomes one column per
// list entry: embedding1, embedding2 and so on. The index of pandas is skipped.
func (o Options) parquetTable(r io.ReaderAt, size int64, path string) (*mil.Set, error) {
	file, err := parquet.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, advised(err))
	}
	var columns []parquet.Column
	var numbers []int
	for i, c := range file.Columns {
		if pandasIndex.MatchString(c.Name) || !o.wants(c) {
			continue
		}
		if c.Refused != "" {
			return nil, fmt.Errorf("%s: column %s holds %s; drop it, or save it as numbers or text", path, few([]string{c.Name}), c.Refused)
		}
		columns, numbers = append(columns, c), append(numbers, i)
	}
	return o.readTable(path, func(f func(record []string) error) error {
		var record []string
		widths := make([]int, len(columns)) // in the first row
		err := file.Rows(numbers, func(row int, cells [][]string) error {
			record = record[:0]
			for k, cell := range cells {
				if row == 1 {
					widths[k] = len(cell)
				}
				if len(cell) != widths[k] || len(cell) == 0 {
					return fmt.Errorf("row %d: column %s has %d values, and %d in the first row; give every row as many, and one at least",
						row, few([]string{columns[k].Name}), len(cell), widths[k])
				}
				record = append(record, cell...)
			}
			if row == 1 {
				header := parquetHeader(columns, widths)
				if err := o.requireBags(header); err != nil {
					return err
				}
				if err := f(header); err != nil {
					return err
				}
			}
			if err := f(record); err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, advised(err))
		}
		return nil
	})
}

// wants reports whether to read a column. A model needs only the bag, the coordinates and its features.
func (o Options) wants(c parquet.Column) bool {
	if !o.Unlabelled || len(o.Features) == 0 {
		return true
	}
	feature := func(f string) bool {
		rest, is := strings.CutPrefix(f, c.Name)
		if !is {
			return false
		}
		if c.List {
			_, err := strconv.Atoi(rest)
			return err == nil
		}
		return rest == "" || rest[0] == '='
	}
	place := slices.Contains(o.Coordinates, c.Name) || len(o.Coordinates) == 0 && slices.Contains([]string{"x", "y", "z"}, strings.ToLower(c.Name))
	bag := c.Name == o.Bag || o.Bag == "" && slices.Contains(bagRole.usual, plainName(c.Name)) || o.Bag != "" && plainName(c.Name) == plainName(o.Bag)
	return bag || place || slices.ContainsFunc(o.Features, feature)
}

// parquetHeader returns the column names of a table, with one name per entry of a list.
func parquetHeader(columns []parquet.Column, widths []int) []string {
	var header []string
	for k, c := range columns {
		if !c.List {
			header = append(header, c.Name)
			continue
		}
		for i := range widths[k] {
			header = append(header, c.Name+strconv.Itoa(i+1))
		}
	}
	return header
}

// requireBags returns an error if no column holds the bags. Without it [Options.readTable] would take the names for
// an instance.
func (o Options) requireBags(header []string) error {
	if at, err := bagRole.find(header, o.Bag, -1); err != nil || at >= 0 {
		return err
	}
	return fmt.Errorf("no column %s; name the column of the bags with --bag; there are %s", bagColumn, few(header))
}
