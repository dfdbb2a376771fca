package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// badBag is a bag that cannot be used: the kind of what is wrong, "" for an error of its own, its id and the error.
type badBag struct {
	kind, id string
	err      error
}

// mostLines is the number of lines of an error about many bags.
const mostLines = 20

// leave leaves bad bags out, if the options say so and others are kept, or returns the error that names all of them.
func (o Options) leave(bad []badBag, where string, kept int) error {
	of := kept + len(bad)
	if len(bad) == 0 {
		if o.Subset {
			o.note("%s: %d of %d bags", where, kept, of)
		}
		return nil
	}
	var kinds, own []string
	ids := make(map[string][]string)
	for _, b := range bad {
		if b.kind == "" {
			own = append(own, b.err.Error())
		} else if ids[b.kind] == nil {
			kinds = append(kinds, b.kind)
		}
		ids[b.kind] = append(ids[b.kind], b.id)
	}
	var lines []string
	for _, kind := range kinds {
		lines = append(lines, kind+": "+few(ids[kind]))
	}
	if o.Subset && kept > 0 {
		if len(own) > 0 {
			lines = append(lines, "not readable: "+few(ids[""]))
		}
		o.note("%s: %d of %d bags; %s", where, kept, of, strings.Join(lines, "; "))
		return nil
	}
	lines = append(lines, own...)
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more", more))
	}
	what := fmt.Sprintf("%d of %d bags cannot be used; mend them, or leave them out with --subset", len(bad), of)
	if kept == 0 {
		what = "no bag can be used"
		if missing := ids["without a file"]; len(missing) > 0 && slices.ContainsFunc(ids["without a line in the table"], func(name string) bool { return strings.HasPrefix(name, missing[0]) }) {
			what += ", but names of files begin with ids of the table; if one id has several files, add a column with their names, and name the column of the ids with --bag"
		}
	}
	between := "\n  "
	if len(lines) == 1 {
		between = " "
	}
	err := fmt.Errorf("%s: %s:%s%s", where, what, between, strings.Join(lines, between))
	if len(bad) == 1 {
		err = bad[0].err
	}
	if o.Rest != nil && kept > 0 {
		o.Rest(err)
		return nil
	}
	return err
}
