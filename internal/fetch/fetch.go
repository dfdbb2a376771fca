// Package fetch downloads files and named sets of files. It verifies checksums, retries and resumes. A file gets its real
// name, by an atomic rename, only when it is complete and correct.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"synpool/internal/disk"
)

var (
	// ErrTemporary marks errors for which another try may succeed: no network, a busy or broken server, a full disk, or
	// another process that is fetching the same file.
	ErrTemporary = errors.New("try again later")

	// ErrFolder marks a folder that cannot be created or written.
	ErrFolder = errors.New("folder cannot be written")
)

// Progress is called with the number of bytes of the named file that have arrived, and the total, which is 0 while unknown.
type Progress func(file string, done, total int64)

// Getter downloads over HTTP.
type Getter struct {
	Client   *http.Client
	Attempts int           // consecutive attempts without a new byte before it gives up
	Backoff  time.Duration // wait after the first failed attempt; doubles with every further failure
	Stall    time.Duration // an attempt fails if no byte arrives for this long
	MaxBytes int64         // maximum size of a file whose size is not known in advance
}

// Default returns a Getter for everyday networks: 4 attempts, 500 ms, 30 s, 1 GiB.
func Default() Getter {
	return Getter{Client: http.DefaultClient, Attempts: 4, Backoff: 500 * time.Millisecond, Stall: 30 * time.Second, MaxBytes: 1 << 30}
}

// Get makes sure that the file dst matches sums, and downloads it from address if it does not. If dst already matches, Get
// returns at once, even in a read-only folder. Missing folders are created. progress may be nil.
//
// Bytes are written to dst+".part", which a later call resumes, and renamed to dst after verification; bytes that fail it
// are removed. A second process that asks for the same dst at the same time gets [ErrTemporary]. Without a checksum nothing
// is resumed.
//
// Errors are [ErrTemporary], [ErrSum] (wrong bytes), [ErrFolder], the error of the context, or a different one for an
// address that does not exist.
func (g Getter) Get(ctx context.Context, address, dst string, sums Sums, progress Progress) error {
	if sums.Check(dst) == nil {
		return nil
	}
	folder := filepath.Dir(dst)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return diskError(folder, err)
	}
	release, err := disk.Lock(dst + ".lock")
	if err != nil {
		if errors.Is(err, disk.ErrLocked) {
			return temporary{fmt.Errorf("%s: another process is fetching it (%w); try again when it has finished", dst, err)}
		}
		return diskError(folder, err)
	}
	defer release()
	if sums.Check(dst) == nil { // the other process has fetched it
		return nil
	}
	d := download{Getter: g, address: address, dst: dst, sums: sums, progress: progress}
	return d.run(ctx)
}

// download is a Get that holds the lock.
type download struct {
	Getter
	address, dst string
	sums         Sums
	progress     Progress

	part    *os.File
	have    int64 // bytes in part
	resumed bool  // part holds bytes of more than one response
}

func (d *download) run(ctx context.Context) (err error) {
	name, folder := d.dst+".part", filepath.Dir(d.dst)
	d.part, err = disk.Append(name)
	if err != nil {
		return diskError(folder, err)
	}
	defer func() {
		d.part.Close()
		if err != nil && d.have == 0 {
			os.Remove(name)
		}
	}()
	if d.have, err = d.part.Seek(0, io.SeekEnd); err != nil {
		return diskError(folder, err)
	}
	d.resumed = d.have > 0
	if d.sums == (Sums{}) || d.sums.Bytes > 0 && d.have > d.sums.Bytes {
		if err := d.restart(); err != nil {
			return err
		}
	}
	for last := false; ; last = true {
		if err := d.fill(ctx); err != nil {
			return err
		}
		if err := d.part.Sync(); err != nil {
			return diskError(folder, err)
		}
		wrong := d.sums.Check(name)
		if wrong == nil {
			break
		}
		last = last || !d.resumed // otherwise earlier bytes may be of a different version: start again, once
		if err := d.restart(); err != nil {
			return err
		}
		if last {
			return fmt.Errorf("%s sent wrong bytes, nothing was kept: %w", d.address, wrong)
		}
	}
	if err := d.part.Close(); err != nil {
		return diskError(folder, err)
	}
	if err := os.Rename(name, d.dst); err != nil {
		return diskError(folder, err)
	}
	return nil
}

// restart discards the bytes received so far.
func (d *download) restart() error {
	d.resumed = false
	if d.have == 0 {
		return nil
	}
	d.have = 0
	if err := d.part.Truncate(0); err != nil {
		return diskError(filepath.Dir(d.dst), err)
	}
	if _, err := d.part.Seek(0, io.SeekStart); err != nil {
		return diskError(filepath.Dir(d.dst), err)
	}
	return nil
}

// restartFor starts over and returns the reason, or why that failed.
func (d *download) restartFor(reason error) error { return cmp.Or(d.restart(), reason) }

// fill downloads the missing bytes, in as many attempts as necessary.
func (d *download) fill(ctx context.Context) error {
	failed, most := 0, d.have
	for d.sums.Bytes == 0 || d.have < d.sums.Bytes {
		err := d.attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: stopped: %w", d.address, context.Cause(ctx))
		}
		if _, again := errors.AsType[retriable](err); !again {
			return err
		}
		if failed++; d.have > most {
			failed, most = 0, d.have
		}
		if failed == d.Attempts {
			return temporary{fmt.Errorf("%s: %w; check the network and try again", d.address, err)}
		}
		wait := d.Backoff << min(max(failed-1, 0), 16)
		wait += rand.N(wait/4 + 1) // two that failed together do not retry at the same time
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return nil
}

var errStalled = errors.New("the server stopped sending")

// attempt makes one request and appends its body to the part file.
func (d *download) attempt(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	watch := time.AfterFunc(d.Stall, func() { cancel(errStalled) })
	defer watch.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // the sums are of the file's own bytes
	req.Header.Set("User-Agent", "synpool")
	if d.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return networkError(ctx, err)
	}
	defer resp.Body.Close()

	total := int64(-1) // size of the whole file, according to the server
	switch code := resp.StatusCode; {
	case code == http.StatusOK: // the whole file; a server may ignore Range
		if err := d.restart(); err != nil {
			return err
		}
		total = resp.ContentLength
	case code == http.StatusPartialContent && d.have > 0:
		var start int64
		if start, total = contentRange(resp.Header.Get("Content-Range")); start != d.have {
			return d.restartFor(retriable{errors.New("the server sent bytes that were not asked for")})
		}
		d.resumed = true
	case code == http.StatusRequestedRangeNotSatisfiable && d.have > 0:
		if _, total = contentRange(resp.Header.Get("Content-Range")); total == d.have {
			return nil // all there already
		}
		return d.restartFor(retriable{fmt.Errorf("the server answered %s", resp.Status)})
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return retriable{fmt.Errorf("the server answered %s", resp.Status)}
	case code == http.StatusNotFound, code == http.StatusGone:
		return fmt.Errorf("%s: the server answered %s; the file is no longer there", d.address, resp.Status)
	default:
		return fmt.Errorf("%s: the server answered %s", d.address, resp.Status)
	}

	want := cmp.Or(d.sums.Bytes, max(total, 0)) // 0: unknown
	if total >= 0 && total != want || want > d.MaxBytes && d.sums.Bytes == 0 {
		return d.restartFor(sumError{fmt.Errorf("%s: the server offers %d bytes, expected %s", d.address, total, d.expected())})
	}
	limit := cmp.Or(want, d.MaxBytes)
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		watch.Reset(d.Stall)
		if d.have+int64(n) > limit {
			return d.restartFor(sumError{fmt.Errorf("%s: the server sends more than %s", d.address, d.expected())})
		}
		if n > 0 {
			if _, err := d.part.Write(buf[:n]); err != nil {
				return diskError(filepath.Dir(d.dst), err)
			}
			d.have += int64(n)
			if d.progress != nil {
				d.progress(filepath.Base(d.dst), d.have, want)
			}
		}
		switch {
		case err == io.EOF && want > 0 && d.have < want:
			return retriable{io.ErrUnexpectedEOF}
		case err == io.EOF:
			return nil
		case err != nil:
			return networkError(ctx, err)
		}
	}
}

func (d *download) expected() string {
	if d.sums.Bytes > 0 {
		return fmt.Sprintf("%d bytes", d.sums.Bytes)
	}
	return fmt.Sprintf("at most %d bytes", d.MaxBytes)
}

// contentRange parses "bytes 5-9/10" and "bytes */10"; a part that it cannot parse is -1.
func contentRange(s string) (start, total int64) {
	start, total = -1, -1
	span, size, ok := strings.Cut(strings.TrimPrefix(s, "bytes "), "/")
	if !ok {
		return start, total
	}
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n >= 0 {
		total = n
	}
	first, _, _ := strings.Cut(span, "-")
	if n, err := strconv.ParseInt(first, 10, 64); err == nil && n >= 0 {
		start = n
	}
	return start, total
}

// retriable is a failure that may not happen again in the next attempt.
type retriable struct{ error }

func (e retriable) Unwrap() error { return e.error }

func networkError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address is named by the caller
	}
	return retriable{err}
}

// temporary marks an error as [ErrTemporary] without adding to its text.
type temporary struct{ error }

func (e temporary) Unwrap() error        { return e.error }
func (e temporary) Is(target error) bool { return target == ErrTemporary }

// diskError says what is wrong with a folder.
func diskError(folder string, err error) error {
	const windowsDiskFull = syscall.Errno(112)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) ||
		runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull) {
		return temporary{fmt.Errorf("%s: the disk is full; make room and try again: %w", folder, err)}
	}
	return fmt.Errorf("%s: %w: %w", folder, ErrFolder, err)
}
