// Download lists the text sets of package corpus, or fetches the sets that you name:
//
//	go run synpool/course/corpus/download                  # list
//	go run synpool/course/corpus/download tweets reviews   # fetch into $CORPUS_DATA, see corpus.Dir
//	go run synpool/course/corpus/download all
//
// A file gets its name only after its checksum was verified. An interrupted download resumes when you run the command again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"

	"synpool/course/corpus"
	"synpool/internal/fetch"
)

const usage = `Usage: go run synpool/course/corpus/download [SET...]

Without a SET it lists the text sets; otherwise it fetches those that are named, or all, into the folder that
CORPUS_DATA names, else that of MILBENCH_DATA, else milbench in the user's cache.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run lists the sets, or fetches the named ones.
func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("download", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(arguments); {
	case errors.Is(err, flag.ErrHelp):
		_, err := fmt.Fprint(out, usage)
		return err
	case err != nil:
		return fmt.Errorf("%w; -h shows what there is", err)
	case flags.NArg() == 0:
		return list(out)
	}
	var entries []corpus.Entry
	for _, name := range flags.Args() {
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
	return fetchAll(ctx, entries, out)
}

// fetchAll fetches every set that is available and says where its files are.
func fetchAll(ctx context.Context, entries []corpus.Entry, out io.Writer) error {
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
