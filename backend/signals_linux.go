package backend

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutSignals calls f on a thread to which no signal is delivered but those of its own faults, and so on threads that stay
// like that: they inherit it.
//
// XLA's threads must not be interrupted: the matrix products of oneDNN, up to 3.11, hold the stack pointer in the heap, where
// a signal's frame then overwrites what lies below (uxlfoundation/oneDNN#4845). A profile, which interrupts every thread,
// ended a process within seconds.
func withoutSignals(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const bits = 8 * uint(unsafe.Sizeof(unix.Sigset_t{}.Val[0]))
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	for _, fault := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGTRAP, unix.SIGSYS} {
		word, bit := uint(fault-1)/bits, uint(fault-1)%bits
		all.Val[word] &^= 1 << bit
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return err
	}
	err := f()
	if failed := unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil); err == nil {
		err = failed
	}
	return err
}
