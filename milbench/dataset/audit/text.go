package audit

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"synpool/milbench/mil"
)

// Write writes the report as text: one line for each thing that was counted or found, and the verdict.
func (r Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "set\t%s\n", r.Name)
	fmt.Fprintf(t, "bags\t%s\n", r.bags())
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
		fmt.Fprintf(t, "shared instances\t%d in several bags\n", r.Shared)
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
	return t.Flush()
}

// bags says how many bags of each class there are.
func (r Report) bags() string {
	switch {
	case r.Classes != nil:
		text := fmt.Sprintf("%d, of them %s", r.Bags, mil.ClassesText(r.Classes))
		if r.Kind == mil.BinaryTarget {
			text += "; positive is " + r.Classes[1].Name
		}
		return text
	case r.Kind != mil.BinaryTarget:
		return fmt.Sprintf("%d; their target is of kind %v", r.Bags, r.Kind)
	}
	return fmt.Sprintf("%d, of them %d positive and %d negative", r.Bags, r.Positive, r.Bags-r.Positive)
}
