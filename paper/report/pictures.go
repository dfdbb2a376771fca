package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"synpool/internal/disk"
	"synpool/milbench/results"
	"synpool/plotting"
)

// The pictures of all experiments together, by their names.
const (
	claimsPicture   = "claims"
	learnersPicture = "sets-and-learners"
)

// Where the files stand, from the folder of the page.
const (
	pageName   = "RESULTS.md"
	tablesName = "docs/tables.md"
)

// pictureName returns the file of a picture.
func pictureName(name string) string { return "docs/results/" + name + ".svg" }

// picture is a figure of the page.
type picture struct {
	name   string // that of the experiment, or of the above
	figure *plotting.Figure
}

// pictures draws the figures of the page; those for which too little has been run are left out.
func pictures(archives []results.Archive) (list []picture, err error) {
	add := func(name string, figure *plotting.Figure, err error) error {
		switch {
		case err == nil:
			list = append(list, picture{name, figure})
		case !errors.Is(err, errIncomplete) && !errors.Is(err, errFewSets) && !errors.Is(err, results.ErrNoResults):
			return fmt.Errorf("the figure %s: %w", name, err)
		}
		return nil
	}
	figure, err := PlotClaims(archives)
	if err := add(claimsPicture, figure, err); err != nil {
		return nil, err
	}
	if a, there := find(archives, "learners"); there {
		figure, err := learnersMap(a, true)
		if err := add(learnersPicture, figure, err); err != nil {
			return nil, err
		}
	}
	for _, s := range summaries {
		a, there := find(archives, s.experiment)
		if !there {
			continue
		}
		figure, err := Plot(a, s.figure)
		if err := add(s.experiment, figure, err); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Files returns the page, the tables and the figures, by their path from the folder of the page.
func Files(archives []results.Archive) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for name, write := range map[string]func(io.Writer, []results.Archive) error{pageName: Write, tablesName: WriteTables} {
		var b bytes.Buffer
		if err := write(&b, archives); err != nil {
			return nil, err
		}
		files[name] = b.Bytes()
	}
	drawn, err := pictures(archives)
	if err != nil {
		return nil, err
	}
	for _, p := range drawn {
		var b bytes.Buffer
		if err := p.figure.Write(&b, plotting.SVG); err != nil {
			return nil, fmt.Errorf("the figure %s: %w", p.name, err)
		}
		files[pictureName(p.name)] = b.Bytes()
	}
	return files, nil
}

// WriteFiles writes [Files] below a folder.
func WriteFiles(folder string, archives []results.Archive) error {
	files, err := Files(archives)
	if err != nil {
		return err
	}
	for name, data := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := disk.WriteFile(path, data); err != nil {
			return err
		}
	}
	return nil
}
