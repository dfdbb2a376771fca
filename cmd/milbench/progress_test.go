package main

import (
	"bufio"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"synpool/milbench/learner/neural"
	"synpool/milbench/run"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		sum       run.Summary
		last, now time.Duration
		want      string
	}{
		// Before this command has ended a fit there is no rate, whatever another one had done.
		{run.Summary{Total: 150}, 0, 0, "0 of 150 fits done, compiling and training for 0s  musk1"},
		{run.Summary{Total: 150}, 0, 12400 * time.Millisecond, "0 of 150 fits done, compiling and training for 12s  musk1"},
		{run.Summary{Total: 150, Skipped: 40}, 0, 75 * time.Second, "40 of 150 fits done, compiling and training for 1m15s  musk1"},
		// The rate is that of the fits of this command alone.
		{run.Summary{Total: 150, Done: 50}, 10 * time.Second, 10 * time.Second, "50 of 150 fits done, 5 fits a second, about 20 s left  musk1"},
		{run.Summary{Total: 250, Skipped: 100, Done: 50}, 10 * time.Second, 10 * time.Second, "150 of 250 fits done, 5 fits a second, about 20 s left  musk1"},
		// Until the next fits end the time left runs down, and the rate stays.
		{run.Summary{Total: 150, Done: 50}, 10 * time.Second, 18 * time.Second, "50 of 150 fits done, 5 fits a second, about 12 s left  musk1"},
		{run.Summary{Total: 150, Done: 50}, 10 * time.Second, 40 * time.Second, "50 of 150 fits done, 5 fits a second, about 1 s left  musk1"},
		{run.Summary{Total: 150, Done: 10}, time.Minute, time.Minute, "10 of 150 fits done, 10 fits a minute, about 14 min left  musk1"},
		{run.Summary{Total: 15000, Done: 10}, time.Hour, time.Hour, "10 of 15000 fits done, 0.17 fits a minute, about 62 days left  musk1"},
		// Failed fits have ended too; they are not done.
		{run.Summary{Total: 150, Done: 48, Failed: 2}, 10 * time.Second, 10 * time.Second, "48 of 150 fits done, 2 failed, 5 fits a second, about 20 s left  musk1"},
		{run.Summary{Total: 150, Failed: 2}, time.Second, time.Second, "0 of 150 fits done, 2 failed, 2 fits a second, about 74 s left  musk1"},
		{run.Summary{Total: 150, Done: 150}, 30 * time.Second, 30 * time.Second, "150 of 150 fits done  musk1"},
		{run.Summary{Total: 150, Skipped: 100, Done: 49, Failed: 1}, 30 * time.Second, 30 * time.Second, "149 of 150 fits done, 1 failed  musk1"},
		{run.Summary{Total: 2, Done: 1}, 0, 0, "1 of 2 fits done, compiling and training for 0s  musk1"},
	} {
		if got := progressLine(c.sum, "musk1", c.last, c.now); got != c.want {
			t.Errorf("%+v after %v and %v:\n%q, want\n%q", c.sum, c.last, c.now, got, c.want)
		}
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		fits int
		in   time.Duration
		want string
	}{
		{1234, 10 * time.Second, "123 fits a second"}, {41, 10 * time.Second, "4.1 fits a second"}, {10, 10 * time.Second, "1 fits a second"},
		{9, 10 * time.Second, "54 fits a minute"}, {1, 40 * time.Second, "1.5 fits a minute"}, {1, time.Hour, "0.017 fits a minute"},
	} {
		if got := rate(c.fits, c.in); got != c.want {
			t.Errorf("%d in %v: %q, want %q", c.fits, c.in, got, c.want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Minute: "about 1 s", 0: "about 1 s", 1400 * time.Millisecond: "about 1 s", 89 * time.Second: "about 89 s", 90 * time.Second: "about 2 min",
		89 * time.Minute: "about 89 min", 90 * time.Minute: "about 1.5 h", 26*time.Hour + time.Minute: "about 26 h", 36 * time.Hour: "about 2 days", 1000 * time.Hour: "about 42 days",
	} {
		if got := about(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// The line is drawn at once, anew without being asked when it has changed, and removed in the end.
func TestProgressDraws(t *testing.T) {
	read, terminal, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
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
	b.showFits(run.Summary{Total: 9}, "toy", time.Now())
	expect("\r0 of 9 fits done, compiling and training for 0s  toy\x1b[K")
	b.clear()

	none := &progress{}
	none.showFits(run.Summary{Total: 9}, "toy", time.Now())
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
