package corpus

import (
	"fmt"
	"io"
	"strings"

	"synpool/internal/disk"
)

// Pair is a sentence and its translation.
type Pair struct{ Source, Target string }

// Multi30k holds the parts of the named set multi30k, English to German.
type Multi30k struct{ Train, Validation, Test []Pair }

// LoadMulti30k reads the named set multi30k. Its files must have been fetched ([ErrNotFetched]).
func LoadMulti30k() (Multi30k, error) {
	paths, err := verified(multi30kName)
	if err != nil {
		return Multi30k{}, err
	}
	var set Multi30k
	for i, part := range []*[]Pair{&set.Train, &set.Validation, &set.Test} {
		if *part, err = readPairFiles(paths[2*i], paths[2*i+1]); err != nil {
			return Multi30k{}, fmt.Errorf("%s: %w", multi30kName, err)
		}
	}
	return set, nil
}

func readPairFiles(source, target string) ([]Pair, error) {
	from, err := disk.Open(source)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := disk.Open(target)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	return readPairs(from, to, source, target)
}

// readPairs reads parallel files with one sentence per line; either may be gzipped. Errors call them sourceName and
// targetName. Spaces around a sentence are ignored. An empty line, or a different number of lines in the two files, is an
// error.
func readPairs(source, target io.Reader, sourceName, targetName string) ([]Pair, error) {
	from, err := readSentences(source, sourceName)
	if err != nil {
		return nil, err
	}
	to, err := readSentences(target, targetName)
	if err != nil {
		return nil, err
	}
	if len(from) != len(to) {
		return nil, fmt.Errorf("%s has %d lines and %s has %d; line %d is the first without a translation", sourceName, len(from), targetName, len(to), min(len(from), len(to))+1)
	}
	pairs := make([]Pair, len(from))
	for i := range pairs {
		pairs[i] = Pair{from[i], to[i]}
	}
	return pairs, nil
}

// readSentences returns the lines of a file; a blank line is an error.
func readSentences(r io.Reader, name string) ([]string, error) {
	lines, err := readLines(r, name)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: no lines", name)
	}
	for i, line := range lines {
		if lines[i] = strings.TrimSpace(line); lines[i] == "" {
			return nil, fmt.Errorf("%s: line %d is empty; parallel files have a sentence on every line", name, i+1)
		}
	}
	return lines, nil
}
