// Package parquet reads tables from Apache Parquet files, row by row, with every value as text.
//
// A file ends with a footer, which lists the columns and the locations of their values. Rows are in groups. In a group, the
// values of a column are a chunk of separately compressed pages. One page per column is held in memory at a time, and its
// values are decoded one by one.
//
// It reads what pyarrow, pandas, Polars, DuckDB and fastparquet write: columns of numbers, booleans, decimals and texts, and
// lists of these; every encoding except bit-packed levels; pages that are uncompressed, or compressed with Snappy, gzip,
// zstd, Brotli or raw LZ4. Unsupported features give an error that names them: times, maps, nested values, encryption.
//
// No length in a file is trusted: sizes are checked against the size of the file, and the number of values per byte is
// limited. The structs of footer and pages are those of parquet-go, but not its decoders of pages: checking what a header
// claims does not make these safe, because lengths also stand among the values. In parquet-go 0.32, a run length of five
// bytes allocates 1 GB, a count of differences of five bytes 2 GB, and 64 KB of prefixed texts 125 MB; a damaged LZ4 page is
// decoded into ever more memory. Only what walks through every encoding finds these, and that is a decoder.
//
// Source: the format description in apache/parquet-format, including Encodings.md.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// Magic is at the beginning and the end of a file.
const Magic = "PAR1"

// ErrDamaged is wrapped by every error about bytes that are invalid in Parquet.
var ErrDamaged = errors.New("the file is damaged")

func damagedf(text string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(text, args...), ErrDamaged)
}

// Repeated values take no space in a file, so its size alone does not limit its contents. These limits do: how much one byte
// of the file may represent, which is as much as deflate can produce from one.
const (
	mostValues = 1032     // values
	mostText   = 8 * 1032 // bytes of text
	mostPage   = 1032     // bytes of a decompressed page
	usualPage  = 2 << 20  // pages up to this size may be compressed better
	usualText  = 32 << 20 // and texts up to this total size
)

// mostListed is the maximum number of values in a row's list. Values of up to mostCompared bytes are compared with the
// previous one.
const (
	mostListed   = 1 << 20
	mostCompared = 64
)

// mostNesting is the maximum nesting depth of Thrift structs, and of groups in a schema.
const mostNesting = 64

// Column is a column of the table.
type Column struct {
	Name    string
	List    bool   // whether a row can have any number of values
	Refused string // why its values cannot be read; "" if they can

	element *format.SchemaElement // schema of the values
	text    func(dst, value []byte) []byte
	leaf    int // index of the column's chunk in a group
	// The maximum levels of a value. A value exists at the largest definition level, and is null or missing at others; in a
	// list, a row has an element at level slot or above.
	repetition, definition, slot int
}

// File is an open file.
type File struct {
	Columns []Column

	r        io.ReaderAt
	meta     format.FileMetaData
	size     int64
	textLeft int64
	codecs   codecs
}

// Open reads the footer of a file.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	var head, tail [8]byte
	if size < 12 {
		return nil, damagedf("no Parquet file")
	}
	if err := f.readAt(head[:4], 0); err != nil {
		return nil, err
	}
	if err := f.readAt(tail[:], size-8); err != nil {
		return nil, err
	}
	switch both := string(head[:4]) + string(tail[4:]); {
	case both == Magic+Magic:
	case both == "PAREPARE":
		return nil, errors.New("an encrypted Parquet file; save it without encryption")
	case strings.HasPrefix(both, "\x1f\x8b"):
		return nil, errors.New("a gzipped file; unpack it")
	default:
		return nil, damagedf("no Parquet file")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-12 {
		return nil, damagedf("a footer of %d bytes in a file of %d", length, size)
	}
	footer := make([]byte, length)
	if err := f.readAt(footer, size-8-length); err != nil {
		return nil, err
	}
	if _, err := decode(footer, &f.meta); err != nil {
		return nil, damagedf("footer: %v", err)
	}
	if f.meta.EncryptionAlgorithm.Value != nil {
		return nil, errors.New("an encrypted Parquet file; save it without encryption")
	}
	leaves, err := f.readSchema()
	if err != nil {
		return nil, err
	}
	f.textLeft = usualText + mostText*size
	return f, f.check(leaves, size-8-length)
}

// readAt fills b.
func (f *File) readAt(b []byte, at int64) error {
	if n, err := f.r.ReadAt(b, at); n < len(b) {
		if err == nil || err == io.EOF {
			return damagedf("ends early")
		}
		return err
	}
	return nil
}

// readSchema lists the columns and returns the number of chunks in a group of rows.
func (f *File) readSchema() (leaves int, err error) {
	for i := 1; i < len(f.meta.Schema); {
		next, n, err := f.subtree(i, 0)
		if err != nil {
			return 0, err
		}
		f.Columns = append(f.Columns, newColumn(f.meta.Schema[i:next], leaves))
		i, leaves = next, leaves+n
	}
	if leaves == 0 {
		return 0, damagedf("no columns")
	}
	return leaves, nil
}

// subtree returns the end of the subtree of schema element i, and its number of value columns.
func (f *File) subtree(i, depth int) (next, leaves int, err error) {
	if i >= len(f.meta.Schema) || depth > mostNesting {
		return 0, 0, damagedf("schema of %d elements", len(f.meta.Schema))
	}
	e := &f.meta.Schema[i]
	next = i + 1
	if e.Type.Valid {
		return next, 1, nil
	}
	for range e.NumChildren.V {
		var n int
		if next, n, err = f.subtree(next, depth+1); err != nil {
			return 0, 0, err
		}
		leaves += n
	}
	return next, leaves, nil
}

// newColumn makes a column from its part of the schema.
func newColumn(schema []format.SchemaElement, leaf int) Column {
	top := &schema[0]
	c := Column{Name: top.Name, leaf: leaf, element: &schema[len(schema)-1]}
	list := isList(top)
	for i := range schema {
		switch schema[i].RepetitionType.V {
		case format.Repeated:
			c.repetition++
			c.definition++
			c.slot, c.List = c.definition, true
		case format.Optional:
			c.definition++
		}
		if last := i == len(schema)-1; last != schema[i].Type.Valid || !last && schema[i].NumChildren.V != 1 {
			c.Refused = "nested values"
		}
	}
	switch inList := list && len(schema) <= 3 && len(schema) > 1 && schema[1].RepetitionType.V == format.Repeated; {
	case isMap(top):
		c.Refused = "a map"
	case c.Refused != "":
	case c.repetition > 1:
		c.Refused = "lists of lists"
	case len(schema) > 1 && !inList:
		c.Refused = "nested values"
	default:
		c.text, c.Refused = newText(c.element)
	}
	return c
}

func isList(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.ListType)
	return is || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

func isMap(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.MapType)
	return is || e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.Map || e.ConvertedType.V == deprecated.MapKeyValue)
}

// check checks the footer's data about chunks against the bytes before it, which end at end.
func (f *File) check(leaves int, end int64) error {
	bytesLeft, valuesLeft := f.size, mostValues*f.size
	for g := range f.meta.RowGroups {
		group := &f.meta.RowGroups[g]
		if len(group.Columns) != leaves {
			return damagedf("a group of rows has %d columns of %d", len(group.Columns), leaves)
		}
		for i := range group.Columns {
			meta := &group.Columns[i].MetaData
			start, length := chunkStart(meta), meta.TotalCompressedSize
			switch {
			case group.Columns[i].FilePath != "":
				return errors.New("the values are in other files; save the table as one file")
			case meta.NumValues < group.NumRows || group.NumRows < 0 || meta.NumValues > valuesLeft:
				return damagedf("%d values in %d rows of a file of %d bytes", meta.NumValues, group.NumRows, f.size)
			case meta.NumValues == 0: // nothing is read, so the location does not matter
				continue
			case length < 0 || length > bytesLeft || start < 4 || start > end-length:
				return damagedf("%d bytes of values at byte %d of %d", length, start, end)
			}
			bytesLeft -= length
			valuesLeft -= meta.NumValues
		}
	}
	return nil
}

// chunkStart returns where the pages of a chunk begin.
func chunkStart(meta *format.ColumnMetaData) int64 {
	if at := meta.DictionaryPageOffset; at > 0 && at < meta.DataPageOffset {
		return at
	}
	return meta.DataPageOffset
}

// Rows calls each with every row of the file, counted from 1. cells has the texts of the values of each of the given
// columns; a null is "". The texts are valid only during the call.
func (f *File) Rows(columns []int, each func(row int, cells [][]string) error) error {
	cursors := make([]cursor, len(columns))
	cells := make([][]string, len(columns))
	for k, i := range columns {
		cursors[k] = cursor{file: f, Column: &f.Columns[i]}
	}
	at := func(k int, err error) error { return fmt.Errorf("column %q: %w", cursors[k].Name, err) }
	row := 0
	for g := range f.meta.RowGroups {
		group := &f.meta.RowGroups[g]
		for k := range cursors {
			if err := cursors[k].begin(&group.Columns[cursors[k].leaf].MetaData); err != nil {
				return at(k, err)
			}
		}
		for range group.NumRows {
			row++
			for k := range cursors {
				var err error
				if cells[k], err = cursors[k].row(cells[k][:0]); err != nil {
					return at(k, err)
				}
			}
			if err := each(row, cells); err != nil {
				return err
			}
		}
		for k := range cursors {
			if cursors[k].more {
				return at(k, damagedf("more values than rows"))
			}
		}
	}
	return nil
}
