// Package delimited reads tables as other programs write them: with commas, semicolons or tabs between their fields, and perhaps a
// byte order mark.
package delimited

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"strings"
)

// Separators are those of fields, the likeliest first.
const Separators = ",;\t"

// NewReader skips a byte order mark and returns the records of a table. Its first line says what separates the fields. An error is that of
// r, before anything could be read.
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

// separator returns what separates the fields of a line.
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
