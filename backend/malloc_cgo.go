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

// keepFreed makes the process keep the memory that XLA frees, which the C library allocates. A graph allocates its large
// arrays again in each call, and getting them from the system, page by page, can cost as much as the computation. Settings
// of malloc in the environment are respected.
func keepFreed() {
	if os.Getenv("MALLOC_MMAP_MAX_")+os.Getenv("MALLOC_TRIM_THRESHOLD_") == "" && !strings.Contains(os.Getenv("GLIBC_TUNABLES"), "glibc.malloc") {
		C.keepFreed()
	}
}
