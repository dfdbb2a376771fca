package run

import (
	"fmt"
	"time"
)

// ProgressLine formats the progress of a run. now is the running time, and last the running time when the latest fit
// ended. The rate is computed up to last, because blocks of fits end together.
func ProgressLine(sum Summary, set string, last, now time.Duration) string {
	line := fmt.Sprintf("%d of %d fits done", sum.Skipped+sum.Done, sum.Total)
	if sum.Failed > 0 {
		line += fmt.Sprintf(", %d failed", sum.Failed)
	}
	ended := sum.Done + sum.Failed
	left := sum.Total - sum.Skipped - ended
	switch {
	case left == 0:
	case ended == 0 || last <= 0:
		line += fmt.Sprintf(", compiling and training for %v", now.Round(time.Second))
	default:
		each := last.Seconds() / float64(ended)
		remaining := time.Duration(each*float64(left)*float64(time.Second)) - (now - last)
		line += fmt.Sprintf(", %s, %s left", rate(ended, last), About(remaining))
	}
	return line + "  " + set
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
