package audit_test

import (
	"strings"
	"testing"

	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

// TestWrite: a report names what was counted and found, by the kind of target, and gives one verdict.
func TestWrite(t *testing.T) {
	words := []mil.ClassNumber{{Name: "benign", Bags: 3}, {Name: "malign", Bags: 2}}
	for _, c := range []struct {
		report audit.Report
		wants  []string
	}{
		{audit.Report{Name: "toy", Bags: 5, Positive: 2, Instances: 9, Features: 3}, []string{"set        toy\n", "bags       5, of them 2 positive and 3 negative\n", "verdict    no column leaks the bag labels\n"}},
		{audit.Report{Bags: 5, Classes: words, Known: 4, Shared: 7}, []string{"5, of them 3 benign, 2 malign; positive is malign", "4, known from the catalogue", "7 in several bags"}},
		{audit.Report{Bags: 5, Classes: words, Kind: mil.ClassTarget, Duplicates: []audit.Duplicate{{Bags: []string{"a", "b"}, Conflict: true}}}, []string{"2 malign\n", "a, b, with different labels"}},
		{audit.Report{Bags: 5, Kind: mil.RealTarget, Blind: true}, []string{"5; their target is of kind real", "none: only classes are searched for leaks"}},
		{audit.Report{Blind: true}, []string{"too few bags to tell a leak from chance"}},
		{audit.Report{Strong: make([]audit.Leak, 1)}, []string{"\nstrong ", "check whether the strong ones are measured"}},
		{audit.Report{Leaks: make([]audit.Leak, 2)}, []string{"\nLEAK ", "a figure computed with such a column among the features means nothing"}},
	} {
		var b strings.Builder
		if err := c.report.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.wants {
			if !strings.Contains(b.String(), want) || strings.Count(b.String(), "verdict ") != 1 {
				t.Errorf("no %q, or not one verdict, in\n%s", want, &b)
			}
		}
	}
}
