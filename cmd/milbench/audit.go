package main

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"synpool/milbench"
)

// audit is the subcommand that looks for columns that leak the bag labels.
func (p *program) audit() *cobra.Command {
	var asJSON bool
	var read readFlags
	c := &cobra.Command{
		Use:   "audit NAME|FILE",
		Short: "Describe a set and find columns that leak the bag labels",
		Long: `Counts bags, instances and classes, and finds bags that are there twice. Then it looks for columns
that tell the class of a bag: by a value, by the maximum, minimum or mean, or by a value's presence.
Targets that are numbers or times are not searched for leaks.
Figures computed with such a column mean nothing. The label columns of named sets are known and
never used as features.

A strong column separates the bags as well as a leak does, but looks like a measured quantity. It
is reported and stops nothing.

The exit status is 1 if a column leaks the labels or if one bag is there with two labels.` + filesHelp,
		Example: "  milbench audit bags.csv\n  milbench audit folder\n  milbench audit elephant --json",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			how := read.reading(p)
			report, err := milbench.Audit(args[0], how.Options)
			leaks := errors.As(err, new(*milbench.LeakError))
			if err != nil && !leaks {
				return err
			}
			err = cmp.Or(p.report(asJSON, report), err)
			if leaks {
				return finding{err}
			}
			return err
		},
	}
	inGroup(c.Flags(), fileFlags, func() { read.addTo(c.Flags()) })
	addJSON(c, &asJSON)
	return c
}
