// Command milbench runs the multiple-instance learning benchmark: `milbench help` lists what it does.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

func main() {
	debug.SetTraceback("crash") // a crash is a signal then, which schedulers try again, and not exit status 2
	ctx, cancel := withSignals(context.Background())
	code := start(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}
