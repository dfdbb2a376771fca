// Package results holds the committed results of the experiments' full forms: RESULTS.md comes from these archives.
package results

import (
	"embed"
	"fmt"

	"synpool/milbench/results"
)

//go:embed *.json.gz times/*.jsonl
var files embed.FS

// Archives returns all archives, sorted by name.
func Archives() ([]results.Archive, error) {
	archives, err := results.ReadArchives(files)
	if err != nil {
		return nil, fmt.Errorf("the committed results: %w", err)
	}
	return archives, nil
}

// Archive returns the archive of one experiment, much faster than reading all.
func Archive(experiment string) (results.Archive, error) {
	a, err := results.OpenArchive(files, results.ArchiveName(experiment))
	if err != nil {
		return results.Archive{}, fmt.Errorf("the committed results: %w", err)
	}
	return a, nil
}
