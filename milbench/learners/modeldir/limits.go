package modeldir

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/mil"
)

// fewBags is the number of bags of a class, or of groups, below which a limit is stated. With 50 bags, the 95 %
// interval of a share is about 14 percentage points to both sides of one half: 1.96 √(1/4 / 50).
const fewBags = 50

// mostRanges is the number of features whose ranges a limit states; the card has all of them.
const mostRanges = 3

// limits returns sentences that say what the model must not be used for. Each names the fact behind it.
func (c *Card) limits() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	f := c.Facts
	d := f.Data
	if c.Leaked {
		add("Not for any new bag: a column that leaks the labels was among the features.")
	}
	honest := slices.ContainsFunc(f.Judged, func(j Judged) bool { return !j.Optimistic })
	switch {
	case len(f.Judged) == 0:
		add("Not for decisions: nobody has measured how well it does on bags that it was not trained on.")
	case !honest:
		add("Not for decisions: its figures are optimistic, because the test part had a say in the epoch.")
	}
	if rarest := fewest(d.Classes); rarest != nil && rarest.Bags < fewBags {
		add("Not where errors are costly: of %d training bags %d are of class %s. On so few its errors can be measured to about ±%.0f percentage points.",
			d.Bags, rarest.Bags, rarest.Name, 100*1.96*math.Sqrt(0.25/float64(max(rarest.Bags, 1))))
	} else if rarest == nil && d.Bags < fewBags {
		add("Not where errors are costly: there were %d training bags only.", d.Bags)
	}
	switch {
	case d.Groups > 0 && d.Groups < fewBags:
		add("Not for other groups (patients, say) without a check: its bags come from %d groups only.", d.Groups)
	case d.Groups == 0:
		add("Not for new patients or sites without a check: its data name no groups, so that figures on held-out bags are too good if several bags come from one patient.")
	}
	add("Not for bags of another scanner, laboratory or source than those of %s, until milbench evaluate has been run on labelled bags from there.", c.Set)
	if text := ranges(d.Features); text != "" {
		add("Not for bags with features outside of the training's ranges: %s.", text)
	}
	if n := len(d.Classes); c.Target != mil.SurvivalTarget && n > 0 {
		names := make([]string, n)
		for i, class := range d.Classes {
			names[i] = class.Name
		}
		add("Not for bags of other classes than %s: it gives every bag one of them.", strings.Join(names, ", "))
	}
	if f.Calibration == "" && (c.Target == mil.BinaryTarget || c.Target == mil.ClassTarget) {
		add("Not for risks of single bags: its probabilities are not calibrated.")
	}
	add("Not a medical device: nobody has approved it for diagnosis or treatment.")
	return list
}

// fewest returns the class with the fewest bags, or nil without classes.
func fewest(classes []mil.ClassNumber) *mil.ClassNumber {
	var rarest *mil.ClassNumber
	for i := range classes {
		if rarest == nil || classes[i].Bags < rarest.Bags {
			rarest = &classes[i]
		}
	}
	return rarest
}

// ranges describes the ranges of the first features.
func ranges(features []mil.FeatureProfile) string {
	var parts []string
	for _, f := range features[:min(mostRanges, len(features))] {
		parts = append(parts, fmt.Sprintf("%s %s to %s", f.Name, f.Short(f.Least), f.Short(f.Largest)))
	}
	if more := len(features) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more on this card", more))
	}
	return strings.Join(parts, ", ")
}
