// Package fittest has helpers shared by the tests of the example programs and their trainings.
package fittest

import (
	"context"
	"io"
	"strings"
	"testing"
)

// RequireRefused checks that try refuses settings with a one-line error after each of the changes in spoils.
func RequireRefused[S any](t testing.TB, settings S, try func(S) error, spoils map[string]func(*S)) {
	t.Helper()
	for what, spoil := range spoils {
		s := settings
		spoil(&s)
		if err := try(s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// RequireArguments checks that a program refuses each of the command lines with the error beside it.
func RequireArguments(t *testing.T, run func(ctx context.Context, arguments []string, out io.Writer) error, refused map[string]string) {
	t.Helper()
	for arguments, want := range refused {
		if err := run(t.Context(), strings.Fields(arguments), io.Discard); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", arguments, err, want)
		}
	}
}

// Must returns v, or panics with the error: for results that a test or an Example goes on with.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
