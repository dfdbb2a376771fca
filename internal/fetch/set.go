package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotFetched says that a file of a [Set] does not exist.
var ErrNotFetched = errors.New("not fetched yet")

// State says whether a named set is available.
type State string

// The states of a [Set].
const (
	Fetched State = "fetched" // every file exists and is correct
	Missing State = "missing" // a file does not exist
	Damaged State = "damaged" // a file cannot be read or is wrong
)

// Set is a named set of files that are kept in one folder.
type Set struct {
	Name      string
	Files     []File
	Variables []string // environment variables for the folder, see [Folder]
	Command   string   // command that fetches the set
}

// File is a file of a [Set].
type File struct {
	Name string // file name in the folder
	URL  string
	Sums Sums
}

// Folder returns the folder given by the first of these environment variables that is set, or else the folder milbench in
// the user's cache.
func Folder(variables ...string) (string, error) {
	for _, v := range variables {
		if folder := os.Getenv(v); folder != "" {
			return folder, nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for data sets, set %s to one: %w", variables[0], err)
	}
	return filepath.Join(cache, "milbench"), nil
}

// Paths returns the paths of the files in order, whether or not they have been fetched.
func (s Set) Paths() ([]string, error) {
	folder, err := Folder(s.Variables...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	paths := make([]string, len(s.Files))
	for i, f := range s.Files {
		paths[i] = filepath.Join(folder, f.Name)
	}
	return paths, nil
}

// Verify reads the files and compares their sums. If the set is [Missing] (the error matches [ErrNotFetched] if there is a
// folder) or [Damaged], the error says what is wrong and what to do.
func (s Set) Verify() (State, error) {
	paths, err := s.Paths()
	if err != nil {
		return Missing, err
	}
	for i, f := range s.Files {
		err := f.Sums.Check(paths[i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Missing, fmt.Errorf("%s: %w, %s is not there; run `%s`", s.Name, ErrNotFetched, paths[i], s.Command)
		case errors.Is(err, ErrSum):
			return Damaged, fmt.Errorf("%s: %s is not the file it should be; run `%s` to get it again: %w", s.Name, paths[i], s.Command, err)
		case err != nil:
			return Damaged, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return Fetched, nil
}

// Fetch downloads every file with [Getter.Get] of [Default].
func (s Set) Fetch(ctx context.Context, progress Progress) error {
	paths, err := s.Paths()
	if err != nil {
		return err
	}
	for i, f := range s.Files {
		err := Default().Get(ctx, f.URL, paths[i], f.Sums, progress)
		if errors.Is(err, ErrFolder) {
			return fmt.Errorf("%s: set %s to a folder that can be written: %w", s.Name, s.Variables[0], err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}
