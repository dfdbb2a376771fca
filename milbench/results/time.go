package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"synpool/internal/disk"
)

// TimesName is the name of the file in a results folder with the durations of runs. Times do not depend on the inputs
// alone, so they have a file of their own.
const TimesName = "times.jsonl"

// Time is the duration of one run until it finished or was stopped: one line of times.jsonl. A killed run leaves no
// line.
type Time struct {
	Fits     int     `json:"fits,omitempty"`   // number of fits trained
	Spaces   int     `json:"spaces,omitempty"` // number of spaces made
	Seconds  float64 `json:"seconds"`
	Cores    int     `json:"cores"` // number of cores used
	Backend  string  `json:"backend"`
	Version  string  `json:"version"`
	Revision string  `json:"revision"`
	Attempt  string  `json:"attempt,omitempty"` // for a shard
}

// Validate returns an error if the run has no fits and no spaces, no cores, or no duration.
func (t Time) Validate() error {
	if min(t.Fits, t.Spaces) < 0 || max(t.Fits, t.Spaces) < 1 || t.Cores < 1 || !(t.Seconds >= 0 && t.Seconds <= math.MaxFloat64) {
		return fmt.Errorf("%d fits and %d spaces in %v s on %d cores", t.Fits, t.Spaces, t.Seconds, t.Cores)
	}
	return nil
}

// ReadTimes returns the times in a file. If there is no file, it returns none.
func ReadTimes(path string) ([]Time, error) {
	in, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open times: %w", err)
	}
	defer in.Close()
	return readTimes(in, path)
}

func readTimes(in io.Reader, path string) (times []Time, err error) {
	_, err = eachRecord(in, path, removeIt, func(t Time, _ []byte) error {
		times = append(times, t)
		return nil
	})
	return times, err
}

// addTimes returns the times in a, plus those in b that are not in a. Equal times in both lists are one run; equal
// times in one list are separate runs.
func addTimes(a, b []Time) []Time {
	known := make(map[Time]int)
	for _, t := range a {
		known[t]++
	}
	all := slices.Clone(a)
	for _, t := range b {
		if known[t]--; known[t] < 0 {
			all = append(all, t)
		}
	}
	return all
}

// AppendTime records the duration of a run in the results folder dir. If dir belongs to an attempt, t gets its name.
// An incomplete last line, left by a run that was killed or out of space, is cut off.
func AppendTime(dir string, t Time) (err error) {
	if isAttempt(dir) {
		t.Attempt = filepath.Base(dir)
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, TimesName)
	out, err := disk.Append(path)
	if err != nil {
		return fmt.Errorf("open times: %w", noRoom(err))
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	size, err := eachLine(out, path, func(int, []byte) error { return nil })
	if err != nil {
		return err
	}
	file := &lines{path: path, out: out, size: size}
	if err := file.rewind(); err != nil {
		return err
	}
	return file.append(line)
}
