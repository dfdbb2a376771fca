// Download lists the text sets of package corpus, or fetches those that are named:
//
//	go run synpool/corpus/download                  # list
//	go run synpool/corpus/download tweets reviews   # fetch into $CORPUS_DATA, see corpus.Dir
//	go run synpool/corpus/download all
//
// A file gets its name only after its checksum was found right; an interrupted download goes on where it was.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"

	"synpool/corpus"
	"synpool/internal/fetch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run lists the sets, or fetches those that are named.
func run(ctx context.Context, names []string, out io.Writer) error {
	if len(names) == 0 {
		return list(out)
	}
	var entries []corpus.Entry
	for _, name := range names {
		if name == "all" {
			entries = append(entries, corpus.Catalog()...)
			continue
		}
		e, err := corpus.Find(name)
		if err != nil {
			return fmt.Errorf("%w, and all", err)
		}
		entries = append(entries, e)
	}
	var errs []error
	for _, e := range entries {
		if err := e.Fetch(ctx, fetch.Terminal(os.Stderr)); err != nil {
			errs = append(errs, err)
			continue
		}
		paths, err := e.Paths()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", e.Name, strings.Join(paths, ", "))
	}
	return errors.Join(errs...)
}

func list(out io.Writer) error {
	dir, err := corpus.Dir()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tTITLE\tTEXTS\tLICENCE\tSTATE")
	for _, e := range corpus.Catalog() {
		state, _ := e.Verify() // loading says why
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", e.Name, e.Title, e.Texts, e.Licence, state)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nin %s\n", dir)
	return err
}
