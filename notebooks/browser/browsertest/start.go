// Package browsertest starts the browser for tests of pages.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// names are those of Chromium's program, Debian's first.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Start starts headless Chromium and returns the context of a tab in a window of the given size. The browser ends with the
// test. Without Chromium the test is skipped.
func Start(t testing.TB, width, height int) context.Context {
	t.Helper()
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium: install it (Debian: apt-get install chromium)")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.WindowSize(width, height))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root cannot have
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatalf("starting %s: %v", path, err)
	}
	return ctx
}
