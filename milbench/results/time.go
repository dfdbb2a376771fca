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
	times, err := records[Time](path, "times", nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
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
func AppendTime(dir string, t Time) error {
	if isAttempt(dir) {
		t.Attempt = filepath.Base(dir)
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, TimesName)
	file, err := openLines(path, "times", func(in io.Reader) (int64, error) {
		return eachLine(in, path, func(int, []byte) error { return nil })
	})
	if err != nil {
		return err
	}
	return errors.Join(file.append(line), file.out.Close())
}

// timesText returns times as lines.
func timesText(times []Time) (text []byte, err error) {
	for _, t := range times {
		line, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	return text, nil
}
