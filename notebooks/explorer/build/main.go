// Command build writes the explorer page, one file that needs nothing else, from a folder of this module:
//
//	go run ./notebooks/explorer/build
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"synpool/notebooks/explorer/page"
)

func main() {
	out := flag.String("o", "docs/explorer.html", "file to write")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *out, flag.Args())
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, arguments []string) error {
	if len(arguments) > 0 {
		return fmt.Errorf("unknown argument %q; see -help", arguments[0])
	}
	html, err := page.Build(ctx)
	if err != nil {
		return err
	}
	part := out + ".part"
	defer os.Remove(part)
	if err := os.WriteFile(part, html, 0o644); err != nil {
		return err
	}
	if err := os.Rename(part, out); err != nil {
		return err
	}
	fmt.Printf("%s: %d kB\n", out, len(html)/1000)
	return nil
}
