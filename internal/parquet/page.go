package parquet

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// mostHeader is the maximum size of a page header, in bytes. It may contain the smallest and the largest text of the page.
const mostHeader = 1 << 24

// plainDictionary is the encoding that most writers declare for a dictionary and its indices.
const plainDictionary format.Encoding = 2

// cursor iterates over the values of a column.
type cursor struct {
	*Column
	file *File

	meta       *format.ColumnMetaData
	at, end    int64 // rest of the chunk in the file, from the next page
	left       int64 // number of values in the remaining pages of the chunk
	dictionary []string

	inPage                  int
	repetitions, defined    *levels // nil if the level is always 0
	values                  values
	indices                 *levels // instead of values
	more                    bool    // whether there is a current value, with its levels:
	repetitionAt, definedAt int

	stored, inflated, made []byte // buffers reused for all pages
	last                   []byte // value, and its text
	lastText               string
}

// begin moves to the beginning of a chunk.
func (c *cursor) begin(meta *format.ColumnMetaData) error {
	if meta.Type != c.element.Type.V {
		return damagedf("values of type %v in a column of %v", meta.Type, c.element.Type.V)
	}
	c.meta, c.at, c.left, c.dictionary, c.inPage = meta, chunkStart(meta), meta.NumValues, nil, 0
	c.end = c.at + meta.TotalCompressedSize
	return c.advance()
}

// row appends the texts of the values of the next row.
func (c *cursor) row(dst []string) ([]string, error) {
	if !c.more || c.repetitionAt != 0 {
		return dst, damagedf("values and rows are not as many")
	}
	for {
		switch {
		case c.definedAt == c.definition:
			text, err := c.next()
			if err != nil {
				return dst, err
			}
			dst = append(dst, text)
		case c.definedAt >= c.slot:
			dst = append(dst, "")
		}
		if err := c.advance(); err != nil || !c.more || c.repetitionAt == 0 {
			return dst, err
		}
		if len(dst) == mostListed {
			return dst, damagedf("a list of more than %d values", mostListed)
		}
	}
}

// advance reads the levels of the next value, if there is one.
func (c *cursor) advance() error {
	for c.inPage == 0 {
		if c.more = c.left > 0; !c.more {
			return nil
		}
		if err := c.page(); err != nil {
			return err
		}
	}
	c.inPage--
	c.more = true
	for _, l := range []struct {
		of   *levels
		most int
		at   *int
	}{{c.repetitions, c.repetition, &c.repetitionAt}, {c.defined, c.definition, &c.definedAt}} {
		*l.at = 0
		if l.of == nil {
			continue
		}
		v, err := l.of.next()
		if err != nil {
			return err
		}
		if v > uint64(l.most) {
			return damagedf("level %d of %d", v, l.most)
		}
		*l.at = int(v)
	}
	return nil
}

// next returns the text of the current value.
func (c *cursor) next() (string, error) {
	if c.indices != nil {
		i, err := c.indices.next()
		if err == nil && i >= uint64(len(c.dictionary)) {
			err = damagedf("value %d of a dictionary of %d", i, len(c.dictionary))
		}
		if err != nil {
			return "", err
		}
		return c.dictionary[i], nil
	}
	return c.textOf(c.values)
}

// textOf returns the text of the next value of v.
func (c *cursor) textOf(v values) (string, error) {
	value, err := v.next()
	if err != nil {
		return "", err
	}
	if len(value) != 0 && len(value) <= mostCompared && bytes.Equal(value, c.last) {
		return c.lastText, nil
	}
	if want := widthOf(c.element); want > 0 && len(value) != want {
		return "", damagedf("a value of %d bytes instead of %d", len(value), want)
	}
	if c.element.Type.V == format.ByteArray || c.element.Type.V == format.FixedLenByteArray {
		if c.file.textLeft -= int64(len(value)); c.file.textLeft < 0 {
			return "", damagedf("more text than so small a file can hold")
		}
	}
	c.last = append(c.last[:0], value...)
	c.made = c.text(c.made[:0], value)
	c.lastText = string(c.made)
	return c.lastText, nil
}

// page reads a page.
func (c *cursor) page() error {
	header, err := c.header()
	if err != nil {
		return err
	}
	size, inflated := int64(header.CompressedPageSize), int(header.UncompressedPageSize)
	if size < 0 || size > c.end-c.at || inflated < 0 {
		return damagedf("a page of %d bytes, inflated %d, where %d are left", size, inflated, c.end-c.at)
	}
	c.stored = slices.Grow(c.stored[:0], int(size))[:size]
	if err := c.file.readAt(c.stored, c.at); err != nil {
		return err
	}
	c.at += size
	if sum := uint32(header.CRC); sum != 0 && sum != crc32.ChecksumIEEE(c.stored) {
		return damagedf("a page with a wrong checksum")
	}
	switch header.Type {
	case format.DictionaryPage:
		return c.readDictionary(&header.DictionaryPageHeader.V, inflated)
	case format.DataPage:
		return c.readPage(&header.DataPageHeader.V, inflated)
	case format.DataPageV2:
		return c.readPageV2(&header.DataPageHeaderV2.V, inflated)
	}
	return nil // an index page, which no writer uses
}

// header reads the header of the next page and moves behind it.
func (c *cursor) header() (*format.PageHeader, error) {
	for most := int64(512); ; most *= 8 {
		all := c.end-c.at <= most
		b := slices.Grow(c.stored[:0], int(min(most, c.end-c.at)))[:min(most, c.end-c.at)]
		c.stored = b
		if err := c.file.readAt(b, c.at); err != nil {
			return nil, err
		}
		header := new(format.PageHeader)
		n, err := decode(b, header)
		switch {
		case err == errShort && !all && most < mostHeader:
			continue
		case err != nil:
			return nil, damagedf("header of a page: %v", err)
		}
		c.at += int64(n)
		return header, nil
	}
}

// inflate returns the decompressed bytes of a page.
func (c *cursor) inflate(stored []byte, size int) ([]byte, error) {
	if c.meta.Codec == format.Uncompressed {
		return stored, nil
	}
	out, err := c.file.codecs.inflate(c.meta.Codec, c.inflated, stored, size)
	if err == nil {
		c.inflated = out
	}
	return out, err
}

func (c *cursor) readDictionary(header *format.DictionaryPageHeader, size int) error {
	if header.NumValues < 0 || header.Encoding != format.Plain && header.Encoding != plainDictionary {
		return damagedf("a dictionary of %d values with encoding %v", header.NumValues, header.Encoding)
	}
	data, err := c.inflate(c.stored, size)
	if err != nil {
		return err
	}
	if c.element.Type.V == format.Boolean {
		return damagedf("a dictionary of booleans")
	}
	values, err := newValues(format.Plain, c.element, data, int(header.NumValues))
	if err != nil {
		return err
	}
	c.dictionary = nil
	for range header.NumValues {
		text, err := c.textOf(values)
		if err != nil {
			return fmt.Errorf("dictionary: %w", err)
		}
		c.dictionary = append(c.dictionary, text)
	}
	return nil
}

// take counts the values of a page.
func (c *cursor) take(n int32) error {
	if n < 0 || int64(n) > c.left {
		return damagedf("a page of %d values, where %d are left", n, c.left)
	}
	c.inPage, c.left = int(n), c.left-int64(n)
	return nil
}

func (c *cursor) readPage(header *format.DataPageHeader, size int) error {
	if err := c.take(header.NumValues); err != nil {
		return err
	}
	data, err := c.inflate(c.stored, size)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		to       **levels
		most     int
		encoding format.Encoding
	}{{&c.repetitions, c.repetition, header.RepetitionLevelEncoding}, {&c.defined, c.definition, header.DefinitionLevelEncoding}} {
		*l.to = nil
		if l.most == 0 {
			continue
		}
		if l.encoding != format.RLE {
			return fmt.Errorf("levels with encoding %v, which is not read; save the table again", l.encoding)
		}
		var part []byte
		if part, data, err = prefixed(data); err != nil {
			return err
		}
		*l.to = &levels{data: part, width: width(l.most)}
	}
	return c.setValues(header.Encoding, data)
}

func (c *cursor) readPageV2(header *format.DataPageHeaderV2, size int) error {
	if err := c.take(header.NumValues); err != nil {
		return err
	}
	first, second := int64(header.RepetitionLevelsByteLength), int64(header.DefinitionLevelsByteLength)
	both := first + second
	if first < 0 || second < 0 || both > int64(len(c.stored)) || both > int64(size) {
		return damagedf("levels of %d and %d bytes in a page of %d", first, second, len(c.stored))
	}
	c.repetitions, c.defined = nil, nil
	if c.repetition > 0 {
		c.repetitions = &levels{data: c.stored[:first], width: width(c.repetition)}
	}
	if c.definition > 0 {
		c.defined = &levels{data: c.stored[first:both], width: width(c.definition)}
	}
	data := c.stored[both:]
	if !header.IsCompressed.Valid || header.IsCompressed.V {
		var err error
		if data, err = c.inflate(data, size-int(both)); err != nil {
			return err
		}
	}
	return c.setValues(header.Encoding, data)
}

// setValues prepares the values of a page.
func (c *cursor) setValues(encoding format.Encoding, data []byte) (err error) {
	c.values, c.indices = nil, nil
	if encoding == format.RLEDictionary || encoding == plainDictionary {
		c.indices, err = indices(data)
		return err
	}
	c.values, err = newValues(encoding, c.element, data, c.inPage)
	return err
}
