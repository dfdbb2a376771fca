// Package reexec lets a test start its own program again, as a process to kill, to limit or to send signals to. TestMain of
// such a program calls [Kind] to learn its role.
package reexec

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Variable is the environment variable with the kind of process.
const Variable = "SYNPOOL_TEST_PROCESS"

// Kind returns the kind of this process, "" if it must run the tests.
func Kind() string { return os.Getenv(Variable) }

// Command returns a command that runs the test program as a process of the given kind. It ends with the test at the latest.
func Command(t testing.TB, kind string, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, arguments...)
	c.Env = append(os.Environ(), Variable+"="+kind)
	return c
}

// Exit ends the process: with status 1 and a message on standard error if there is an error.
func Exit(err error) {
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
