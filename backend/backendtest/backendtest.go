// Package backendtest gives tests the backends to run on, each started once per process.
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

// chosen is the backend that a program would run on, and alone the Go backend where that is another.
var (
	chosen = sync.OnceValues(backend.New)
	alone  = sync.OnceValues(func() (compute.Backend, error) { return gobackend.New("ops_sequential") }) // as package backend does
)

// Chosen returns the backend that a program would run on: the one that GOMLX_BACKEND asks for, else the fastest there
// is. It is shared by the tests of a process and never finalised. A backend that cannot be started fails the test.
func Chosen(tb testing.TB) compute.Backend {
	tb.Helper()
	c, err := chosen()
	if err != nil {
		tb.Fatal(err)
	}
	return c.Backend
}

// All yields the configuration and the backend that a test should pass on: the one that GOMLX_BACKEND asks for if it is
// set, else the Go backend and then the faster one if there is one. They are shared as those of [Chosen].
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

// IsGo says whether a backend is the Go backend, which compiles a graph at once. Its Name is not that of its configuration.
func IsGo(b compute.Backend) bool {
	return reflect.TypeOf(b) == reflect.TypeOf(gobackend.GetBackend())
}
