package cell

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"synpool/internal/notebook"
	"synpool/milbench/learners"
	"synpool/milbench/run"
)

// bar shows progress in one line under the cell, which is replaced by a line of text at the end. Outside a notebook it shows
// only that final line.
type bar struct {
	id    string
	start time.Time

	mu    sync.Mutex
	drawn time.Time
	last  string
	done  int

	losses []float64 // losses of a single training, by epoch
}

func newBar() *bar { return &bar{id: "bar_" + gonbui.UniqueId(), start: time.Now()} }

// redrawn is the minimum time between updates of the line.
const redrawn = 250 * time.Millisecond

// fits shows the progress of the fits of a run.
func (b *bar) fits(p run.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Since(b.start)
	b.done = p.Done
	b.draw(float64(p.Skipped+p.Done)/float64(max(1, p.Total)), run.ProgressLine(p, now, now))
}

// training shows the progress of one training.
func (b *bar) training(p learners.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := fmt.Sprintf("%d of %d fits done", p.Done, p.Total)
	if p.Epoch == 0 {
		b.losses = nil // the learner has no epochs
	}
	if p.Epoch > 0 {
		text = fmt.Sprintf("epoch %d, loss %.4f", p.Epoch, p.Loss)
		if p.Epoch == 1 {
			b.losses = nil // the next fit has started
		}
		b.losses = append(b.losses, p.Loss)
	}
	b.draw(float64(p.Done)/float64(max(1, p.Total)), text)
}

// folds shows the progress of fits with held-out bags.
func (b *bar) folds(done, of int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = done
	b.draw(float64(done)/float64(of), fmt.Sprintf("calibration: %d of %d folds", done, of))
}

// draw updates the line, unless the last update was too recent.
func (b *bar) draw(share float64, text string) {
	b.last = text
	if !notebook.Running() || time.Since(b.drawn) < redrawn {
		return
	}
	b.drawn = time.Now()
	gonbui.UpdateHTML(b.id, fmt.Sprintf(`<progress max="1" value="%.3f"></progress> <span style="font-size:smaller">%s</span>%s`, share, html.EscapeString(text), curve(b.losses)))
}

// curve draws the loss by epoch, on a scale from 0 to the largest, as a small drawing beside the line; "" for less than two
// epochs.
func curve(losses []float64) string {
	const width, height = 160.0, 32.0
	if len(losses) < 2 {
		return ""
	}
	most := slices.Max(losses)
	if !(most > 0) || math.IsInf(most, 1) {
		return ""
	}
	var points strings.Builder
	for i, v := range losses {
		fmt.Fprintf(&points, "%.1f,%.1f ", width*float64(i)/float64(len(losses)-1), height-1-(height-2)*max(0, v)/most)
	}
	return fmt.Sprintf(` <svg width="%g" height="%g" style="vertical-align:middle" role="img" aria-label="loss by epoch"><polyline fill="none" stroke="currentColor" points="%s"/></svg>`,
		width, height, strings.TrimSpace(points.String()))
}

// end removes the line and, if the work is done, prints how long it took.
func (b *bar) end(done bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if notebook.Running() && !b.drawn.IsZero() {
		gonbui.UpdateHTML(b.id, "")
	}
	if !done {
		return
	}
	took := time.Since(b.start).Round(100 * time.Millisecond)
	if b.done > 0 {
		fmt.Printf("%d fits trained in %v\n", b.done, took)
		return
	}
	if b.last != "" {
		fmt.Printf("trained in %v\n", took)
	}
}
