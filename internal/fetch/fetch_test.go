package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"synpool/internal/disk"
)

// content is larger than what fits into the buffers between server and reader.
var content = func() []byte {
	b := make([]byte, 3<<20)
	r := rand.NewChaCha8([32]byte{7})
	r.Read(b)
	return b
}()

func sumsOf(b []byte) Sums {
	sha := sha256.Sum256(b)
	return Sums{Bytes: int64(len(b)), SHA256: hex.EncodeToString(sha[:])}
}

func quick() Getter {
	g := Default()
	g.Backoff = time.Millisecond
	return g
}

// server answers request i with answers[i], and every further one with the last; it keeps the Range headers.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		i := min(len(s.ranges), len(answers)-1)
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		if e := r.Header.Get("Accept-Encoding"); e != "identity" {
			t.Errorf("Accept-Encoding %q", e)
		}
		answers[i](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// file knows ranges.
func file(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(b))
	}
}

// plain ignores ranges.
func plain(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	}
}

// chunked does not say how long the body is.
func chunked(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(b)
	}
}

// cut sends what h would, but drops the connection after n bytes of the body.
func cut(h http.HandlerFunc, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h(&cutter{ResponseWriter: w, left: n}, r)
	}
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b[:min(len(b), c.left)])
	if c.left -= n; c.left == 0 {
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", code) }
}

func header(code int, key, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(key, value)
		w.WriteHeader(code)
	}
}

func TestGet(t *testing.T) {
	const half = 3 << 19
	other := slices.Clone(content)
	other[99] ^= 1
	right := sumsOf(content)
	shaOnly := Sums{SHA256: right.SHA256}
	from := func(n int) string { return fmt.Sprintf("bytes=%d-", n) }

	for _, c := range []struct {
		name    string
		sums    Sums
		dst     []byte // what stands there before; nil for nothing
		part    []byte
		answers []http.HandlerFunc
		err     error  // nil: dst holds content afterwards
		message string // part of the error's
		ranges  []string
		kept    bool // whether a part file may stay
	}{
		{name: "whole", sums: right, answers: []http.HandlerFunc{file(content)}, ranges: []string{""}},
		{name: "size unknown", sums: shaOnly, answers: []http.HandlerFunc{chunked(content)}, ranges: []string{""}},
		{name: "nothing to verify by", answers: []http.HandlerFunc{file(content)}, part: other[:half], ranges: []string{""}},
		{name: "there already", sums: right, dst: content, answers: []http.HandlerFunc{status(500)}},
		{name: "another file there", sums: right, dst: other, answers: []http.HandlerFunc{file(content)}, ranges: []string{""}},
		{name: "cut and resumed", sums: right, answers: []http.HandlerFunc{cut(file(content), half), file(content)},
			ranges: []string{"", from(half)}},
		{name: "cut often, resumed each time", sums: right, answers: []http.HandlerFunc{cut(file(content), half/4)},
			ranges: []string{"", from(half / 4), from(half / 2), from(3 * half / 4), from(half), from(5 * half / 4), from(3 * half / 2), from(7 * half / 4)}},
		{name: "cut, Range ignored", sums: right, answers: []http.HandlerFunc{cut(plain(content), half), plain(content)},
			ranges: []string{"", from(half)}},
		{name: "chunked and ending early", sums: right, answers: []http.HandlerFunc{chunked(content[:half]), file(content)},
			ranges: []string{"", from(half)}},
		{name: "resumed from an earlier call", sums: right, part: content[:half], answers: []http.HandlerFunc{file(content)},
			ranges: []string{from(half)}},
		{name: "resumed, size unknown", sums: shaOnly, part: content[:half], answers: []http.HandlerFunc{file(content)},
			ranges: []string{from(half)}},
		{name: "part is whole", sums: right, part: content, answers: []http.HandlerFunc{status(500)}},
		{name: "part is whole, size unknown", sums: shaOnly, part: content, answers: []http.HandlerFunc{file(content)},
			ranges: []string{from(len(content))}},
		{name: "part of another version", sums: right, part: other[:half], answers: []http.HandlerFunc{file(content)},
			ranges: []string{from(half), ""}},
		{name: "part too long", sums: right, part: append(slices.Clone(content), 0), answers: []http.HandlerFunc{file(content)},
			ranges: []string{""}},
		{name: "part too long, size unknown", sums: shaOnly, part: append(slices.Clone(content), 0), answers: []http.HandlerFunc{file(content)},
			ranges: []string{from(len(content) + 1), ""}},
		{name: "the wrong range", sums: right, part: content[:half],
			answers: []http.HandlerFunc{header(206, "Content-Range", "bytes 1-2/3"), file(content)}, ranges: []string{from(half), ""}},
		{name: "a range without saying which", sums: right, part: content[:half],
			answers: []http.HandlerFunc{header(206, "Content-Range", "nonsense"), file(content)}, ranges: []string{from(half), ""}},
		{name: "busy, then not", sums: right, answers: []http.HandlerFunc{status(503), status(429), status(500), file(content)},
			ranges: []string{"", "", "", ""}},
		{name: "broken", sums: right, answers: []http.HandlerFunc{status(502)}, err: ErrTemporary, message: "502 Bad Gateway",
			ranges: []string{"", "", "", ""}},
		{name: "cut at once, always", sums: right, answers: []http.HandlerFunc{cut(plain(content), half)}, err: ErrTemporary,
			message: "try again", ranges: []string{"", from(half), from(half), from(half), from(half)}, kept: true},
		{name: "not found", sums: right, answers: []http.HandlerFunc{status(404)}, err: errAny, message: "404 Not Found; the file is no longer there",
			ranges: []string{""}},
		{name: "forbidden", sums: right, answers: []http.HandlerFunc{status(403)}, err: errAny, message: "403 Forbidden", ranges: []string{""}},
		{name: "wrong bytes", sums: right, answers: []http.HandlerFunc{file(other)}, err: ErrSum, message: "nothing was kept", ranges: []string{""}},
		{name: "wrong bytes, the old file stays", sums: right, dst: other, answers: []http.HandlerFunc{file(other)}, err: ErrSum, ranges: []string{""}},
		{name: "wrong bytes, resumed", sums: right, part: other[:half], answers: []http.HandlerFunc{file(other)}, err: ErrSum,
			ranges: []string{from(half), ""}},
		{name: "wrong bytes, cut each time", sums: right, answers: []http.HandlerFunc{cut(file(other), half)}, err: ErrSum,
			ranges: []string{"", from(half), "", from(half)}},
		{name: "wrong size", sums: right, answers: []http.HandlerFunc{file(content[1:])}, err: ErrSum,
			message: "offers 3145727 bytes, expected 3145728 bytes", ranges: []string{""}},
		{name: "wrong size, resumed", sums: right, part: content[:half], answers: []http.HandlerFunc{file(content[1:])}, err: ErrSum,
			ranges: []string{from(half)}},
		{name: "endless", sums: right, answers: []http.HandlerFunc{endless}, err: ErrSum, message: "more than 3145728 bytes", ranges: []string{""}},
		{name: "endless, size unknown", sums: shaOnly, answers: []http.HandlerFunc{endless}, err: ErrSum, message: "more than at most", ranges: []string{""}},
		{name: "claims a terabyte", sums: shaOnly, answers: []http.HandlerFunc{header(200, "Content-Length", "1099511627776")}, err: ErrSum,
			message: "offers 1099511627776 bytes", ranges: []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.answers...)
			dst := filepath.Join(t.TempDir(), "a", "b", "file")
			for path, b := range map[string][]byte{dst: c.dst, dst + ".part": c.part} {
				if b != nil {
					must(t, os.MkdirAll(filepath.Dir(path), 0o777))
					must(t, os.WriteFile(path, b, 0o666))
				}
			}
			g := quick()
			g.MaxBytes = 4 << 20
			err := g.Get(t.Context(), s.URL, dst, c.sums, nil)
			got, _ := os.ReadFile(dst)
			if c.err == nil {
				must(t, err)
				if !bytes.Equal(got, content) {
					t.Fatal("other bytes arrived")
				}
			} else {
				if c.err != errAny && !errors.Is(err, c.err) || err == nil || !strings.Contains(err.Error(), c.message) {
					t.Fatalf("error %v, want %v with %q", err, c.err, c.message)
				}
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("more than one line: %v", err)
				}
				if temporary := c.err == ErrTemporary; errors.Is(err, ErrTemporary) != temporary {
					t.Errorf("temporary is %v, want %v: %v", !temporary, temporary, err)
				}
				if !bytes.Equal(got, c.dst) {
					t.Error("what stood under the real name changed")
				}
			}
			if !slices.Equal(s.ranges, c.ranges) {
				t.Errorf("asked for %q, want %q", s.ranges, c.ranges)
			}
			left, _ := filepath.Glob(dst + ".*")
			if _, part := os.Stat(dst + ".part"); len(left) > 0 && !(c.kept && len(left) == 1 && part == nil) && c.part == nil {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

var errAny = errors.New("any")

func endless(w http.ResponseWriter, r *http.Request) {
	b := make([]byte, 1<<16)
	for {
		if _, err := w.Write(b); err != nil {
			return
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoNetwork(t *testing.T) {
	s := serve(t, status(200))
	s.Close()
	dst := filepath.Join(t.TempDir(), "file")
	err := quick().Get(t.Context(), s.URL+"/file", dst, sumsOf(content), nil)
	if !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "check the network") || strings.Count(err.Error(), s.URL) != 1 {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(dst + "*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestStalledServer(t *testing.T) {
	done := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		<-done
	}, file(content))
	defer close(done)
	g := quick()
	g.Stall = 50 * time.Millisecond
	dst := filepath.Join(t.TempDir(), "file")
	must(t, g.Get(t.Context(), s.URL, dst, sumsOf(content), nil))
	if want := []string{"", "bytes=1000-"}; !slices.Equal(s.ranges, want) {
		t.Errorf("asked for %q, want %q", s.ranges, want)
	}
}

// slow is a body that trickles: a byte every 20 s, in the time of a synctest bubble.
type slow struct{ left int }

func (s *slow) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(20 * time.Second)
	b[0] = 'x'
	s.left--
	return 1, nil
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSlowBodyIsNotStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := Default()
		g.Client = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: 9, Body: io.NopCloser(&slow{9})}, nil
		})}
		start := time.Now()
		must(t, g.Get(t.Context(), "http://example.org", filepath.Join(t.TempDir(), "f"), sumsOf(bytes.Repeat([]byte("x"), 9)), nil))
		if d := time.Since(start); d != 180*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestBackoffDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		g := Default()
		g.Client = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			at = append(at, time.Since(start))
			return nil, errors.New("unplugged")
		})}
		err := g.Get(t.Context(), "http://example.org", filepath.Join(t.TempDir(), "f"), sumsOf(content), nil)
		if !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "unplugged") {
			t.Fatal(err)
		}
		if len(at) != g.Attempts {
			t.Fatalf("%d attempts, want %d", len(at), g.Attempts)
		}
		for i := 1; i < len(at); i++ {
			low := g.Backoff << (i - 1)
			if wait := at[i] - at[i-1]; wait < low || wait > low+low/4 {
				t.Errorf("wait %d was %v, want %v to %v", i, wait, low, low+low/4)
			}
		}
	})
}

func TestCancelKeepsThePart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hold := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:1<<20])
		w.(http.Flusher).Flush()
		<-hold
	}, file(content))
	defer close(hold)
	dst := filepath.Join(t.TempDir(), "file")
	err := quick().Get(ctx, s.URL, dst, sumsOf(content), func(_ string, done, total int64) {
		if done == 1<<20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrTemporary) {
		t.Fatal(err)
	}
	if _, err := os.Stat(dst); err == nil {
		t.Error("something stands under the real name")
	}
	must(t, quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil))
	if want := []string{"", "bytes=1048576-"}; !slices.Equal(s.ranges, want) {
		t.Errorf("asked for %q, want %q", s.ranges, want)
	}
}

func TestProgress(t *testing.T) {
	s := serve(t, file(content))
	dst := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(dst+".part", content[:1000], 0o666))
	last := int64(1000)
	must(t, quick().Get(t.Context(), s.URL, dst, sumsOf(content), func(file string, done, total int64) {
		if file != "file" || total != int64(len(content)) || done <= last {
			t.Errorf("%s %d/%d after %d", file, done, total, last)
		}
		last = done
	}))
	if last != int64(len(content)) {
		t.Errorf("ended at %d", last)
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        string
	}{
		{500_000, 1_000_000, "web1.mat   50 %  0.5 of 1.0 MB"},
		{1_000_000, 1_000_000, "web1.mat  100 %  1.0 of 1.0 MB"},
		{500_000, 0, "web1.mat  0.5 MB"},
	} {
		if got := progressLine("web1.mat", c.done, c.total); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer f.Close()
	if Terminal(f) != nil {
		t.Error("a file is taken for a terminal")
	}
}

func TestLocked(t *testing.T) {
	s := serve(t, file(content))
	dst := filepath.Join(t.TempDir(), "file")
	release, err := disk.Lock(dst + ".lock")
	must(t, err)
	err = quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil)
	if !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "another process") {
		t.Fatal(err)
	}
	release()
	must(t, quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil))
}

// TestManyAtOnce lets calls and processes compete for one file. Each gets it or is told to try again.
func TestManyAtOnce(t *testing.T) {
	if address := os.Getenv("FETCH_TEST_URL"); address != "" {
		for {
			err := quick().Get(t.Context(), address, os.Getenv("FETCH_TEST_DST"), sumsOf(content), nil)
			if err == nil {
				return
			}
			if !errors.Is(err, ErrTemporary) {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	}
	s := serve(t, cut(file(content), 1<<20))
	dst := filepath.Join(t.TempDir(), "file")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestManyAtOnce$")
			cmd.Env = append(os.Environ(), "FETCH_TEST_URL="+s.URL, "FETCH_TEST_DST="+dst)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		wg.Go(func() {
			err := quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil)
			if err != nil && !errors.Is(err, ErrTemporary) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	must(t, sumsOf(content).Check(dst))
	if left, _ := filepath.Glob(dst + ".*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if want := []string{"", "bytes=1048576-", "bytes=2097152-"}; !slices.Equal(s.ranges, want) {
		t.Errorf("asked for %q, want %q: one of them alone", s.ranges, want)
	}
}
