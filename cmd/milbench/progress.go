package main

import (
	"fmt"
	"os"
	"time"
)

// progress keeps one line of a terminal up to date; without one it does nothing.
type progress struct {
	terminal *os.File
	drawn    time.Time
}

func (p *program) progress() *progress { return &progress{terminal: p.terminal()} }

// show draws the line, at most ten times a second.
func (b *progress) show(format string, args ...any) {
	if b.terminal == nil || time.Since(b.drawn) < 100*time.Millisecond {
		return
	}
	b.drawn = time.Now()
	fmt.Fprintf(b.terminal, "\r"+format+"\x1b[K", args...)
}

// clear removes the line.
func (b *progress) clear() {
	if b.terminal != nil && !b.drawn.IsZero() {
		fmt.Fprint(b.terminal, "\r\x1b[K")
	}
}
