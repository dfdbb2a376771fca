package corpus

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// longestLine is the maximum length of a line of a text file, in bytes.
const longestLine = 1 << 20

// errDamaged is wrapped by every error about bytes that are invalid in the format.
var errDamaged = errors.New("the file is damaged; fetch it again")

// inflated returns the bytes of r, decompressed if they are gzipped, without a byte order mark.
func inflated(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, readError(err)
		}
		in = bufio.NewReader(unzipped)
	}
	return unmarked(in), nil
}

// unmarked skips a byte order mark.
func unmarked(in *bufio.Reader) *bufio.Reader {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	return in
}

// readLines returns the lines of a text file, which may be gzipped, without line ends.
func readLines(r io.Reader, name string) ([]string, error) {
	in, err := inflated(r)
	if err != nil {
		return nil, fmt.Errorf("%s: line 1: %w", name, err)
	}
	return scanLines(in, name)
}

func scanLines(in io.Reader, name string) ([]string, error) {
	var lines []string
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, longestLine)
	for scanner.Scan() {
		line := scanner.Text()
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s: line %d is not UTF-8; save the file as UTF-8", name, len(lines)+1)
		}
		lines = append(lines, line)
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s: line %d is longer than %d bytes; put one sentence on a line", name, len(lines)+1, longestLine)
	case err != nil:
		return nil, fmt.Errorf("%s: line %d: %w", name, len(lines)+1, readError(err))
	}
	return lines, nil
}

// readError explains why bytes could not be read.
func readError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends early: %w", errDamaged)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.As(err, &corrupt):
		return fmt.Errorf("%s: %w", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "gzip: "), "zip: "), errDamaged)
	}
	return err
}
