package main

import (
	"bufio"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"synpool/milbench/learners/neural"
	"synpool/milbench/run"
)

// The line is drawn at once, again when it has changed, and removed in the end.
func TestProgressDraws(t *testing.T) {
	read, terminal, err := os.Pipe()
	must(t, err)
	defer read.Close()
	defer terminal.Close()
	drawn := bufio.NewReader(read)
	expect := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(drawn, got); err != nil || string(got) != want {
			t.Fatalf("drawn %q, want %q (%v)", got, want, err)
		}
	}
	b := &progress{terminal: terminal}
	var line atomic.Value
	line.Store("one")
	for range 100 {
		b.show(func() string { return line.Load().(string) })
	}
	expect("\rone\x1b[K")
	line.Store("two")
	expect("\rtwo\x1b[K")
	b.clear()
	b.clear()
	expect("\r\x1b[K")
	b.showFits(run.Progress{Summary: run.Summary{Total: 9}, Set: "toy"}, time.Now())
	expect("\r0 of 9 fits done, compiling and training for 0s  toy\x1b[K")
	b.clear()

	none := &progress{}
	none.showFits(run.Progress{Summary: run.Summary{Total: 9}, Set: "toy"}, time.Now())
	none.clear()
}

// TestWatching: fits on large bags say how far they are, and how long they still take at the pace since they were first watched.
func TestWatching(t *testing.T) {
	var w watching
	if got := w.line(time.Now()); got != "" {
		t.Errorf("before the first bag: %q", got)
	}
	w.watch(neural.Watched{Fits: 4, Epoch: 5, Epochs: 20, Bag: 10, Bags: 40}) // it goes on from the fifth epoch
	w.since = w.since.Add(-time.Minute)
	w.watch(neural.Watched{Fits: 4, Epoch: 10, Epochs: 20, Bag: 10, Bags: 40}) // a minute for five epochs
	if got, want := w.line(time.Now()), ", epoch 10 of 20, bag 10 of 40, about 2 min left of these fits"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := w.line(time.Now().Add(2 * time.Minute)); got != "" {
		t.Errorf("long after the last bag: %q", got)
	}
}
