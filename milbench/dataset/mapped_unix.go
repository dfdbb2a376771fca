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

	"synpool/milbench"
)

// Tests make these smaller.
var (
	// maxResident is how many bytes of mapped files are read before their pages are given back, so that what a process holds does
	// not grow with its sets. They stay in the cache of the system.
	maxResident = 32 << 20
	// maxMapped is the number of files that are mapped at a time: the system allows some 65,000 mappings to a process, and Go's
	// heap needs some of them. Further files are read in pieces.
	maxMapped int64 = 4096
)

// mappings counts the files that are mapped.
var mappings atomic.Int64

// resident are the mapped arrays of which pages have been read, and how many bytes.
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

var _ milbench.Instances = (*mappedArray)(nil)

// mapped maps the file of an array of float32 values into memory.
func mapped(a *numpyArray) (milbench.Instances, error) {
	if mappings.Add(1) > maxMapped {
		mappings.Add(-1)
		return a, nil
	}
	f, err := os.Open(a.path)
	if err != nil {
		mappings.Add(-1)
		return nil, err
	}
	defer f.Close() // the mapping stays
	n := int(a.rows * a.columns)
	bytes, err := unix.Mmap(int(f.Fd()), 0, int(a.size)+4*n, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		mappings.Add(-1)
		return a, nil // read in pieces: not all file systems can
	}
	m := &mappedArray{numpyArray: a, bytes: bytes, values: unsafe.Slice((*float32)(unsafe.Pointer(&bytes[a.size])), n)}
	runtime.AddCleanup(m, func(b []byte) {
		_ = unix.Munmap(b)
		mappings.Add(-1)
	}, bytes)
	return m, nil
}

// Read implements [milbench.Instances]. A file that was made shorter since it was opened is an error, not a crash.
func (m *mappedArray) Read(i, j int, dst []float32) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // of a page that is beyond the end
			err = m.shorter()
		default:
			panic(fault)
		}
		runtime.KeepAlive(m)
	}()
	if info, err := os.Stat(m.path); err == nil && info.Size() < int64(len(m.bytes)) { // its last page would be read as zeros
		return m.shorter()
	}
	columns := int(m.columns)
	dst = dst[:(j-i)*columns]
	copy(dst, m.values[i*columns:j*columns])
	for k, v := range dst {
		if !milbench.Finite(v) {
			return fmt.Errorf("%s: row %d, column %d (from 0): value %v; replace it by a finite number", m.path, i+k/columns, k%columns, v)
		}
	}
	return m.giveBack(4 * len(dst))
}

// shorter is the error about a file that was cut since it was opened.
func (m *mappedArray) shorter() error {
	return fmt.Errorf("%s: %w", m.path, damagedf("became shorter while it was read"))
}

// giveBack notes that so many bytes have been read and, where those of all arrays are too many, gives their pages back.
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
			return fmt.Errorf("%s: give back its pages: %w", array.path, err)
		}
	}
	clear(resident.read)
	resident.bytes = 0
	return nil
}
