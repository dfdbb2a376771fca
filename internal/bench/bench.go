// Package bench has what commands that measure learners share: cells of earlier runs, and sets of the catalogue.
package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

// Cells returns the JSON values of a file, none if there is no file. One that a killed run has left incomplete is an error.
func Cells[T any](path string) (cells []T, err error) {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for d := json.NewDecoder(bufio.NewReader(in)); ; {
		var c T
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return cells, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s, cell %d: %w", path, len(cells)+1, err)
		}
		cells = append(cells, c)
	}
}

// Set returns a set of the catalogue, with copies of a bag in one group.
func Set(name string) (*mil.Set, error) {
	source, err := dataset.Open(name)
	if err != nil {
		return nil, err
	}
	set, err := source.Set(dataset.NoColumn)
	if err != nil {
		return nil, err
	}
	set, _, err = audit.GroupDuplicates(set)
	return set, err
}
