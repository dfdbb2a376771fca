package report

import (
	"fmt"
	"strings"
)

// table is a Markdown table; columns after the first are set to the right.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|:--|" + strings.Repeat("--:|", len(head)-1) + "\n")
	for _, r := range rows {
		line(r)
	}
	return b.String() + "\n"
}

// listed joins names as a sentence does.
func listed(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// number returns v with three digits after the point, with its sign where signed.
func number(v float64) string { return fmt.Sprintf("%.3f", v) }

func signed(v float64) string { return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1) }

// pValue writes a p-value.
func pValue(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// count says how many of all.
func count(n, of int) string { return fmt.Sprintf("%d of %d", n, of) }

// side returns what follows from a difference and the p-value of its test.
func side(p, difference float64, neither, more, less string) string {
	switch {
	case p >= alpha:
		return neither
	case difference > 0:
		return more
	}
	return less
}
