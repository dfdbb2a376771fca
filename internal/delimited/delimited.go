// Package delimited reads tables written by other programs: with commas, semicolons or tabs between fields, and possibly a
// byte order mark.
package delimited

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"strings"
)

// Separators are the possible field separators, the likeliest first.
const Separators = ",;\t"

// NewReader returns a reader for the records of a table, after skipping a byte order mark. It detects the field separator in
// the first line. An error is one of r, before anything could be read.
func NewReader(r io.Reader) (*csv.Reader, error) {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	text, err := in.Peek(in.Size())
	if len(text) == 0 && err != nil && err != io.EOF {
		return nil, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	records := csv.NewReader(in)
	records.Comma = separator(string(line))
	return records, nil
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
