//go:build unix

package dataset

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"synpool/internal/disk"
	"synpool/milbench/mil"
)

// Tests make these smaller.
var (
	// maxResident is how many bytes of mapped files may be read before their pages are released. This keeps the
	// memory of a process from growing with its sets. The pages stay in the system's cache.
	maxResident = 8 << 20
	// maxMapped is the maximum number of mapped files. The system allows a process about 65,000 mappings, and Go's
	// heap needs some of them. Further files are read in pieces.
	maxMapped int64 = 4096
)

// mappings is the current number of mapped files.
var mappings atomic.Int64

// resident lists the mapped arrays that have been read from, and the number of bytes read.
var resident struct {
	sync.Mutex
	bytes int
	read  map[*mappedArray]bool
}

// mappedArray is an array whose file is mapped into memory.
type mappedArray struct {
	*numpyArray
	values []float32
	bytes  []byte
}

var _ mil.Instances = (*mappedArray)(nil)

// mapped maps the file of an array of float32 values into memory.
func mapped(a *numpyArray) (mil.Instances, error) {
	if mappings.Add(1) > maxMapped {
		mappings.Add(-1)
		return a, nil
	}
	f, err := disk.Open(a.path)
	if err != nil {
		mappings.Add(-1)
		return nil, err
	}
	defer f.Close() // the mapping stays valid
	n := int(a.rows * a.columns)
	bytes, err := unix.Mmap(int(f.Fd()), 0, int(a.size)+4*n, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		mappings.Add(-1)
		return a, nil // read in pieces: not all file systems support mapping
	}
	m := &mappedArray{numpyArray: a, bytes: bytes, values: unsafe.Slice((*float32)(unsafe.Pointer(&bytes[a.size])), n)}
	runtime.AddCleanup(m, func(b []byte) {
		_ = unix.Munmap(b)
		mappings.Add(-1)
	}, bytes)
	return m, nil
}

// Read implements [mil.Instances]. It returns an error, and does not crash, if the file has become shorter since
// it was opened.
func (m *mappedArray) Read(i, j int, dst []float32) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // access to a page beyond the end
			err = m.shorter()
		default:
			panic(fault)
		}
		runtime.KeepAlive(m)
	}()
	if info, err := os.Stat(m.path); err == nil && info.Size() < int64(len(m.bytes)) { // its last page would read as zeros
		return m.shorter()
	}
	columns := int(m.columns)
	dst = dst[:(j-i)*columns]
	copy(dst, m.values[i*columns:j*columns])
	for k, v := range dst {
		if !mil.Finite(v) {
			return fmt.Errorf("%s: row %d, column %d (from 0): value %v; replace it by a finite number", m.path, i+k/columns, k%columns, v)
		}
	}
	return m.giveBack(4 * len(dst))
}

// shorter is the error for a file that was truncated after it was opened.
func (m *mappedArray) shorter() error {
	return fmt.Errorf("%s: %w", m.path, damagedf("became shorter while it was read"))
}

// giveBack counts bytes that have been read. When the total over all arrays is too large, it releases their pages.
func (m *mappedArray) giveBack(bytes int) error {
	resident.Lock()
	defer resident.Unlock()
	if resident.read == nil {
		resident.read = map[*mappedArray]bool{}
	}
	resident.read[m] = true
	if resident.bytes += bytes; resident.bytes <= maxResident {
		return nil
	}
	for array := range resident.read {
		if err := unix.Madvise(array.bytes, unix.MADV_DONTNEED); err != nil {
			return fmt.Errorf("%s: release its pages: %w", array.path, err)
		}
	}
	clear(resident.read)
	resident.bytes = 0
	return nil
}
