package run

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		sum       Summary
		share     float64
		last, now time.Duration
		want      string
	}{
		// Before this command has finished a fit there is no rate, whatever an earlier command did.
		{Summary{Total: 150}, 0, 0, 0, "0 of 150 fits done, compiling and training for 0s  musk1"},
		{Summary{Total: 150}, 0, 0, 12400 * time.Millisecond, "0 of 150 fits done, compiling and training for 12s  musk1"},
		{Summary{Total: 150, Skipped: 40}, 0, 0, 75 * time.Second, "40 of 150 fits done, compiling and training for 1m15s  musk1"},
		// The rate covers only the fits of this command.
		{Summary{Total: 150, Done: 50}, 0, 10 * time.Second, 10 * time.Second, "50 of 150 fits done, 5 fits per second, about 20 s left  musk1"},
		{Summary{Total: 250, Skipped: 100, Done: 50}, 0, 10 * time.Second, 10 * time.Second, "150 of 250 fits done, 5 fits per second, about 20 s left  musk1"},
		// Until the next fits end, the remaining time decreases and the rate stays the same.
		{Summary{Total: 150, Done: 50}, 0, 10 * time.Second, 18 * time.Second, "50 of 150 fits done, 5 fits per second, about 12 s left  musk1"},
		{Summary{Total: 150, Done: 50}, 0, 10 * time.Second, 40 * time.Second, "50 of 150 fits done, 5 fits per second, about 1 s left  musk1"},
		{Summary{Total: 150, Done: 10}, 0, time.Minute, time.Minute, "10 of 150 fits done, 10 fits per minute, about 14 min left  musk1"},
		{Summary{Total: 15000, Done: 10}, 0, time.Hour, time.Hour, "10 of 15000 fits done, 0.17 fits per minute, about 62 days left  musk1"},
		// The time left goes by the work, where it is known: half of the fits, a tenth of the work.
		{Summary{Total: 150, Done: 75}, 0.1, 10 * time.Second, 12 * time.Second, "75 of 150 fits done, 7.5 fits per second, about 88 s left  musk1"},
		// Failed fits have ended but are not done.
		{Summary{Total: 150, Done: 48, Failed: 2}, 0, 10 * time.Second, 10 * time.Second, "48 of 150 fits done, 2 failed, 5 fits per second, about 20 s left  musk1"},
		{Summary{Total: 150, Failed: 2}, 0, time.Second, time.Second, "0 of 150 fits done, 2 failed, 2 fits per second, about 74 s left  musk1"},
		{Summary{Total: 150, Done: 150}, 0, 30 * time.Second, 30 * time.Second, "150 of 150 fits done  musk1"},
		{Summary{Total: 150, Skipped: 100, Done: 49, Failed: 1}, 0, 30 * time.Second, 30 * time.Second, "149 of 150 fits done, 1 failed  musk1"},
		{Summary{Total: 2, Done: 1}, 0, 0, 0, "1 of 2 fits done, compiling and training for 0s  musk1"},
	} {
		if got := ProgressLine(Progress{Summary: c.sum, Share: c.share, Set: "musk1"}, c.last, c.now); got != c.want {
			t.Errorf("%+v after %v and %v:\n%q, want\n%q", c.sum, c.last, c.now, got, c.want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Minute: "about 1 s", 0: "about 1 s", 1400 * time.Millisecond: "about 1 s", 89 * time.Second: "about 89 s", 90 * time.Second: "about 2 min",
		89 * time.Minute: "about 89 min", 90 * time.Minute: "about 1.5 h", 26*time.Hour + time.Minute: "about 26 h", 36 * time.Hour: "about 2 days", 1000 * time.Hour: "about 42 days",
	} {
		if got := About(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
