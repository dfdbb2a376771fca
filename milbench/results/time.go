package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// TimesName is the name of the file in the results folder that says how long its fits and spaces took. Times are no function
// of the inputs and stand in a file of their own.
const TimesName = "times.jsonl"

// Time is how long one run into the folder took, to its end or until it was stopped: one line of times.jsonl. A run that was
// killed leaves none.
type Time struct {
	Fits     int     `json:"fits,omitempty"`   // that it trained
	Spaces   int     `json:"spaces,omitempty"` // that it made
	Seconds  float64 `json:"seconds"`
	Cores    int     `json:"cores"` // that it trained on
	Backend  string  `json:"backend"`
	Version  string  `json:"version"`
	Revision string  `json:"revision"`
	Attempt  string  `json:"attempt,omitempty"` // of a shard
}

// Validate reports a run of no fits and no spaces, of no cores, or of no time.
func (t Time) Validate() error {
	if min(t.Fits, t.Spaces) < 0 || max(t.Fits, t.Spaces) < 1 || t.Cores < 1 || !(t.Seconds >= 0 && t.Seconds <= math.MaxFloat64) {
		return fmt.Errorf("%d fits and %d spaces in %v s on %d cores", t.Fits, t.Spaces, t.Seconds, t.Cores)
	}
	return nil
}

// ReadTimes returns the times of a file, none where there is no such file.
func ReadTimes(path string) ([]Time, error) {
	in, err := os.Open(path)
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

// addTimes returns the times of a and those of b that a does not have. Equal ones are those of one run; where one of the lists
// has several, they are runs of their own.
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

// AppendTime writes down in the results folder dir how long a run took. If dir is that of an attempt, t gets its name. A torn
// last line, left by a run that was killed or had no room, is cut off.
func AppendTime(dir string, t Time) (err error) {
	if isAttempt(dir) {
		t.Attempt = filepath.Base(dir)
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, TimesName)
	out, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
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
