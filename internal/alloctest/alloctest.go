// Package alloctest tests that readers of untrusted files allocate no more memory than their data justifies.
package alloctest

import (
	"runtime"
	"testing"
)

// Bounded runs f and fails the test if it allocates more than 32 MB plus perByte for each byte of data.
func Bounded(t testing.TB, data []byte, perByte uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, 32<<20+perByte*uint64(len(data)); got > limit {
		t.Errorf("%d bytes allocated for %d bytes of data", got, len(data))
	}
}
