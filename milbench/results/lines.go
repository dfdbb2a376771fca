package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"synpool/internal/disk"
)

// lines is a file of lines, open for appending.
type lines struct {
	path string
	out  *os.File
	size int64 // length of the complete lines
}

// openLines opens a file of lines for appending. read gets the file and returns the length of its complete lines; an
// incomplete last line is cut off. what names the lines in errors.
func openLines(path, what string, read func(in io.Reader) (size int64, err error)) (*lines, error) {
	out, err := disk.Append(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", what, noRoom(err))
	}
	l := &lines{path: path, out: out}
	if l.size, err = read(out); err == nil {
		err = l.rewind()
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return l, nil
}

// append writes a line and waits until it is on the disk. It writes the whole line or nothing. If the disk is full,
// the error is [ErrDiskFull].
func (l *lines) append(line []byte) error {
	if err := l.unchanged(); err != nil {
		return err
	}
	line = append(line, '\n')
	_, err := l.out.Write(line)
	if err == nil {
		err = l.out.Sync()
	}
	if err != nil {
		err = fmt.Errorf("write %s: %w", l.path, noRoom(err))
		return errors.Join(err, l.rewind())
	}
	l.size += int64(len(line))
	return nil
}

// unchanged returns an error if another program has removed, replaced or changed the file.
func (l *lines) unchanged() error {
	own, err := l.out.Stat()
	if err != nil {
		return fmt.Errorf("write %s: %w", l.path, err)
	}
	switch now, err := os.Stat(l.path); {
	case err != nil || !os.SameFile(own, now):
		return fmt.Errorf("%s: the file was removed or replaced while it was written; nothing is added: bring it back, or run again", l.path)
	case own.Size() != l.size:
		return fmt.Errorf("%s: another program has changed the file, which has %d bytes and had %d; nothing is added: bring it back, or run again", l.path, own.Size(), l.size)
	}
	return nil
}

// rewind cuts off anything after the last complete line.
func (l *lines) rewind() error {
	err := l.out.Truncate(l.size)
	if err == nil {
		_, err = l.out.Seek(l.size, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("cut the torn last line of %s: %w", l.path, err)
	}
	return nil
}

// eachLine calls f with every complete non-blank line, including its line end, and its number, from 1. It returns the
// length of the complete lines in bytes.
func eachLine(in io.Reader, path string, f func(number int, line []byte) error) (size int64, err error) {
	text := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := text.ReadBytes('\n')
		if err == io.EOF {
			return size, nil // a line without its line end is incomplete
		}
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", path, err)
		}
		size += int64(len(line))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f(number, line); err != nil {
			return 0, err
		}
	}
}

// Remedies for damaged lines: those that nothing depends on, and results.
const (
	removeIt  = "remove it"
	againCure = "remove it, and its fit is run again"
)

// record is what a line holds, as JSON.
type record interface{ Validate() error }

// eachRecord calls f with the record in every complete line and the line itself. It returns the length of the
// complete lines in bytes. If a line has no valid record, the error names it and ends with the remedy.
func eachRecord[T record](in io.Reader, path, cure string, f func(record T, line []byte) error) (size int64, err error) {
	return eachLine(in, path, func(number int, line []byte) error {
		var r T
		err := json.Unmarshal(line, &r)
		if err == nil {
			err = r.Validate()
		}
		if err == nil {
			err = f(r, line)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d is damaged (%w); %s", path, number, err, cure)
		}
		return nil
	})
}

// records returns the records in a file, the first of each key; without key, all of them. what names them in errors.
func records[T record](path, what string, key func(T) string) ([]T, error) {
	in, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", what, err)
	}
	defer in.Close()
	return readAll(in, path, key)
}

// readAll returns the records in complete lines, the first of each key; without key, all of them.
func readAll[T record](in io.Reader, path string, key func(T) string) (list []T, err error) {
	seen := make(map[string]bool)
	_, err = eachRecord(in, path, removeIt, func(r T, _ []byte) error {
		if key != nil {
			if seen[key(r)] {
				return nil
			}
			seen[key(r)] = true
		}
		list = append(list, r)
		return nil
	})
	return list, err
}
