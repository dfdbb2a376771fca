// Package delimited reads tables written by other programs: with commas, semicolons, tabs or bars between fields, and possibly a
// byte order mark and comments before the first line.
package delimited

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// Separators are the possible field separators, the likeliest first.
const Separators = ",;\t|"

// NewReader returns a reader for the records of a table, after skipping a byte order mark and lines that begin with #, unless
// such a line has as many separators as the next one: then it is the header. It detects the field separator in the first line
// that remains. An error is one of r, before anything could be read.
func NewReader(r io.Reader) (*csv.Reader, error) {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	text, err := in.Peek(in.Size())
	if len(text) == 0 && err != nil && err != io.EOF {
		return nil, err
	}
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	skipped := 0 // lines, which count
	for ; bytes.HasPrefix(line, []byte("#")) && len(rest) > 0; skipped++ {
		next, after, _ := bytes.Cut(rest, []byte("\n"))
		if comma := string(separator(string(next))); bytes.Count(line, []byte(comma)) == bytes.Count(next, []byte(comma)) && bytes.Contains(next, []byte(comma)) && !bytes.HasPrefix(next, []byte("#")) {
			break
		}
		in.Discard(len(line) + 1)
		line, rest = next, after
	}
	if after, is := bytes.CutPrefix(line, []byte("#")); is && len(rest) > 0 {
		in.Discard(len(line) - len(bytes.TrimLeft(after, " ")))
	}
	records := csv.NewReader(io.MultiReader(strings.NewReader(strings.Repeat("\n", skipped)), Bounded(in, true)))
	records.Comma = separator(string(line))
	return records, nil
}

// mostRecord is the largest number of bytes in a record, far above that of a table with a million columns.
const mostRecord = 64 << 20

// ErrTooLong is the error of [Bounded] for a record of more than 64 MiB: a small compressed file may hold one of gigabytes.
var ErrTooLong = errors.New("a line of more than 64 MiB; this is no table")

// Bounded returns a reader of the same text that fails with [ErrTooLong] inside a record that is too long. A record ends with
// its line or, with quotes, goes on while a quoted field does.
func Bounded(text io.Reader, quotes bool) io.Reader { return &bounded{text: text, quotes: quotes} }

type bounded struct {
	text   io.Reader
	quotes bool
	size   int // of the record, so far
	quoted bool
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	rest := p[:n]
	for at := bytes.IndexByte(rest, '"'); b.quotes && at >= 0; at = bytes.IndexByte(rest, '"') {
		b.count(rest[:at+1])
		b.quoted, rest = !b.quoted, rest[at+1:]
	}
	b.count(rest)
	if b.size > mostRecord {
		return 0, ErrTooLong
	}
	return n, err
}

// count counts text without a change from quoted to not or back.
func (b *bounded) count(text []byte) {
	b.size += len(text)
	if end := bytes.LastIndexByte(text, '\n'); end >= 0 && !b.quoted {
		b.size = len(text) - end - 1
	}
}

// separator returns the field separator of a line.
func separator(line string) rune {
	counts := make(map[rune]int)
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && strings.ContainsRune(Separators, c) {
			counts[c]++
		}
	}
	best := ','
	for _, c := range Separators {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}
