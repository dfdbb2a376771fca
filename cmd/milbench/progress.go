package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"synpool/internal/printable"
	"synpool/milbench/learners/neural"
	"synpool/milbench/run"
)

// progress keeps one line of a terminal up to date; without one it does nothing.
type progress struct {
	terminal *os.File
	large    *watching

	mu    sync.Mutex
	line  func() string
	drawn string
	ended chan struct{} // closed to end the drawing; nil while there is none
}

func (p *program) progress() *progress { return &progress{terminal: p.terminal(), large: &p.large} }

// redrawn is the time between two drawings of a line that changes.
const redrawn = 200 * time.Millisecond

// show draws a line, which may change with time, from now on.
func (b *progress) show(line func() string) {
	if b.terminal == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line = line
	if b.ended == nil {
		b.draw()
		b.ended = make(chan struct{})
		go b.redraw(b.ended)
	}
}

func (b *progress) redraw(ended chan struct{}) {
	tick := time.NewTicker(redrawn)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			b.mu.Lock()
			if b.ended == ended {
				b.draw()
			}
			b.mu.Unlock()
		}
	}
}

// draw draws the line if it has changed, cut to the width of the terminal.
func (b *progress) draw() {
	line := []rune(printable.Text(b.line()))
	if width, _, err := term.GetSize(int(b.terminal.Fd())); err == nil && width > 0 && len(line) >= width {
		line = line[:width-1]
	}
	if string(line) != b.drawn {
		b.drawn = string(line)
		fmt.Fprintf(b.terminal, "\r%s\x1b[K", b.drawn)
	}
}

// clear removes the line.
func (b *progress) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		close(b.ended)
		b.ended, b.drawn = nil, ""
		fmt.Fprint(b.terminal, "\r\x1b[K")
	}
}

// showFits shows how far the fits are of a command that began at start.
func (b *progress) showFits(now run.Progress, start time.Time) {
	last := time.Since(start)
	b.show(func() string { return run.ProgressLine(now, last, time.Since(start)) + b.large.line(time.Now()) })
}

// watching is the progress of fits on large bags, which take minutes or hours.
type watching struct {
	mu      sync.Mutex
	watched neural.Watched
	at      time.Time // of watched
	started float64   // the share that was done when it was first watched
	since   time.Time
}

// share is the part of the training that is done.
func share(w neural.Watched) float64 {
	return (float64(w.Epoch-1) + float64(w.Bag)/float64(w.Bags)) / float64(w.Epochs)
}

// watch notes how far a worker is.
func (l *watching) watch(w neural.Watched) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Now()
	if done := share(w); l.since.IsZero() || done < l.started || w.Epochs != l.watched.Epochs {
		l.started, l.since = done, l.at
	}
	l.watched = w
}

// line returns the end of a line of progress. It is empty if nothing is watched or no large bag was trained on for a while.
func (l *watching) line(now time.Time) string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.watched
	if l.since.IsZero() || now.Sub(l.at) > time.Minute {
		return ""
	}
	line := fmt.Sprintf(", epoch %d of %d, bag %d of %d", w.Epoch, w.Epochs, w.Bag, w.Bags)
	if done := share(w); done > l.started {
		each := l.at.Sub(l.since).Seconds() / (done - l.started)
		line += fmt.Sprintf(", %s left of these fits", run.About(time.Duration(each*(1-done)*float64(time.Second))))
	}
	return line
}
