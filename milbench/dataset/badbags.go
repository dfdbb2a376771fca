package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// badBags are bags that cannot be used: by the kind of what is wrong, "" for an error of its own, and in order.
type badBags struct {
	kinds []string
	ids   map[string][]string
	all   []error
	own   []error // of the kind ""
}

func (b *badBags) add(kind, id string, err error) {
	if !slices.Contains(b.kinds, kind) {
		b.kinds = append(b.kinds, kind)
	}
	if b.ids == nil {
		b.ids = make(map[string][]string)
	}
	b.ids[kind], b.all = append(b.ids[kind], id), append(b.all, err)
	if kind == "" {
		b.own = append(b.own, err)
	}
}

// mostLines is the number of lines of an error about many bags.
const mostLines = 20

// leave leaves bad bags out, if the options say so and others are kept, or returns the error that names all of them.
func (o Options) leave(bad badBags, where string, kept int) error {
	of := kept + len(bad.all)
	if len(bad.all) == 0 {
		if o.Subset {
			o.note("%s: %d of %d bags", where, kept, of)
		}
		return nil
	}
	var lines []string
	for _, kind := range bad.kinds {
		if kind != "" {
			lines = append(lines, kind+": "+few(bad.ids[kind]))
		}
	}
	if o.Subset && kept > 0 {
		if ids := bad.ids[""]; len(ids) > 0 {
			lines = append(lines, "not readable: "+few(ids))
		}
		o.note("%s: %d of %d bags; %s", where, kept, of, strings.Join(lines, "; "))
		return nil
	}
	for _, err := range bad.own {
		lines = append(lines, err.Error())
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more", more))
	}
	what := fmt.Sprintf("%d of %d bags cannot be used; mend them, or leave them out with --subset", len(bad.all), of)
	if kept == 0 {
		what = "no bag can be used"
		if ids, names := bad.ids["without a file"], bad.ids["without a line in the table"]; len(ids) > 0 && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, ids[0]) }) {
			what += ", but names of files begin with ids of the table; if one id has several files, add a column with their names, and name the column of the ids with --bag"
		}
	}
	err := fmt.Errorf("%s: %s:\n  %s", where, what, strings.Join(lines, "\n  "))
	if len(bad.all) == 1 {
		err = bad.all[0]
	}
	if o.Rest != nil && kept > 0 {
		o.Rest(err)
		return nil
	}
	return err
}
