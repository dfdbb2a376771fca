package dataset

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"synpool/milbench/mil"
)

// splitFile reports whether the option Split names a file of ids, as CLAM writes for each fold, rather than a column.
func (o Options) splitFile() bool {
	extension := strings.ToLower(filepath.Ext(o.Split))
	if o.Unlabelled || extension != ".csv" && extension != ".tsv" {
		return false
	}
	info, err := os.Stat(o.Split)
	return err == nil && info.Mode().IsRegular()
}

// readParts reads a table of bag ids with the columns train, test and optionally val.
func readParts(path string) (map[string]mil.Split, error) {
	parts := make(map[string]mil.Split)
	var of []mil.Split // part for each column
	err := eachRecordOf(path, func(_ int, record []string) error {
		if of == nil {
			for _, name := range record {
				of = append(of, splitWords[plainName(name)])
			}
			if !slices.Contains(of, mil.TrainPart) || !slices.Contains(of, mil.TestPart) {
				return fmt.Errorf("no columns train and test; a file of --split has them, with an id of a bag in each field")
			}
			return nil
		}
		for i, id := range record {
			id = strings.TrimSpace(id)
			if i >= len(of) || of[i] == mil.NoSplit || id == "" {
				continue
			}
			if word := strings.ToLower(id); word == "true" || word == "false" {
				return fmt.Errorf("%q is not a bag id; give the file that CLAM writes beside this one, without _bool in its name", id)
			}
			if other, there := parts[id]; there && other != of[i] {
				return fmt.Errorf("bag %s is in both parts; a bag is in one", id)
			}
			parts[id] = of[i]
		}
		return nil
	})
	return parts, err
}

// split assigns the bags of a set to the parts in a file; val counts as train.
func (o Options) split(s *mil.Set) (*mil.Set, error) {
	parts, err := readParts(o.Split)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, b := range s.Bags {
		ids = append(ids, b.ID)
	}
	of, how := match(ids, slices.Sorted(maps.Keys(parts)))
	if how != "" {
		o.note("%s: %s", o.Split, strings.ReplaceAll(how, "files", "ids of the split"))
	}
	for i, b := range s.Bags {
		id, there := of[b.ID]
		if !there {
			return nil, fmt.Errorf("%s: bag %s is in no part of %s; add it there or leave it out of the set", s.Name, b.ID, o.Split)
		}
		s.Bags[i].Split = parts[id]
		delete(parts, id)
	}
	if len(parts) > 0 {
		o.note("%s: %d ids are of no bag of this set", o.Split, len(parts))
	}
	validate := s.Validate
	if o.Judged {
		validate = s.ValidateBags
	}
	return sealed(s, validate)
}
