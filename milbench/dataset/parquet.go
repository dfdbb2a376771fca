package dataset

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/parquet"
	"synpool/milbench"
)

// pandasIndex is the name of a column in which pandas keeps an index without a name.
var pandasIndex = regexp.MustCompile(`^__index_level_[0-9]+__$`)

// readParquet opens a file for [Options.parquetTable].
func (o Options) readParquet(path string) (*milbench.Set, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return o.parquetTable(f, info.Size(), path)
}

// parquetTable reads a table of Apache Parquet with a row per instance and the columns of a CSV file with a header (see [ReadCSV]). Numbers
// count as if they were written with the fewest digits that read back as the same, whole ones without an exponent, booleans as 1 and 0, nulls as nothing. A column of lists,
// as embeddings are stored, is as many columns as each of its lists has values: embedding1, embedding2 and so on. The index of pandas is not read.
func (o Options) parquetTable(r io.ReaderAt, size int64, path string) (*milbench.Set, error) {
	file, err := parquet.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, parquetError(err))
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
		widths := make([]int, len(columns)) // of the first row
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
			return fmt.Errorf("%s: %w", path, parquetError(err))
		}
		return nil
	})
}

// wants reports whether a column is read: for a model, that of the bags, those of coordinates and those of its features.
func (o Options) wants(c parquet.Column) bool {
	if !o.Unlabelled || o.Features == nil {
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

// parquetHeader names the columns of a table, with one for each value of a list.
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

// requireBags reports names of columns where none is that of the bags: [Options.readTable] takes them for an instance.
func (o Options) requireBags(header []string) error {
	if at, err := bagRole.find(header, o.Bag, -1); err != nil || at >= 0 {
		return err
	}
	return fmt.Errorf("no column %s; name the column of the bags with --bag; there are %s", bagColumn, few(header))
}

// parquetError says what to do about damage.
func parquetError(err error) error {
	if errors.Is(err, parquet.ErrDamaged) {
		return fmt.Errorf("%w; fetch it again or save it anew", err)
	}
	return err
}
