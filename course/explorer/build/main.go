// Command build writes the explorer page, a single self-contained file. Run it in the root of this module:
//
//	go run ./course/explorer/build
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"synpool/course/explorer/page"
	"synpool/internal/disk"
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
	if err := disk.WriteFile(out, html); err != nil {
		return fmt.Errorf("-o %s: %w; name a file in a folder that is there", out, err)
	}
	fmt.Printf("%s: %d kB\n", out, len(html)/1000)
	return nil
}
