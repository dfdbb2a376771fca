//go:build linux && cgo && !noxla

package backend

/*
#include <malloc.h>

// keepFreed has malloc keep what is freed for later, or, as it does when a process starts, give large blocks back to the
// system at once. The threshold that it otherwise adjusts as it goes stays at that.
static void keepFreed(int keep) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, keep ? 0 : 65536);
	mallopt(M_TRIM_THRESHOLD, keep ? 1L << 30 : 128 << 10);
	mallopt(M_TOP_PAD, keep ? 64 << 20 : 128 << 10); // the size of a thread's heap: else one that is empty goes back
	if (!keep) malloc_trim(0);
#endif
}
*/
import "C"

import (
	"os"
	"strings"
	"sync"
)

var (
	keeping sync.Mutex
	keepers int // that want freed memory kept
)

// keepFreed has what XLA frees, which is allocated by the C library, stay with the process until release: a graph takes the
// memory of its large arrays anew in each call, and having it from the system, page by page, can cost as much as the work.
// Settings of malloc in the environment are left alone.
func keepFreed() (release func()) {
	if os.Getenv("MALLOC_MMAP_MAX_")+os.Getenv("MALLOC_TRIM_THRESHOLD_") != "" || strings.Contains(os.Getenv("GLIBC_TUNABLES"), "glibc.malloc") {
		return func() {}
	}
	change := func(by int) {
		keeping.Lock()
		defer keeping.Unlock()
		before := keepers
		keepers += by
		if before == 0 || keepers == 0 {
			C.keepFreed(C.int(keepers))
		}
	}
	change(1)
	return func() { change(-1) }
}
