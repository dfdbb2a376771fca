// Package delimited reads tables written by other programs: with commas, semicolons, tabs or bars between fields, and possibly a
// byte order mark and comments before the first line.
package delimited

import (
	"bufio"
	"bytes"
	"encoding/csv"
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
	records := csv.NewReader(io.MultiReader(strings.NewReader(strings.Repeat("\n", skipped)), in))
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
