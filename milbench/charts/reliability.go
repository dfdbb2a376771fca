package charts

import (
	"fmt"

	"synpool/milbench/calibrate"
	"synpool/plotting"
)

// Reliability draws the reliability diagram of held-out bags, before and after a calibration, which l must have.
func Reliability(l *calibrate.Learnt) (*plotting.Figure, error) {
	curve := func(name string, f calibrate.Figures) plotting.ReliabilityCurve {
		c := plotting.ReliabilityCurve{Name: fmt.Sprintf("%s (ECE %.3f)", name, f.ECE)}
		for _, b := range f.Bins {
			c.Bins = append(c.Bins, plotting.ReliabilityBin(b))
		}
		return c
	}
	title := fmt.Sprintf("%d held-out bags, %s", l.After.Bags, l.Calibration.Method)
	share := "Share of positives"
	if l.Calibration.Classes > 2 {
		share = "Share of bags whose class is right"
	}
	return plotting.Reliability(title, share, []plotting.ReliabilityCurve{curve("before", l.Before), curve("after, cross-fitted", l.After)})
}
