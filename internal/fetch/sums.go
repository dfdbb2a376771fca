package fetch

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"synpool/internal/disk"
)

// ErrSum marks bytes that differ from the expected ones.
var ErrSum = errors.New("wrong bytes")

// Sums has the sizes and checksums that a file must have. Empty fields are not checked; the zero value accepts any file.
type Sums struct {
	Bytes          int64  // the size
	SHA256         string // of the bytes, in hex
	InflatedBytes  int64  // the size after decompression
	InflatedSHA256 string // of the bytes after gzip decompression; a file that is not gzip counts as decompressed
}

// Check reads the file and returns an error that matches [ErrSum] if it does not match s, or the file system's error (such
// as fs.ErrNotExist) if it cannot be read.
func (s Sums) Check(path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := s.check(f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

func (s Sums) check(f io.ReadSeeker, size int64) error {
	if s.Bytes > 0 && size != s.Bytes {
		return sumError{fmt.Errorf("it is %d bytes long, not %d", size, s.Bytes)}
	}
	if s.SHA256 != "" {
		sha := sha256.New()
		if _, err := io.Copy(sha, f); err != nil {
			return err
		}
		if err := compare("SHA-256", sha, s.SHA256); err != nil {
			return err
		}
	}
	if s.InflatedSHA256 == "" && s.InflatedBytes == 0 {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.checkInflated(bufio.NewReader(f))
}

func (s Sums) checkInflated(f *bufio.Reader) error {
	var r io.Reader = f
	if magic, _ := f.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(f)
		if err != nil {
			return sumError{fmt.Errorf("it does not decompress: %w", err)}
		}
		r = z
	}
	if s.InflatedBytes > 0 {
		r = io.LimitReader(r, s.InflatedBytes+1)
	}
	sha := sha256.New()
	n, err := io.Copy(sha, r)
	switch {
	case err != nil:
		return sumError{fmt.Errorf("it does not decompress: %w", err)}
	case s.InflatedBytes > 0 && n > s.InflatedBytes:
		return sumError{fmt.Errorf("it decompresses to more than %d bytes", s.InflatedBytes)}
	case s.InflatedBytes > 0 && n < s.InflatedBytes:
		return sumError{fmt.Errorf("it decompresses to %d bytes, not %d", n, s.InflatedBytes)}
	}
	return compare("decompressed SHA-256", sha, s.InflatedSHA256)
}

func compare(kind string, h hash.Hash, want string) error {
	if got := hex.EncodeToString(h.Sum(nil)); want != "" && got != want {
		return sumError{fmt.Errorf("its %s is %s, not %s", kind, got, want)}
	}
	return nil
}

// sumError marks an error as [ErrSum] without adding to its text.
type sumError struct{ error }

func (e sumError) Unwrap() error        { return e.error }
func (e sumError) Is(target error) bool { return target == ErrSum }
