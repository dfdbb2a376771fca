package study

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// TimesName is the name of the file in the results folder that says how long its fits took. Times are no function of the
// inputs and stand in a file of their own.
const TimesName = "times.jsonl"

// Time is how long one run into the folder took, to its end or until it was stopped: one line of times.jsonl. A run that was
// killed leaves none.
type Time struct {
	Fits     int     `json:"fits"` // that it trained
	Seconds  float64 `json:"seconds"`
	Cores    int     `json:"cores"` // that it trained on
	Backend  string  `json:"backend"`
	Version  string  `json:"version"`
	Revision string  `json:"revision"`
	Attempt  string  `json:"attempt,omitempty"` // of a shard
}

// Validate reports a run of no fits, of no cores, or of no time.
func (t Time) Validate() error {
	if t.Fits < 1 || t.Cores < 1 || !(t.Seconds >= 0 && t.Seconds <= math.MaxFloat64) {
		return fmt.Errorf("%d fits in %v s on %d cores", t.Fits, t.Seconds, t.Cores)
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

// appendTime writes down how long a run took.
func (r Run) appendTime(fits int, took time.Duration) error {
	t := Time{Fits: fits, Seconds: float64(took.Round(time.Millisecond)) / float64(time.Second), Cores: cmp.Or(r.Cores, runtime.NumCPU()),
		Backend: r.Backend, Version: r.Version, Revision: r.Revision}
	if isAttempt(r.Dir) {
		t.Attempt = filepath.Base(r.Dir)
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(r.Dir, TimesName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("open times: %w", noRoom(err))
	}
	_, err = out.Write(append(line, '\n'))
	return errors.Join(noRoom(err), out.Close())
}
