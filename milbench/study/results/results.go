// Package results holds the committed results of the experiments' full forms: the archives that RESULTS.md is written from.
package results

import (
	"embed"
	"fmt"

	"synpool/milbench/study"
)

//go:embed *.json times/*.jsonl
var files embed.FS

// Archives returns the archives, in the order of their names.
func Archives() ([]study.Archive, error) {
	archives, err := study.ReadArchives(files)
	if err != nil {
		return nil, fmt.Errorf("the committed results: %w", err)
	}
	return archives, nil
}
