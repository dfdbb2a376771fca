package backend

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutSignals calls f with signals blocked on its thread, except those of the thread's own faults and of the C library;
// threads that f starts inherit that.
//
// XLA's threads must not be interrupted: on x86-64 the matrix products of oneDNN before 3.11.2 point the stack pointer into
// the heap, where the frame of a signal overwrites the data below (uxlfoundation/oneDNN#4845). XLA's threads are made with a
// client; Go's threads have a separate stack for signals.
func withoutSignals(f func() error) (err error) {
	blocked, before := blockable(), unix.Sigset_t{}
	runtime.LockOSThread()
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &blocked, &before); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer func() {
		// A thread that still blocks signals must not run other goroutines. Left locked, it ends with this one.
		if failed := unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil); failed == nil {
			runtime.UnlockOSThread()
		} else if err == nil {
			err = failed
		}
	}()
	return f()
}

// blockable returns the signals that a C thread may block.
func blockable() (set unix.Sigset_t) {
	for i := range set.Val {
		set.Val[i] = ^set.Val[i]
	}
	const bits = 8 * uint(unsafe.Sizeof(set.Val[0]))
	for _, s := range []unix.Signal{
		unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGTRAP, unix.SIGSYS,
		32, 33, 34, // glibc and musl cancel threads and change user IDs by them
	} {
		set.Val[uint(s-1)/bits] &^= 1 << (uint(s-1) % bits)
	}
	return set
}
