// Package backendtest provides tests with the backends to run on, each started once per process.
package backendtest

import (
	"iter"
	"os"
	"reflect"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"synpool/backend"
)

// chosen starts the backend that a program would run on; alone starts the Go backend, for use if chosen is a different one.
var (
	chosen = sync.OnceValues(backend.New)
	alone  = sync.OnceValues(func() (compute.Backend, error) { return gobackend.New("ops_sequential") }) // as package backend does
)

// Chosen returns the backend that a program would run on: the one that GOMLX_BACKEND names, or else the fastest available.
// The tests of a process share it, and it is never finalised. If it cannot be started, the test fails.
func Chosen(tb testing.TB) compute.Backend {
	tb.Helper()
	c, err := chosen()
	if err != nil {
		tb.Fatal(err)
	}
	return c.Backend
}

// All yields the configuration and backend of each backend that a test should pass on: the one that GOMLX_BACKEND names if
// it is set; otherwise the Go backend and then the faster one, if there is one. They are shared like those of [Chosen].
func All(tb testing.TB) iter.Seq2[string, compute.Backend] {
	tb.Helper()
	b := Chosen(tb)
	c, _ := chosen()
	return func(yield func(string, compute.Backend) bool) {
		if c.Config != gobackend.BackendName && os.Getenv(compute.ConfigEnvVar) == "" {
			simple, err := alone()
			if err != nil {
				tb.Fatal(err)
			}
			if !yield(gobackend.BackendName, simple) {
				return
			}
		}
		yield(c.Config, b)
	}
}

// IsGo reports whether a backend is the Go backend, which compiles graphs instantly. Its Name differs from the name in its
// configuration.
func IsGo(b compute.Backend) bool {
	return reflect.TypeOf(b) == reflect.TypeOf(gobackend.GetBackend())
}
