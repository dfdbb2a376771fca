// Command milbench runs the multiple-instance learning benchmark: `milbench help` lists what it does.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, cancel := withSignals(context.Background())
	code := start(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}
