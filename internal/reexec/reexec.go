// Package reexec lets a test start its own program once more, as a process to kill, to limit or to send signals to. TestMain of
// such a program asks [Kind] what it is.
package reexec

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Variable tells the program what kind of process it is.
const Variable = "SYNPOOL_TEST_PROCESS"

// Kind returns the kind that the process was started as, "" where it is to run the tests.
func Kind() string { return os.Getenv(Variable) }

// Command returns the program of the test as a process of a kind. It ends with the test at the latest.
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

// Exit ends the process, with 1 and an error on standard error if there is one.
func Exit(err error) {
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
