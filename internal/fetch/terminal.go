package fetch

import (
	"fmt"
	"os"
)

// Terminal returns a Progress that keeps one line of f up to date, or nil if f is not a terminal.
func Terminal(f *os.File) Progress {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	last := ""
	return func(file string, done, total int64) {
		line := progressLine(file, done, total)
		if line == last {
			return
		}
		last = line
		fmt.Fprintf(f, "\r%s\x1b[K", line)
		if total > 0 && done == total {
			fmt.Fprintln(f)
		}
	}
}

func progressLine(file string, done, total int64) string {
	const mega = 1e6
	if total <= 0 {
		return fmt.Sprintf("%s  %.1f MB", file, float64(done)/mega)
	}
	return fmt.Sprintf("%s  %3d %%  %.1f of %.1f MB", file, 100*done/total, float64(done)/mega, float64(total)/mega)
}
