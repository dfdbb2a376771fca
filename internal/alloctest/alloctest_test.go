package alloctest

import (
	"fmt"
	"testing"
)

// recorder is a test that records its messages.
type recorder struct {
	testing.TB
	says string
}

func (r *recorder) Errorf(format string, args ...any) { r.says += fmt.Sprintf(format, args...) }

var kept []byte // keeps what a test allocates from being optimised away

func TestBounded(t *testing.T) {
	for megabytes, want := range map[int]bool{1: true, 33: true, 36: false} {
		r := &recorder{TB: t}
		Bounded(r, make([]byte, 1<<10), 2<<10, func() { kept = make([]byte, megabytes<<20) })
		if (r.says == "") != want {
			t.Errorf("%d MB where 34 may be: %q", megabytes, r.says)
		}
	}
}
