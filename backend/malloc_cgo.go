//go:build linux && cgo && !noxla

package backend

/*
#include <malloc.h>

static void keepFreed(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 1L << 30);
	mallopt(M_TOP_PAD, 64 << 20); // the size of a thread's heap: else one that is empty goes back
#endif
}
*/
import "C"

import (
	"os"
	"strings"
)

// keepFreed has what XLA frees, which is allocated by the C library, stay with the process: a graph takes the memory of its
// large arrays anew in each call, and having it from the system, page by page, can cost as much as the work. Settings of
// malloc in the environment are left alone.
func keepFreed() {
	if os.Getenv("MALLOC_MMAP_MAX_")+os.Getenv("MALLOC_TRIM_THRESHOLD_") == "" && !strings.Contains(os.Getenv("GLIBC_TUNABLES"), "glibc.malloc") {
		C.keepFreed()
	}
}
