// Samelines reports whether two folders of milbench have the same results: the same lines in any order, ignoring the times
// of the fits.
//
//	samelines DIR DIR
//
// It exits with status 1 if they differ, and with status 2 if a file cannot be read.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "samelines: usage: samelines DIR DIR")
		os.Exit(2)
	}
	same, err := compare(os.Args[1], os.Args[2])
	var different difference
	switch {
	case errors.As(err, &different):
		fmt.Fprintf(os.Stderr, "samelines: %v\n", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintf(os.Stderr, "samelines: %v\n", err)
		os.Exit(2)
	}
	fmt.Println(same)
}

// difference says what one folder has and the other lacks.
type difference string

func (d difference) Error() string { return string(d) }

// compare compares the results of two folders and, if one has them, the curves. It returns a line about what is the same.
func compare(a, b string) (string, error) {
	results, err := compareFile(a, b, "results.jsonl", withoutWallTime)
	if err != nil {
		return "", err
	}
	if results == 0 {
		return "", fmt.Errorf("%s and %s hold no results", a, b)
	}
	same := fmt.Sprintf("%d results are the same in %s and %s", results, a, b)
	curves, err := compareFile(a, b, "curves.jsonl", func(line []byte) ([]byte, error) { return line, nil })
	switch {
	case errors.Is(err, fs.ErrNotExist) && missing(a, "curves.jsonl") && missing(b, "curves.jsonl"):
		return same, nil
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("%s, and %d curves", same, curves), nil
}

func missing(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return errors.Is(err, fs.ErrNotExist)
}

// compareFile compares the lines of a file in two folders, after applying part to each line, and returns their number.
func compareFile(a, b, name string, part func([]byte) ([]byte, error)) (int, error) {
	count := make(map[string]int)
	total := 0
	for _, side := range []struct {
		dir string
		add int
	}{{a, 1}, {b, -1}} {
		path := filepath.Join(side.dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			return 0, fmt.Errorf("%s: the last line is torn", path)
		}
		total = 0
		for line := range bytes.Lines(text) {
			total++
			rest, err := part(bytes.TrimSuffix(line, []byte("\n")))
			if err != nil {
				return 0, fmt.Errorf("%s: line %d: %w", path, total, err)
			}
			count[string(rest)] += side.add
		}
	}
	onlyA, onlyB, example := 0, 0, ""
	for line, n := range count {
		onlyA += max(n, 0)
		onlyB += max(-n, 0)
		if n != 0 && (example == "" || line < example) {
			example = line
		}
	}
	if onlyA+onlyB > 0 {
		return 0, difference(fmt.Sprintf("%s: %d lines stand in %s alone and %d in %s alone, such as %.200s", name, onlyA, a, onlyB, b, example))
	}
	return total, nil
}

// withoutWallTime drops the wall time of a result; every other value stays as it is written.
func withoutWallTime(line []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	if _, ok := fields["wall_s"]; !ok {
		return nil, errors.New("no wall_s, which every result has")
	}
	delete(fields, "wall_s")
	return json.Marshal(fields)
}
