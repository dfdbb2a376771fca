package results

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"synpool/internal/disk"
)

// index locates lines by key in several files without storing them. It needs 32 bytes of memory per line.
type index struct {
	paths  []string
	found  []entry       // sorted by key; equal lines of one key once
	makers map[maker]int // with the first file from each
	seed   maphash.Seed  // for the sums
}

// entry is the position of a line.
type entry struct {
	key    fitKey
	sum    uint64 // checksum of the line, within this process
	offset int64
	size   int32
	file   int32
}

const (
	chunkSize = 1 << 18 // bytes of a chunk, to which the rest of its last line is added
	mostLine  = 1 << 30 // maximum length of a line in bytes
)

// batchSize is the number of bytes to read again at a time. Tests make it smaller.
var batchSize = 16 << 20

// folders are results folders, including those of their attempts.
type folders []string

// distinct removes folders that are listed twice, even under different names.
func (f folders) distinct() (list folders, err error) {
	var known []os.FileInfo
	for _, dir := range f {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, fmt.Errorf("results folder: %w", err)
		}
		if !slices.ContainsFunc(known, func(k os.FileInfo) bool { return os.SameFile(k, info) }) {
			known, list = append(known, info), append(list, dir)
		}
	}
	return list, nil
}

// files returns the existing files with a name, those of attempts first.
func (f folders) files(name string) (paths []string, err error) {
	for _, dir := range f {
		list, err := attempts(dir)
		if err != nil {
			return nil, err
		}
		for _, d := range append(list, dir) {
			path := filepath.Join(d, name)
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("open results: %w", err)
			}
		}
	}
	return paths, nil
}

// keyed returns the key of a line and what made it.
type keyed func(*scanner, []byte) (fitKey, maker, error)

func indexResults(f folders) (*index, error) {
	return newIndex(f, FileName, "remove it, and its fit is run again", (*scanner).result)
}

func indexSpaces(f folders) (*index, error) {
	return newIndex(f, SpacesName, removeIt, (*scanner).space)
}

// newIndex reads the files with a name on several cores, in chunks. Incomplete last lines are ignored. If a line is
// invalid, the error names it and ends with the remedy.
func newIndex(f folders, name, cure string, key keyed) (_ *index, err error) {
	x := &index{makers: make(map[maker]int), seed: maphash.MakeSeed()}
	if x.paths, err = f.files(name); err != nil {
		return nil, err
	}
	type chunk struct {
		file   int
		offset int64
		text   []byte // complete lines
	}
	workers := min(runtime.GOMAXPROCS(0), 8)
	chunks, free := make(chan chunk), make(chan []byte, 2*workers)
	for range cap(free) {
		free <- nil
	}
	var mu sync.Mutex
	var parts [][]entry
	var failed error // first error, by file and offset
	var at [2]int64
	fail := func(file int, offset int64, err error) {
		if failed == nil || file < int(at[0]) || file == int(at[0]) && offset < at[1] {
			failed, at = err, [2]int64{int64(file), offset}
		}
	}
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			s := newScanner()
			var own [][]entry // one list per chunk; a single growing list would need twice the memory
			makers := make(map[maker]int)
			for c := range chunks {
				offset, found := c.offset, make([]entry, 0, bytes.Count(c.text, []byte("\n")))
				for line := range bytes.Lines(c.text) {
					if len(bytes.TrimSpace(line)) > 0 {
						k, by, err := key(s, line)
						if err != nil {
							mu.Lock()
							fail(c.file, offset, err)
							mu.Unlock()
							break
						}
						if _, known := makers[by]; !known {
							makers[by] = c.file
						}
						found = append(found, entry{k, maphash.Bytes(x.seed, line), offset, int32(len(line)), int32(c.file)})
					}
					offset += int64(len(line))
				}
				free <- c.text[:0]
				own = append(own, found)
			}
			mu.Lock()
			defer mu.Unlock()
			parts = append(parts, own...)
			for by, file := range makers {
				if known, is := x.makers[by]; !is || file < known {
					x.makers[by] = file
				}
			}
		})
	}
	var readErr error
	for i, path := range x.paths {
		in, err := disk.Open(path)
		if err != nil {
			readErr = fmt.Errorf("open results: %w", err)
			break
		}
		readErr = eachChunk(in, free, func(offset int64, text []byte) { chunks <- chunk{i, offset, text} })
		in.Close() // read only
		if readErr != nil {
			readErr = fmt.Errorf("read %s: %w", path, readErr)
			break
		}
	}
	close(chunks)
	done.Wait()
	switch {
	case failed != nil:
		path := x.paths[at[0]]
		return nil, fmt.Errorf("%s: line %d is damaged (%w); %s", path, lineNumber(path, at[1]), failed, cure)
	case readErr != nil:
		return nil, readErr
	}
	x.found = slices.Concat(parts...)
	slices.SortFunc(x.found, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.sum, b.sum), cmp.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset))
	})
	x.found = slices.CompactFunc(x.found, func(a, b entry) bool { return a.key == b.key && a.sum == b.sum })
	return x, nil
}

// eachChunk calls f with chunks of complete lines, using the buffers from free. An incomplete last line is ignored.
func eachChunk(in io.Reader, free <-chan []byte, f func(offset int64, text []byte)) error {
	var rest []byte // the start of a line
	offset := int64(0)
	for {
		text := append((<-free)[:0], rest...)
		for {
			text = slices.Grow(text, chunkSize)
			n, err := io.ReadFull(in, text[len(text):len(text)+chunkSize])
			text = text[:len(text)+n]
			end := bytes.LastIndexByte(text, '\n') + 1
			ended := err == io.EOF || err == io.ErrUnexpectedEOF
			if err != nil && !ended {
				return err
			}
			if end == 0 && !ended {
				if len(text) > mostLine {
					return errors.New("a line without end")
				}
				continue // still the same long line
			}
			rest = append(rest[:0], text[end:]...)
			f(offset, text[:end])
			offset += int64(end)
			if ended {
				return nil
			}
			break
		}
	}
}

// lineNumber returns the number of the line at an offset, from 1.
func lineNumber(path string, offset int64) int {
	in, err := disk.Open(path)
	if err != nil {
		return 0
	}
	defer in.Close()
	text, n := bufio.NewReader(io.LimitReader(in, offset)), 1
	for {
		line, err := text.ReadSlice('\n')
		if len(line) > 0 && line[len(line)-1] == '\n' {
			n++
		}
		if err != nil && err != bufio.ErrBufferFull {
			return n
		}
	}
}

// batch is the lines of several keys.
type batch struct {
	entries []entry
	lines   [][]byte
	buffer  []byte // memory of the lines
	err     error
}

// each calls f with the lines of each key, ordered by key; keep, if not nil, selects the keys. It reads the lines in
// batches, file by file, so only one file is open at a time. It reads the next batch while f works.
func (x *index) each(ctx context.Context, keep func(fitKey) bool, f func(lines [][]byte) error) error {
	ctx, stop := context.WithCancel(ctx)
	read, free := make(chan batch), make(chan []byte, 2)
	free <- nil
	free <- nil
	go func() {
		defer close(read)
		for left := x.found; len(left) > 0; {
			b := batch{buffer: <-free, err: ctx.Err()}
			for size := 0; b.err == nil && len(left) > 0 && size < batchSize; {
				key := left[0].key
				wanted := keep == nil || keep(key)
				for ; len(left) > 0 && left[0].key == key; left = left[1:] {
					if wanted {
						b.entries, size = append(b.entries, left[0]), size+int(left[0].size)
					}
				}
			}
			if b.err == nil {
				b.lines, b.buffer, b.err = x.lines(b.entries, b.buffer)
			}
			read <- b
			if b.err != nil {
				return
			}
		}
	}()
	var err error
	for b := range read { // drain, so that no reader is left
		err = cmp.Or(err, b.err)
		for err == nil && len(b.entries) > 0 {
			n := 1
			for n < len(b.entries) && b.entries[n].key == b.entries[0].key {
				n++
			}
			err = f(b.lines[:n])
			b.entries, b.lines = b.entries[n:], b.lines[n:]
		}
		if err != nil {
			stop()
		}
		free <- b.buffer
	}
	stop()
	return err
}

// lines reads the lines of entries into a buffer and returns both. If a line has changed since it was indexed, that
// is an error.
func (x *index) lines(entries []entry, buffer []byte) (lines [][]byte, _ []byte, err error) {
	order, size := make([]int, len(entries)), 0
	for i, e := range entries {
		order[i], size = i, size+int(e.size)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(entries[a].file, entries[b].file), cmp.Compare(entries[a].offset, entries[b].offset))
	})
	buffer = slices.Grow(buffer[:0], size)[:size]
	lines = make([][]byte, len(entries))
	var in *os.File
	defer func() { in.Close() }() // read only
	for k, rest := 0, buffer; k < len(order); k++ {
		e := entries[order[k]]
		path := x.paths[e.file]
		if k == 0 || e.file != entries[order[k-1]].file {
			in.Close()
			if in, err = disk.Open(path); err != nil {
				return nil, nil, fmt.Errorf("open results: %w", err)
			}
		}
		line := rest[:e.size]
		if _, err := in.ReadAt(line, e.offset); err != nil && err != io.EOF {
			return nil, nil, fmt.Errorf("read %s: %w", path, err)
		}
		if maphash.Bytes(x.seed, line) != e.sum {
			return nil, nil, fmt.Errorf("%s changed while it was merged; merge again", path)
		}
		lines[order[k]], rest = line, rest[e.size:]
	}
	return lines, buffer, nil
}

// has reports whether key has a line.
func (x *index) has(key fitKey) bool {
	_, found := slices.BinarySearchFunc(x.found, key, func(p entry, k fitKey) int { return cmp.Compare(p.key, k) })
	return found
}

// keysIn returns the number of keys that are also in other.
func (x *index) keysIn(other *index) (n int) {
	for i, e := range x.found {
		if (i == 0 || e.key != x.found[i-1].key) && other.has(e.key) {
			n++
		}
	}
	return n
}

// keys returns the number of keys.
func (x *index) keys() (n int) {
	for i, e := range x.found {
		if i == 0 || e.key != x.found[i-1].key {
			n++
		}
	}
	return n
}
