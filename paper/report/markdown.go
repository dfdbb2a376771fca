package report

import (
	"fmt"
	"strconv"
	"strings"
)

// table is a Markdown table; columns after the first are set to the right.
func table(head []string, rows [][]string) string { return aligned("--:|", head, rows) }

// wordTable is a Markdown table whose columns are set to the left.
func wordTable(head []string, rows [][]string) string { return aligned(":--|", head, rows) }

// aligned is a Markdown table; side sets the columns after the first.
func aligned(side string, head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|:--|" + strings.Repeat(side, len(head)-1) + "\n")
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

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// number returns v with three digits after the point, with its sign where signed.
func number(v float64) string { return minus(fmt.Sprintf("%.3f", v)) }

func signed(v float64) string { return minus(fmt.Sprintf("%+.3f", v)) }

func integer(i int) string { return minus(strconv.Itoa(i)) }

// short writes a number in as few digits as it needs.
func short(v float64) string { return minus(strconv.FormatFloat(v, 'g', -1, 64)) }

// pValue writes a p-value.
func pValue(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// count says how many of all; of shared places, with a digit after the point.
func count(n float64, of int) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + " of " + strconv.Itoa(of)
}
