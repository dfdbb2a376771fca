package main

import (
	"bufio"
	"syscall"
	"testing"
)

// TestCrash: the Go runtime, when it gives up, ends the process by a signal and not with exit code 2, which says of the input that
// it is wrong. SIGQUIT makes it give up.
func TestCrash(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	c := process(t, with("run", file, "--pooling", "mean", "--epochs", "1000000", "--out", newFolder(t))...)
	stderr, err := c.StderrPipe()
	must(t, err)
	must(t, c.Start())
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	must(t, c.Process.Signal(syscall.SIGQUIT))
	for lines.Scan() {
	}
	c.Wait() // the state tells
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGABRT {
		t.Errorf("%v, want a process that SIGABRT ended", c.ProcessState)
	}
}
