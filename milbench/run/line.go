package run

import (
	"fmt"
	"time"
)

// ProgressLine formats the progress of a run. now is the running time, and last the running time when the latest fit
// ended. The rate is computed up to last, because blocks of fits end together. The time left goes by the work left ([Progress.Share]),
// since some learners take a thousand times as long as others, and by the number of fits if nobody knows the work.
func ProgressLine(p Progress, last, now time.Duration) string {
	line := fmt.Sprintf("%d of %d fits done", p.Skipped+p.Done, p.Total)
	if p.Failed > 0 {
		line += fmt.Sprintf(", %d failed", p.Failed)
	}
	ended := p.Done + p.Failed
	left := p.Total - p.Skipped - ended
	switch {
	case left == 0:
	case ended == 0 || last <= 0:
		line += fmt.Sprintf(", compiling and training for %v", now.Round(time.Second))
	default:
		more := float64(left) / float64(ended)
		if p.Share > 0 {
			more = 1/p.Share - 1
		}
		remaining := time.Duration(more*float64(last)) - (now - last)
		line += fmt.Sprintf(", %s, %s left", rate(ended, last), About(remaining))
	}
	return line + "  " + p.Set
}

// rate formats a number of fits in a duration as fits per second or per minute.
func rate(fits int, d time.Duration) string {
	n, unit := float64(fits)/d.Seconds(), "second"
	if n < 1 {
		n, unit = n*60, "minute"
	}
	if n >= 10 {
		return fmt.Sprintf("%.0f fits per %s", n, unit)
	}
	return fmt.Sprintf("%.2g fits per %s", n, unit)
}

// About formats an estimated duration with no more precision than an estimate has.
func About(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("about %d s", max(1, int(d.Round(time.Second).Seconds())))
	case d < 90*time.Minute:
		return fmt.Sprintf("about %d min", int(d.Round(time.Minute).Minutes()))
	case d < 36*time.Hour:
		return fmt.Sprintf("about %.2g h", d.Hours())
	}
	return fmt.Sprintf("about %.0f days", d.Hours()/24)
}
