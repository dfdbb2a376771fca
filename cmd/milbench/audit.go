package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

// audit is the subcommand that looks for columns that leak the bag labels.
func (p *program) audit() *cobra.Command {
	var asJSON bool
	var read readFlags
	c := &cobra.Command{
		Use:   "audit NAME|FILE",
		Short: "Describe a set and find columns that leak the bag labels",
		Long: `Counts bags, instances and classes, and finds bags that are there twice. Then it looks for columns
that tell the label of a bag: by a value, by the maximum, minimum or mean, or by a value's presence.
Figures computed with such a column mean nothing. The label columns of named sets are known and
never used as features.

A strong column separates the bags as well as a leak does, but looks like a measured quantity. It
is reported and stops nothing.

The exit status is 1 if a column leaks the labels or if one bag is there with two labels.` + filesHelp,
		Example: "  milbench audit bags.csv\n  milbench audit folder\n  milbench audit elephant --json",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			how, err := read.reading(p, args[0])
			if err != nil {
				return err
			}
			report, err := milbench.Audit(args[0], how)
			leaks := errors.As(err, new(*milbench.LeakError))
			if err != nil && !leaks {
				return err
			}
			err = cmp.Or(p.print(asJSON, report, func(w io.Writer) { writeReport(w, report) }), err)
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

// writeReport writes a report as text.
func writeReport(t io.Writer, r audit.Report) {
	fmt.Fprintf(t, "set\t%s\n", r.Name)
	fmt.Fprintf(t, "bags\t%s\n", bagsText(r))
	fmt.Fprintf(t, "instances\t%d; %d to %d per bag, median %g\n", r.Instances, r.BagSize.Min, r.BagSize.Max, r.BagSize.Median)
	fmt.Fprintf(t, "columns\t%d as stored; %d are constant; %.1f %% of all values are not 0\n", r.Features, r.Constant, 100*r.Density)
	if r.Known > 0 {
		fmt.Fprintf(t, "label column\t%d, known from the catalogue\n", r.Known)
	}
	for _, d := range r.Duplicates {
		conflict := ""
		if d.Conflict {
			conflict = ", with different labels"
		}
		fmt.Fprintf(t, "the same bag\t%s%s\n", strings.Join(d.Bags, ", "), conflict)
	}
	if r.Shared > 0 {
		fmt.Fprintf(t, "shared instances\t%d are in several bags\n", r.Shared)
	}
	for _, l := range r.Leaks {
		fmt.Fprintf(t, "LEAK\t%v\n", l)
	}
	for _, l := range r.Strong {
		fmt.Fprintf(t, "strong\t%s\n", l.Strength())
	}
	switch {
	case r.Kind == mil.RealTarget || r.Kind == mil.SurvivalTarget:
		fmt.Fprintf(t, "verdict\tnone: only classes are searched for leaks, and the target is of kind %v\n", r.Kind)
	case r.Blind:
		fmt.Fprintf(t, "verdict\ttoo few bags to tell a leak from chance\n")
	case r.OK() && len(r.Strong) > 0:
		fmt.Fprintf(t, "verdict\tno column leaks the bag labels; check whether the strong ones are measured or made from the labels\n")
	case r.OK():
		fmt.Fprintf(t, "verdict\tno column leaks the bag labels\n")
	default:
		fmt.Fprintf(t, "verdict\ta figure computed with such a column among the features means nothing\n")
	}
}

// bagsText says how many bags of each class there are.
func bagsText(r audit.Report) string {
	switch {
	case r.Classes != nil:
		var parts []string
		for _, c := range r.Classes {
			parts = append(parts, fmt.Sprintf("%d %s", c.Bags, c.Name))
		}
		text := fmt.Sprintf("%d, of them %s", r.Bags, strings.Join(parts, ", "))
		if r.Kind == mil.BinaryTarget {
			text += "; positive is " + r.Classes[1].Name
		}
		return text
	case r.Kind != mil.BinaryTarget:
		return fmt.Sprintf("%d; their target is of kind %v", r.Bags, r.Kind)
	}
	return fmt.Sprintf("%d, of them %d positive and %d negative", r.Bags, r.Positive, r.Bags-r.Positive)
}
