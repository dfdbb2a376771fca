package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// lines is a file of lines, open for appending.
type lines struct {
	path string
	out  appendable
	size int64 // of the whole lines
}

// appendable is what lines needs of an *os.File.
type appendable interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
	Seek(offset int64, whence int) (int64, error)
}

// append writes a line and waits until it is on the disk. Either the whole line is in the file or none of it; a full
// disk is [ErrDiskFull].
func (l *lines) append(line []byte) error {
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

// rewind cuts off what stands after the last whole line.
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

// eachLine calls f with every whole line that is not blank, its end included, and its number, from 1. It returns the
// length of the whole lines in bytes.
func eachLine(in io.Reader, path string, f func(number int, line []byte) error) (size int64, err error) {
	text := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := text.ReadBytes('\n')
		if err == io.EOF {
			return size, nil // without its end a line is torn
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

// removeIt is the cure for a line that nothing depends on.
const removeIt = "remove it"

// eachRecord calls f with the record of every whole line and with the line. It returns the length of the whole lines in
// bytes. A line that holds no valid record is an error that names it and ends with the cure.
func eachRecord[T interface{ Validate() error }](in io.Reader, path, cure string, f func(record T, line []byte) error) (size int64, err error) {
	return eachLine(in, path, func(number int, line []byte) error {
		var r T
		err := json.Unmarshal(line, &r)
		if err == nil {
			err = r.Validate()
		}
		if err != nil {
			return fmt.Errorf("%s: line %d is damaged (%w); %s", path, number, err, cure)
		}
		return f(r, line)
	})
}
