//go:build unix

package dataset

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"synpool/milbench"
)

// mostResident is how many bytes of a mapped file are read before its pages are given back, as they are at its end, so that what
// a process holds does not grow with its sets. They stay in the cache of the system.
const mostResident = 8 << 20

// mappedArray is an array whose file is mapped into memory.
type mappedArray struct {
	*numpyArray
	values   []float32
	bytes    []byte
	resident atomic.Int64 // bytes read since pages were given back
}

var _ milbench.Instances = (*mappedArray)(nil)

// mapped maps the file of an array of float32 values into memory.
func mapped(a *numpyArray) (milbench.Instances, error) {
	f, err := os.Open(a.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays
	n := int(a.rows * a.columns)
	bytes, err := unix.Mmap(int(f.Fd()), 0, int(a.size)+4*n, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return a, nil // read in pieces: not all file systems can
	}
	m := &mappedArray{numpyArray: a, bytes: bytes, values: unsafe.Slice((*float32)(unsafe.Pointer(&bytes[a.size])), n)}
	runtime.AddCleanup(m, func(b []byte) { _ = unix.Munmap(b) }, bytes)
	return m, nil
}

// Read implements [milbench.Instances]. A file that was made shorter since it was opened is an error, not a crash.
func (m *mappedArray) Read(i, j int, dst []float32) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s: %w", m.path, damagedf("became shorter while it was read (%v)", fault))
		}
		runtime.KeepAlive(m)
	}()
	columns := int(m.columns)
	dst = dst[:(j-i)*columns]
	copy(dst, m.values[i*columns:j*columns])
	for k, v := range dst {
		if !milbench.Finite(v) {
			return fmt.Errorf("%s: row %d, column %d (from 0): value %v; replace it by a finite number", m.path, i+k/columns, k%columns, v)
		}
	}
	if m.resident.Add(4*int64(len(dst))) > mostResident || j == int(m.rows) {
		m.resident.Store(0)
		if err := unix.Madvise(m.bytes, unix.MADV_DONTNEED); err != nil {
			return fmt.Errorf("%s: give back its pages: %w", m.path, err)
		}
	}
	return nil
}
