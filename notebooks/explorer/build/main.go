// Command build writes the explorer page, a single self-contained file. Run it in the root of this module:
//
//	go run ./notebooks/explorer/build
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

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
	if err := write(out, html); err != nil {
		return fmt.Errorf("-o %s: %w; name a file in a folder that is there", out, err)
	}
	fmt.Printf("%s: %d kB\n", out, len(html)/1000)
	return nil
}

// write writes a file completely or not at all.
func write(path string, content []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) // unless it is renamed
	_, err = part.Write(content)
	if err := errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}
